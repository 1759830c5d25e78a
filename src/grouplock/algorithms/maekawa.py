"""Maekawa's mutual exclusion: the locks of a quorum, taken back from younger requests.

Idea: a site enters with the locks of all sites of its quorum; any two quorums have a site in
common, which lends its one lock to one at a time.  Circles of sites that each hold a lock and wait
for another are broken by age: an arbiter asks a younger holder for its lock back, and a holder
that knows of an older request somewhere gives it.
Source: M. Maekawa, A sqrt(N) algorithm for mutual exclusion in decentralized systems, ACM TOCS
3(2), 1985, with the repair of paper 002, section 3.4: who is first in a queue no more is told so.
Channels: FIFO.  Cost: 3(q-1) messages alone, at most 6(q-1); 2 hops to enter, 2 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.preemption import (
    NOBODY,
    PREEMPTION,
    Arbiter,
    ArbiterState,
    Failed,
    Inquire,
    Locks,
    LocksState,
    Relinquish,
)
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick, Quorum
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

# Each message names the request that it is about by its clock: the site is at one of its ends.


@final
class Request(Message):
    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


@final
class Locked(Message):
    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


@final
class Released(Message):
    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


MESSAGES: Final = Messages(
    Shape(Request, clock=COUNT),
    Shape(Locked, clock=COUNT),
    Shape(Released, clock=COUNT),
    *PREEMPTION,
)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    current: int
    locks: LocksState
    arbiter: ArbiterState


@final
class Maekawa(Site[State]):
    def __init__(self, me: int, peers: list[int], quorum: Quorum) -> None:
        super().__init__(me, peers)
        self.quorum: Final = quorum
        self.others: Final = list(quorum)  # the numbers themselves, not copies of them
        if me in quorum:
            self.others.remove(me)
        # As a requester.
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.current = 0  # the clock of the present request
        self.locks: Final = Locks()
        # As an arbiter.
        self.arbiter: Final = Arbiter()

    # The requester.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.group, self.current = WAITING, rid, only(groups), self.clock
        self.tell_quorum(Request(self.current), out)  # L2

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Locked):
            if self.waits_with(msg.clock):
                self.locks.gain(src)  # L3
                if len(self.locks.held) == len(self.quorum):
                    self.phase = INSIDE
                    self.locks.clear()
                    out.granted(self.rid, self.group)  # L4
        elif isinstance(msg, Failed):
            if self.waits_with(msg.clock):
                self.locks.refuse(src)  # L5
                self.hand_over(out)
        elif isinstance(msg, Inquire):
            if self.waits_with(msg.clock):  # else the answer is our Released
                self.locks.want(src)  # L6
                self.hand_over(out)
        else:
            self.arbitrate(src, msg, out)

    def waits_with(self, clock: int) -> bool:
        """Whether the message is about the present request, and that is not inside."""
        return self.phase == WAITING and clock == self.current

    def hand_over(self, out: Outbox) -> None:
        for arbiter in self.locks.hand_over():
            out.send(arbiter, Relinquish(self.current))  # L7

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.tell_quorum(Released(self.current), out)  # L8
        self.phase, self.rid, self.group, self.current = IDLE, 0, 0, 0

    def tell_quorum(self, msg: Message, out: Outbox) -> None:
        out.broadcast(self.others, msg)
        if len(self.others) < len(self.quorum):
            out.send(self.me, msg)

    # The arbiter.

    def arbitrate(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Request):
            self.clock = max(self.clock, msg.clock)  # L9
            refused = self.arbiter.arrive((msg.clock, src))
            if self.arbiter.holder == NOBODY:
                self.lend(out)
            elif refused != NOBODY:
                out.send(refused[1], Failed(refused[0]))  # L10
            if self.arbiter.recall():
                clock, site = self.arbiter.holder
                out.send(site, Inquire(clock))  # L11
        elif isinstance(msg, Relinquish):
            if self.arbiter.give_back((msg.clock, src)):
                self.lend(out)  # L12
        elif isinstance(msg, Released):
            assert self.arbiter.holder == (msg.clock, src)
            self.lend(out)  # L13

    def lend(self, out: Outbox) -> None:
        clock, site = self.arbiter.lend()
        if site >= 0:
            out.send(site, Locked(clock))  # L14

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.current,
            self.locks.save(),
            self.arbiter.save(),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.current = state.clock, state.current
        self.locks.load(state.locks)
        self.arbiter.load(state.arbiter)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Maekawa:
    assert pick is not None
    quorum = pick.quorum(me)
    assert quorum is not None
    return Maekawa(me, peers, quorum)
