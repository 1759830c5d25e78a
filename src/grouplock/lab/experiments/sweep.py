"""Sweeps: the same requests for several algorithms, one value of the workload varied.

Also the few statistics that figures are read with: ratios under equal seeds, shares of points,
rank correlations, exponents.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from grouplock.lab.experiments.experiment import Line, Results
from grouplock.lab.runs import Task, task
from grouplock.lab.summary import Estimate, estimate, ratio
from grouplock.measure.figures import Figures, interval

MESSAGES = "messages_per_request"
SIZE = "integers_per_message"
WAITING = "waiting.mean"
THROUGHPUT = "throughput"
HOPS = "sync_delay.hops"


class Contender(NamedTuple):
    label: str
    algorithm: str
    options: tuple[tuple[str, str], ...] = ()
    quorum: str | None = None


class Sweep:
    """`points` are workloads by the swept value."""

    def __init__(
        self,
        points: Mapping[float, Mapping[str, Any]],
        contenders: Sequence[Contender],
        seeds: int,
    ) -> None:
        self.points = {x: dict(workload) for x, workload in points.items()}
        self.contenders = list(contenders)
        self.seeds = seeds

    @property
    def xs(self) -> list[float]:
        return list(self.points)

    def tasks_of(self, who: Contender, x: float) -> list[Task]:
        return [
            task(
                "simulated.run",
                algorithm=who.algorithm,
                options=dict(who.options),
                quorum=who.quorum,
                workload={**self.points[x], "seed": 1 + seed},
            )
            for seed in range(self.seeds)
        ]

    def tasks(self) -> list[Task]:
        return [t for x in self.points for who in self.contenders for t in self.tasks_of(who, x)]

    def runs(self, results: Results, who: Contender, x: float) -> list[Figures]:
        return [Figures(**results[t]) for t in self.tasks_of(who, x)]

    def value(self, results: Results, who: Contender, x: float, name: str) -> Estimate:
        return estimate(self.runs(results, who, x), name)

    def ratio(
        self, results: Results, who: Contender, base: Contender, x: float, name: str
    ) -> Estimate:
        found = ratio(self.runs(results, who, x), self.runs(results, base, x), name)
        return found or Estimate(math.nan, 0.0)  # the base has a zero

    def ratios(
        self, results: Results, who: Contender, base: Contender, name: str
    ) -> dict[float, Estimate]:
        return {x: self.ratio(results, who, base, x, name) for x in self.points}

    def line(self, results: Results, who: Contender, name: str) -> Line:
        found = {x: self.value(results, who, x, name) for x in self.points}
        return drawn(who.label, found)


def drawn(label: str, estimates: Mapping[float, Estimate]) -> Line:
    return Line(
        label,
        tuple(estimates),
        tuple([e.mean for e in estimates.values()]),
        tuple([e.half if math.isfinite(e.half) else 0.0 for e in estimates.values()]),
    )


def lower(found: Estimate) -> Estimate:
    """A ratio as a decrease in percent."""
    return Estimate(100 * (1 - found.mean), 100 * found.half)


def higher(found: Estimate) -> Estimate:
    return Estimate(100 * (found.mean - 1), 100 * found.half)


def share(ratios: Sequence[Estimate], smaller_is_better: bool) -> float:
    """The share of the points, in percent, at which the ratio is better than 1, or may be."""
    good = [r.low <= 1 if smaller_is_better else r.high >= 1 for r in ratios]
    return 100 * sum(good) / len(good)


def largest(estimates: Mapping[float, Estimate]) -> tuple[float, Estimate]:
    """Where the mean is largest, and what it is there."""
    return max(estimates.items(), key=lambda entry: entry[1].mean)


def rank(ratios: Mapping[float, Estimate]) -> float:
    """Spearman's rank correlation of the means with the swept value: 1 rises, -1 falls."""
    from scipy.stats import spearmanr

    found = spearmanr(list(ratios), [r.mean for r in ratios.values()])
    return float(found[0])


def exponent(values: Mapping[float, float]) -> Estimate:
    """With which power of x the value grows: the slope on logarithmic scales, and its interval."""
    from scipy.stats import linregress, t

    xs, ys = [math.log(x) for x in values], [math.log(y) for y in values.values()]
    fit = linregress(xs, ys)
    free = len(xs) - 2
    half = float(t.ppf(0.975, free)) * float(fit.stderr) if free > 0 else math.inf
    return Estimate(float(fit.slope), half)


def mean_of(samples: Sequence[float]) -> Estimate:
    return Estimate(*interval(list(samples)))


def median_of(samples: Sequence[float]) -> float:
    return statistics.median(samples)
