"""Ricart and Agrawala's mutual exclusion: everybody's permission, oldest request first.

Idea: who wants in asks all others and enters with all their answers.  Who is asked answers at
once, unless it is inside or has an older request of its own: then it answers when it leaves.
Source: G. Ricart, A. Agrawala, An optimal algorithm for mutual exclusion in computer networks,
CACM 24(1), 1981.  Channels: any order, exactly once.  Cost: 2(n-1) messages; 2 hops to enter,
1 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.stamps import precedes
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Ask(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Allow(Message):
    pass


MESSAGES: Final = Messages(Shape(Ask, stamp=COUNT), Shape(Allow))


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    stamp: int
    missing: int
    deferred: tuple[int, ...]


@final
class RicartAgrawala(Site[State]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.stamp = 0  # of the present request
        self.missing = 0  # answers that the request still needs
        self.deferred: list[int] = []  # who gets its answer when we leave

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.stamp = self.clock
        self.missing = len(self.peers)
        if self.missing:
            out.broadcast(self.peers, Ask(self.stamp))  # L2
        else:
            self.enter(out)

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.clock = max(self.clock, msg.stamp)  # L3
            if self.goes_first(src, msg):
                self.deferred.append(src)  # L4
            else:
                out.send(src, Allow())  # L5
        elif isinstance(msg, Allow):
            assert self.phase == WAITING
            self.missing -= 1  # L6
            if self.missing == 0:
                self.enter(out)  # L7

    def goes_first(self, src: int, ask: Ask) -> bool:
        if self.phase == INSIDE:
            return True
        return self.phase == WAITING and precedes(self.stamp, self.me, ask.stamp, src)

    def enter(self, out: Outbox) -> None:
        self.phase = INSIDE
        out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group, self.stamp = IDLE, 0, 0, 0
        for site in self.deferred:
            out.send(site, Allow())  # L8
        self.deferred = []

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.stamp,
            self.missing,
            tuple(self.deferred),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.stamp, self.missing = state.clock, state.stamp, state.missing
        self.deferred = list(state.deferred)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> RicartAgrawala:
    return RicartAgrawala(me, peers)
