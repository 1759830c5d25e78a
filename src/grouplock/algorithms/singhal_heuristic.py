"""Singhal's heuristic token algorithm: ask only those that probably have the token or get it soon.

Idea: everybody keeps a guess of who waits.  A request goes to those that are believed to, for one
of them has the token or gets it before us.  The token carries the same guesses with the number of
each site's newest request; who leaves takes from either side what is newer.
Source: M. Singhal, A heuristically-aided algorithm for mutual exclusion in distributed systems,
IEEE ToC 38(5), 1989, retold from the literature and repaired: as retold, two sites may come to
believe of each other that they need not ask, and a request is stranded.  Here an Ask that comes
too late to be believed is answered, so that of every two sites one asks the other.
Channels: any order, exactly once.  Cost: from none to n messages a request, n/2 on average when
nobody else asks, and an answer for each Ask that comes too late; 2 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from librt.vecs import vec
from mypy_extensions import i32

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.vectors import freeze, thaw, zeros
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import CELL, VECTOR, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Ask(Message):
    def __init__(self, number: int) -> None:
        self.number: Final = number


@final
class Later(Message):
    """The answer to an Ask that came too late: we were inside since, with this request or before.

    Who hears it counts us among those that it has to ask.
    """

    def __init__(self, number: int) -> None:
        self.number: Final = number


@final
class Token(Message):
    """Whoever sends it forgets it: both vectors then belong to the receiver."""

    def __init__(self, waits: vec[i32], numbers: vec[i32]) -> None:
        self.waits: Final = waits
        self.numbers: Final = numbers


MESSAGES: Final = Messages(
    Shape(Ask, number=CELL),
    Shape(Later, number=CELL),
    Shape(Token, waits=VECTOR, numbers=VECTOR),
    token=Token,
)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    waits: tuple[int, ...]
    numbers: tuple[int, ...]
    holds: bool
    token_waits: tuple[int, ...]  # empty without the token
    token_numbers: tuple[int, ...]


@final
class SinghalHeuristic(Site[State]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.n: Final = len(peers) + 1
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        # Our guesses: 1 for a site that waits; and the number of its newest request.
        self.waits = zeros(self.n)
        for site in range(me):
            self.waits[site] = 1
        self.numbers = zeros(self.n)
        self.holds = me == 0
        self.token_waits = zeros(self.n) if self.holds else vec[i32]()
        self.token_numbers = zeros(self.n) if self.holds else vec[i32]()

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        if self.holds:
            self.enter(out)  # L1
            return
        self.numbers[self.me] += 1  # L2
        self.ask([site for site in self.peers if self.waits[site]], out)  # L3

    def ask(self, sites: list[int], out: Outbox) -> None:
        out.broadcast(sites, Ask(int(self.numbers[self.me])))

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            if self.is_late(src, msg.number):
                self.answer_late(src, out)  # L4
                return
            self.believe(src, msg.number, out)  # L5
            if self.holds and self.phase == IDLE:
                self.token_waits[src], self.token_numbers[src] = 1, self.numbers[src]  # L6
                self.pass_on(src, out)
        elif isinstance(msg, Later):
            if self.is_late(src, msg.number):
                self.answer_late(src, out)  # L7
            else:
                self.believe(src, msg.number, out)  # L8
        elif isinstance(msg, Token):
            assert self.phase == WAITING
            assert not self.holds
            self.holds = True  # L9
            self.token_waits, self.token_numbers = msg.waits, msg.numbers
            self.enter(out)

    def is_late(self, site: int, number: int) -> bool:
        """Whether we or the token know of this request already."""
        if number <= self.numbers[site]:
            return True
        return self.holds and number <= self.token_numbers[site]

    def answer_late(self, site: int, out: Outbox) -> None:
        if self.waits[site]:
            return
        if self.phase == WAITING:
            self.waits[site] = 1
            self.ask([site], out)  # L10
        else:
            out.send(site, Later(int(self.numbers[self.me])))  # L11

    def believe(self, site: int, number: int, out: Outbox) -> None:
        self.numbers[site] = i32(number)  # L12
        if self.phase == WAITING and not self.waits[site]:
            self.ask([site], out)  # L13
        self.waits[site] = 1  # L14

    def enter(self, out: Outbox) -> None:
        self.phase = INSIDE
        out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group = IDLE, 0, 0
        self.token_waits[self.me], self.token_numbers[self.me] = 0, self.numbers[self.me]  # L15
        for site in self.peers:
            if self.numbers[site] > self.token_numbers[site]:
                self.token_waits[site] = self.waits[site]  # L16
                self.token_numbers[site] = self.numbers[site]
            else:
                self.waits[site] = self.token_waits[site]  # L17
                self.numbers[site] = self.token_numbers[site]
        for step in range(1, self.n):  # from our neighbour on: nobody is always last
            site = self.me + step
            if site >= self.n:
                site -= self.n
            if self.waits[site]:
                self.pass_on(site, out)  # L18
                return

    def pass_on(self, site: int, out: Outbox) -> None:
        token = Token(self.token_waits, self.token_numbers)
        self.holds, self.token_waits, self.token_numbers = False, vec[i32](), vec[i32]()
        out.send(site, token)

    def tokens(self) -> int:
        return 1 if self.holds else 0

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            freeze(self.waits),
            freeze(self.numbers),
            self.holds,
            freeze(self.token_waits),
            freeze(self.token_numbers),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.waits, self.numbers = thaw(state.waits), thaw(state.numbers)
        self.holds = state.holds
        self.token_waits = thaw(state.token_waits)
        self.token_numbers = thaw(state.token_numbers)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> SinghalHeuristic:
    return SinghalHeuristic(me, peers)
