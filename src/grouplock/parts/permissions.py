"""Permissions that are passed from site to site: who claims one, who has it, how it went on."""

from __future__ import annotations

from bisect import insort
from typing import Final, NamedTuple, final

from grouplock.protocol.message import COUNT, SITE, Records, Shape


class Claim(NamedTuple):
    """A request by its Lamport stamp and its site; the smaller one goes first."""

    stamp: int
    site: int


Line = list[Claim]  # who is next, the first one first
LINE: Final = Records(Shape(Claim, stamp=COUNT, site=SITE))


def join(line: Line, others: Line) -> None:
    """Every claim once, in order."""
    for claim in others:
        if claim not in line:
            insort(line, claim)


def leave(line: Line, claim: Claim) -> None:
    if claim in line:
        line.remove(claim)


def without(line: Line, site: int) -> Line:
    return [claim for claim in line if claim.site != site]


class Passed(NamedTuple):
    """How a permission went on: who had it, whether it is wanted again, who is next."""

    claim: Claim
    again: bool
    line: tuple[Claim, ...]


SavedSeat = tuple[int, int, int, bool, tuple[Claim, ...]]


@final
class Seat:
    """What a request knows of one arbiter's permission."""

    def __init__(self) -> None:
        self.number = 0  # of the permission, while we have it; else 0
        self.past = 0  # its number when we last yielded it
        self.inquired = False
        self.line: Line = []  # who is next

    def save(self, arbiter: int) -> SavedSeat:
        return (arbiter, self.number, self.past, self.inquired, tuple(self.line))


def load_seat(saved: SavedSeat) -> Seat:
    seat = Seat()
    seat.number, seat.past, seat.inquired, seat.line = saved[1], saved[2], saved[3], list(saved[4])
    return seat
