"""Lamport's mutual exclusion: everybody keeps the same queue of requests, ordered by stamps.

Idea: a request is told to all and answered by all; whoever has heard something younger than its
own request from everybody has also heard, because channels keep order, of every older request.
If its own is the oldest it enters.  Who leaves tells all.
Source: L. Lamport, Time, clocks, and the ordering of events in a distributed system, CACM 21(7),
1978.  Channels: FIFO, exactly once; without order two may be inside.  Cost: 3(n-1) messages,
always; 2 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from librt.vecs import vec
from mypy_extensions import i32

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.stamps import precedes
from grouplock.parts.vectors import freeze, thaw, zeros
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import CELL, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Ask(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Seen(Message):
    """The answer to an Ask; it is younger than the Ask, which is all that it says."""

    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Done(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


MESSAGES: Final = Messages(Shape(Ask, stamp=CELL), Shape(Seen, stamp=CELL), Shape(Done, stamp=CELL))


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    asked: tuple[int, ...]
    heard: tuple[int, ...]  # empty unless we wait


@final
class Lamport(Site[State]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.n: Final = len(peers) + 1
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.asked = zeros(self.n)  # the queue: the stamp of each site's request, 0 for none
        self.heard = vec[i32]()  # 1 for each site that has sent something younger than our request
        self.unheard = 0  # how many have not

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.asked[self.me] = i32(self.clock)  # L2
        self.heard, self.unheard = zeros(self.n), len(self.peers)
        if self.unheard:
            out.broadcast(self.peers, Ask(self.clock))  # L3
        else:
            self.try_enter(out)

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.clock = max(self.clock, msg.stamp) + 1  # L4
            self.asked[src] = i32(msg.stamp)  # L5
            out.send(src, Seen(self.clock))  # L6
            self.hear(src, msg.stamp, out)
        elif isinstance(msg, Seen):
            self.clock = max(self.clock, msg.stamp)  # L7
            self.hear(src, msg.stamp, out)
        elif isinstance(msg, Done):
            self.clock = max(self.clock, msg.stamp)  # L8
            self.asked[src] = 0  # L9
            self.hear(src, msg.stamp, out)

    def hear(self, src: int, stamp: int, out: Outbox) -> None:
        if self.phase != WAITING:
            return
        if not self.heard[src] and self.is_younger(stamp, src):
            self.heard[src] = 1  # L10
            self.unheard -= 1
        self.try_enter(out)

    def is_younger(self, stamp: int, site: int) -> bool:
        return precedes(int(self.asked[self.me]), self.me, stamp, site)

    def try_enter(self, out: Outbox) -> None:
        if self.unheard:
            return
        for site in self.peers:
            if self.asked[site] and not self.is_younger(int(self.asked[site]), site):
                return
        self.phase, self.heard = INSIDE, vec[i32]()  # L11
        out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group = IDLE, 0, 0
        self.asked[self.me] = 0  # L12
        self.clock += 1
        out.broadcast(self.peers, Done(self.clock))  # L13

    def save(self) -> State:
        return State(
            self.phase, self.rid, self.group, self.clock, freeze(self.asked), freeze(self.heard)
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group, self.clock = state[:4]
        self.asked, self.heard = thaw(state.asked), thaw(state.heard)
        self.unheard = len(self.peers) - sum(state.heard) if state.heard else 0


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Lamport:
    return Lamport(me, peers)
