"""Figures of a run, by name, and intervals over several."""

from __future__ import annotations

import math

import pytest

from grouplock.measure.figures import VARYING, Figures, figures, interval, value
from grouplock.measure.meter import Meter
from grouplock.measure.workload import Workload


def of(meter: Meter, messages: int = 0, integers: int = 0, wall_s: float = 0.0) -> Figures:
    return figures(
        "ra1",
        {},
        Workload(),
        meter,
        violations=0,
        messages=messages,
        integers=integers,
        events=10,
        wall_s=wall_s,
    )


def test_a_run_in_which_nothing_happened_divides_by_nothing() -> None:
    empty = of(Meter(1))
    assert [value(empty, name) for name in VARYING] == [0.0] * len(VARYING)
    assert empty.events_per_s == 0.0


def test_the_figures_of_a_small_run() -> None:
    meter = Meter(1)
    for _ in range(2):
        meter.asked()
    meter.entered(1.0, 1.0, 0)
    meter.left(3.0, 0)
    meter.entered(7.0, 7.0, 0)
    meter.left(8.0, 0)
    run = of(meter, messages=6, integers=15, wall_s=2.0)
    assert (run.served, run.sessions, run.virtual_time) == (2, 2, 8.0)
    assert run.messages_per_request == 3.0
    assert run.integers_per_message == 2.5
    assert (run.waiting["mean"], run.waiting["max"]) == (4.0, 7.0)
    assert run.waiting["p50"] == pytest.approx(1.0, rel=0.0006)
    assert run.throughput == 0.25
    assert run.concurrency == {"mean": 1.0, "max": 1.0}
    assert run.sync_delay == {"mean": 4.0, "hops": 1.0}  # a hop takes 4 in the default workload
    assert run.events_per_s == 5.0
    assert value(run, "waiting.max") == 7.0
    assert value(run, "sessions") == 2.0


def test_an_interval_is_students() -> None:
    mean, half = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3.0
    assert half == pytest.approx(2.776445 * math.sqrt(2.5 / 5), rel=1e-6)  # t for 4 degrees


def test_one_run_has_no_interval() -> None:
    assert interval([3.0]) == (3.0, math.inf)
