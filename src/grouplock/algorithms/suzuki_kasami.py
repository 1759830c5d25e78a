"""Suzuki and Kasami's mutual exclusion: one token, asked for by broadcast.

Idea: the token knows how many requests of each site it has served and carries a queue of sites
that wait.  Everybody knows how many requests each site has made, so whoever holds the token sees
who is still to be served.
Source: I. Suzuki, T. Kasami, A distributed mutual exclusion algorithm, ACM TOCS 3(4), 1985.
Channels: any order; a late or repeated request is harmless, the token must arrive exactly once.
Cost: none for the holder, else n messages; 2 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.vectors import freeze, thaw, zeros
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import CELL, SITES, VECTOR, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Ask(Message):
    def __init__(self, number: int) -> None:
        self.number: Final = number


@final
class Token(Message):
    """Whoever sends it forgets it: the vector and the queue then belong to the receiver."""

    def __init__(self, served: vec[i32], queue: list[int]) -> None:
        self.served: Final = served
        self.queue: Final = queue


MESSAGES: Final = Messages(
    Shape(Ask, number=CELL), Shape(Token, served=VECTOR, queue=SITES), token=Token
)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    asked: tuple[int, ...]
    holds: bool
    served: tuple[int, ...]  # empty without the token
    queue: tuple[int, ...]


@final
class SuzukiKasami(Site[State]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.n: Final = len(peers) + 1
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.asked = zeros(self.n)  # the number of each site's newest request
        self.holds = me == 0
        self.served = zeros(self.n) if self.holds else vec[i32]()
        self.queue: list[int] = []

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        if self.holds:
            self.enter(out)  # L1
        else:
            self.asked[self.me] += 1  # L2
            out.broadcast(self.peers, Ask(int(self.asked[self.me])))  # L3

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            if msg.number > self.asked[src]:
                self.asked[src] = msg.number  # L4
            if self.holds and self.phase == IDLE and self.waits(src):
                self.pass_on(src, out)  # L5
        elif isinstance(msg, Token):
            assert self.phase == WAITING
            assert not self.holds
            self.holds, self.served, self.queue = True, msg.served, msg.queue  # L6
            self.enter(out)

    def enter(self, out: Outbox) -> None:
        self.phase = INSIDE
        out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group = IDLE, 0, 0
        self.served[self.me] = self.asked[self.me]  # L7
        n: i64 = self.n
        me: i64 = self.me
        asked, served, queue, queued = self.asked, self.served, self.queue, zeros(self.n)
        for waiter in queue:
            queued[waiter] = 1
        for step in range(1, self.n):  # from our neighbour on: nobody is always last
            site = me + step if me + step < n else me + step - n
            if asked[site] == served[site] + 1 and not queued[site]:
                queue.append(int(site))  # L8
        if self.queue:
            self.pass_on(self.queue.pop(0), out)  # L9

    def waits(self, site: int) -> bool:
        return self.asked[site] == self.served[site] + 1

    def pass_on(self, site: int, out: Outbox) -> None:
        token = Token(self.served, self.queue)
        self.holds, self.served, self.queue = False, vec[i32](), []
        out.send(site, token)

    def tokens(self) -> int:
        return 1 if self.holds else 0

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            freeze(self.asked),
            self.holds,
            freeze(self.served),
            tuple(self.queue),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.asked = thaw(state.asked)
        self.holds, self.served = state.holds, thaw(state.served)
        self.queue = list(state.queue)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> SuzukiKasami:
    return SuzukiKasami(me, peers)
