"""The figures of one run, and of several runs together."""

from __future__ import annotations

import math
import statistics
from typing import Any, NamedTuple

from grouplock.measure.meter import Meter
from grouplock.measure.workload import Workload


class Figures(NamedTuple):
    """What `sim --json` and `live --json` print; times are in units of the workload."""

    algorithm: str
    options: dict[str, str]
    n: int
    groups: int
    slots: int
    requests: int
    seed: int
    served: int
    violations: int
    messages: int
    messages_per_request: float
    integers_per_message: float
    waiting: dict[str, float]
    throughput: float
    concurrency: dict[str, float]
    sync_delay: dict[str, float]
    sessions: int
    virtual_time: float
    events: int
    wall_s: float
    events_per_s: float


def figures(
    algorithm: str,
    options: dict[str, str],
    workload: Workload,
    meter: Meter,
    *,
    violations: int,
    messages: int,
    integers: int,
    events: int,
    wall_s: float,
) -> Figures:
    w = meter.waiting
    delay = meter.sync_delay.mean()
    return Figures(
        algorithm=algorithm,
        options=options,
        n=workload.n,
        groups=workload.groups,
        slots=workload.slots,
        requests=workload.requests,
        seed=workload.seed,
        served=meter.served,
        violations=violations,
        messages=messages,
        messages_per_request=_ratio(messages, w.count),
        integers_per_message=_ratio(integers, messages),
        waiting={"mean": w.mean(), "p50": w.at(0.5), "p99": w.at(0.99), "max": w.largest},
        throughput=_ratio(meter.served, meter.last_exit),
        concurrency={
            "mean": _ratio(meter.hold_time, meter.busy_time),
            "max": float(meter.most_inside),
        },
        sync_delay={"mean": delay, "hops": _ratio(delay, workload.delay)},
        sessions=meter.sessions,
        virtual_time=meter.last_exit,
        events=events,
        wall_s=wall_s,
        events_per_s=_ratio(events, wall_s),
    )


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


# The figures that vary from seed to seed and are worth an interval.
VARYING = (
    "messages_per_request",
    "integers_per_message",
    "waiting.mean",
    "waiting.p99",
    "throughput",
    "concurrency.mean",
    "sync_delay.mean",
    "sync_delay.hops",
    "sessions",
)


def value(run: Figures, name: str) -> float:
    """One figure by name; `waiting.mean` is the mean within `waiting`."""
    head, _, inner = name.partition(".")
    found: Any = getattr(run, head)
    return float(found[inner] if inner else found)


def interval(samples: list[float]) -> tuple[float, float]:
    """Mean and half width of the 95% confidence interval, by Student's t."""
    mean = statistics.fmean(samples)
    if len(samples) < 2:
        return mean, math.inf
    from scipy.stats import t  # 0.3 s to import, and only needed here

    spread = statistics.stdev(samples) / math.sqrt(len(samples))
    return mean, float(t.ppf(0.975, len(samples) - 1)) * spread
