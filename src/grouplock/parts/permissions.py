"""Permissions that go from site to site: a seat for who wants one, a desk for who gave it out.

A permission counts its passes.  `number` is 0 where there is none, and the first pass is 1.
"""

from __future__ import annotations

from bisect import insort
from typing import Final, NamedTuple, final

from grouplock.protocol.message import COUNT, SITE, Records, Shape


class Claim(NamedTuple):
    """A request by its Lamport stamp and its site; the smaller one goes first."""

    stamp: int
    site: int


Line = list[Claim]  # who is next, the first one first
SavedLine = tuple[Claim, ...]
LINE: Final = Records(Shape(Claim, stamp=COUNT, site=SITE))


def join(line: Line, others: Line) -> None:
    """Every claim once, in order."""
    for claim in others:
        if claim not in line:
            insort(line, claim)


def without(line: Line, site: int) -> Line:
    return [claim for claim in line if claim.site != site]


SavedSeat = tuple[int, int, int, bool, SavedLine]


@final
class Seat:
    """What a request knows of one arbiter's permission."""

    def __init__(self) -> None:
        self.number = 0  # of the permission, while we have it
        self.past = 0  # its number when we last yielded it
        self.inquired = False
        self.line: Line = []  # who is next

    def save(self, arbiter: int) -> SavedSeat:
        return (arbiter, self.number, self.past, self.inquired, tuple(self.line))


def load_seat(saved: SavedSeat) -> Seat:
    seat = Seat()
    seat.number, seat.past, seat.inquired, seat.line = saved[1], saved[2], saved[3], list(saved[4])
    return seat


class Passed(NamedTuple):
    """How a permission went on: who had it, whether it is wanted again, and who is next."""

    claim: Claim
    again: bool
    line: SavedLine  # the first one has it, and was told of the others; empty: it came back


class SavedDesk(NamedTuple):
    lock: Claim | None
    giver: int
    number: int
    inquired: bool
    queue: SavedLine
    told: tuple[tuple[Claim, SavedLine], ...]
    passed: tuple[tuple[int, Passed], ...]


@final
class Desk:
    """What an arbiter knows of its permission."""

    def __init__(self) -> None:
        self.lock: Claim | None = None  # who has it, as far as we have heard
        self.giver = -1  # which site passed it to the lock; -1: we did
        self.number = 0
        self.inquired = False  # the lock was asked to yield
        self.queue: Line = []
        self.told: dict[Claim, Line] = {}  # whom each knows, or will know, as heirs
        self.passed: dict[int, Passed] = {}  # by number; heard of before its turn

    def serve(self, heirs: int) -> Line:
        """The permission is here: the head of the queue gets it, and is told of its heirs."""
        self.lock, self.giver, self.inquired = self.queue.pop(0), -1, False
        self.number += 1
        line = self.queue[:heirs]
        join(self.told.setdefault(self.lock, []), line)
        return line

    def rest(self) -> None:
        """It is here, and nobody wants it."""
        self.lock, self.giver, self.inquired = None, -1, False
        self.number, self.told = 0, {}

    def follow(self) -> bool:
        """Go after it as far as its way is known; whether that leads back to us."""
        while self.number in self.passed:
            last = self.passed.pop(self.number)
            self.told.pop(last.claim, None)
            if last.again:
                insort(self.queue, last.claim)
            if not last.line:
                return True
            self.found(self.number + 1, last.line[0], last.claim.site)
            join(self.told.setdefault(last.line[0], []), list(last.line[1:]))
        return False

    def found(self, number: int, claim: Claim, giver: int) -> None:
        self.number, self.lock, self.giver, self.inquired = number, claim, giver, False
        if claim in self.queue:
            self.queue.remove(claim)

    def withdraw(self, claim: Claim) -> None:
        if claim in self.queue:
            self.queue.remove(claim)
            self.told.pop(claim, None)

    def knows(self, claim: Claim, heir: Claim) -> bool:
        return heir in self.told.get(claim, [])

    def tell(self, claim: Claim, heir: Claim) -> None:
        join(self.told.setdefault(claim, []), [heir])

    def forget(self, site: int) -> None:
        """The site has crashed.  Whom it knew stays: the permission may have gone that way."""
        self.queue = without(self.queue, site)
        for number, last in list(self.passed.items()):
            if last.claim.site == site:
                self.passed[number] = last._replace(again=False)

    def named(self) -> list[int]:
        """The sites to which it may have gone."""
        claims = [*self.queue, *self.told]
        for line in self.told.values():
            claims += line
        return sorted({claim.site for claim in claims})

    def save(self) -> SavedDesk:
        return SavedDesk(
            self.lock,
            self.giver,
            self.number,
            self.inquired,
            tuple(self.queue),
            tuple([(claim, tuple(line)) for claim, line in sorted(self.told.items())]),
            tuple(sorted(self.passed.items())),
        )


def load_desk(saved: SavedDesk) -> Desk:
    desk = Desk()
    desk.lock, desk.giver = saved.lock, saved.giver
    desk.number, desk.inquired = saved.number, saved.inquired
    desk.queue = list(saved.queue)
    desk.told = {claim: list(line) for claim, line in saved.told}
    desk.passed = dict(saved.passed)
    return desk
