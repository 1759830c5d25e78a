"""What a paper claims, as data: a range that a measurement has to reach.

What may live here: the shape of a claim, and the one rule by which it is judged.  A claim is
entered with the precision that its paper prints, before anything is run, and does not change with
what is measured: a number is meant to half a unit of its last printed digit; with "about",
"almost", "up to" or "~" and a multiple of five, to the nearest five; "at most" and "at least" have
one end.  A yes or no is 1 or 0; "none" counts what may not happen.
"""

from __future__ import annotations

from math import inf, isfinite
from typing import Final, NamedTuple

AGREES: Final = "agrees"
DISAGREES: Final = "disagrees"
NOT_RUN: Final = "not-run"

Range = tuple[float, float]


class Claim(NamedTuple):
    id: str  # paper.line, or paper.line and a letter where one line claims several things
    place: str  # in the paper
    says: str
    low: float  # what agrees
    high: float
    by: str  # the experiment that measures it; empty: none does
    unit: str = ""
    why: str = ""  # why it is not run

    @property
    def paper(self) -> str:
        return self.id.partition(".")[0]

    @property
    def line(self) -> int:
        """Which of the paper's claims this belongs to."""
        return int(self.id.partition(".")[2].rstrip("abcdefghijklmnopqrstuvwxyz"))


class Measured(NamedTuple):
    value: float
    half: float = 0.0  # half width of the 95% interval; 0 where it was counted or computed
    note: str = ""


class Row(NamedTuple):
    """A claim beside what was measured."""

    claim: Claim
    measured: Measured | None
    verdict: str

    @property
    def note(self) -> str:
        return self.measured.note if self.measured else self.claim.why


def judge(claim: Claim, measured: Measured | None) -> Row:
    """It agrees if the interval that was measured and the range that was claimed have a common
    point.  An interval wider than a quarter of the claimed value would agree with anything: then
    its middle has to be in the range."""
    if measured is None:
        return Row(claim, None, NOT_RUN)
    value, half = measured.value, measured.half
    sizes = [abs(end) for end in (claim.low, claim.high) if isfinite(end)]
    if half > max(sizes) / 4:
        half = 0.0
    agrees = isfinite(value) and value - half <= claim.high and claim.low <= value + half
    return Row(claim, measured, AGREES if agrees else DISAGREES)


# Ranges.


def exactly(value: float) -> Range:
    return (value, value)


def near(value: float, within: float) -> Range:
    """Printed to this precision."""
    return (value - within, value + within)


def at_most(value: float) -> Range:
    return (-inf, value)


def at_least(value: float) -> Range:
    return (value, inf)


YES: Final = exactly(1)
NONE: Final = exactly(0)
# "O(f)": measured as the exponent with which it grows over f, in a sweep; at most 1.  A tenth is
# for the constant terms that a bound of this kind leaves out.
ORDER: Final = at_most(1.1)


def claim(
    id: str, place: str, says: str, range: Range, by: str = "", unit: str = "", why: str = ""
) -> Claim:
    assert bool(by) != bool(why), f"{id}: either an experiment measures it or one says why not"
    return Claim(id, place, says, *range, by, unit, why)
