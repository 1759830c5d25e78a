"""Several runs of one case together: means, intervals, and pairs of cases under equal seeds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grouplock.measure.figures import Figures, interval, value


class Estimate(NamedTuple):
    mean: float
    half: float  # half width of the 95% confidence interval; infinite for a single run

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half


def estimate(runs: Sequence[Figures], name: str) -> Estimate:
    return Estimate(*interval([value(run, name) for run in runs]))


def ratio(runs: Sequence[Figures], base: Sequence[Figures], name: str) -> Estimate | None:
    """How many times the base's figure, seed by seed; None where the base has a zero.

    Runs of one seed have the same requests, so that what they share cancels out.
    """
    pairs = [(value(a, name), value(b, name)) for a, b in zip(runs, base, strict=True)]
    if any(b == 0 for _, b in pairs):
        return None
    return Estimate(*interval([a / b for a, b in pairs]))
