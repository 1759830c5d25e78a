"""Singhal's dynamic algorithm: ask only those that may be ahead of us, as we learn who they are.

Idea: of every two sites one asks the other.  Whoever let another site in has to ask it the next
time; whoever was inside last need not be asked by those it has asked itself.  A site that is asked
answers as in Ricart and Agrawala's algorithm, and an answer given while we wait with a younger
request makes us ask back.
Source: M. Singhal, A dynamic information-structure mutual exclusion algorithm for distributed
systems, IEEE TPDS 3(1), 1992.  Channels: any order, exactly once.  Cost: n-1 messages a request
on average when nobody else asks, at most 2(n-1); 2 hops to enter, 1 to hand over.
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
    asks: tuple[int, ...]
    informs: tuple[int, ...]


@final
class SinghalDynamic(Site[State]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.stamp = 0  # of the present request
        # Idle: whom the next request asks.  Waiting: whose answers it still needs.
        self.asks = {site for site in peers if site < me}
        self.informs: list[int] = []  # who gets its answer when we leave

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.stamp = self.clock
        out.broadcast([site for site in self.peers if site in self.asks], Ask(self.stamp))  # L2
        self.try_enter(out)

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.clock = max(self.clock, msg.stamp)  # L3
            if self.goes_first(src, msg):
                self.informs.append(src)  # L4
                return
            out.send(src, Allow())  # L5
            if src not in self.asks:
                self.asks.add(src)  # L6
                if self.phase == WAITING:
                    out.send(src, Ask(self.stamp))  # L7
        elif isinstance(msg, Allow):
            assert self.phase == WAITING
            self.asks.remove(src)  # L8
            self.try_enter(out)

    def goes_first(self, src: int, ask: Ask) -> bool:
        if self.phase == INSIDE:
            return True
        return self.phase == WAITING and precedes(self.stamp, self.me, ask.stamp, src)

    def try_enter(self, out: Outbox) -> None:
        if not self.asks:
            self.phase = INSIDE  # L9
            out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group, self.stamp = IDLE, 0, 0, 0
        for site in self.informs:
            out.send(site, Allow())  # L10
            self.asks.add(site)  # L11
        self.informs = []

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.stamp,
            tuple(sorted(self.asks)),
            tuple(self.informs),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.stamp = state.clock, state.stamp
        self.asks, self.informs = set(state.asks), list(state.informs)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> SinghalDynamic:
    return SinghalDynamic(me, peers)
