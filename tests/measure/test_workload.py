"""Workloads that can be, and what is said of those that cannot; how groups are weighted."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.measure.workload import BadWorkload, Workload


def test_the_defaults_can_be() -> None:
    w = Workload()
    assert w.checked() is w
    assert (w.n, w.groups, w.sets, w.slots, w.requests) == (9, 3, 1, 1, 100)
    assert (w.think, w.inside, w.delay, w.bandwidth, w.seed) == (4, 2, 4, 0, 1)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (Workload(n=0), "n is 0; it must be at least 1"),
        (Workload(groups=0), "groups is 0; it must be at least 1"),
        (Workload(sets=0), "sets is 0; it must be at least 1"),
        (Workload(slots=0), "slots is 0; it must be at least 1"),
        (Workload(requests=0), "requests is 0; it must be at least 1"),
        (Workload(seed=-1), "seed is -1; it must be at least 0"),
        (Workload(think=-1), "think is -1; it must be a number of at least 0"),
        (Workload(inside=math.inf), "inside is inf; it must be a number of at least 0"),
        (Workload(delay=math.nan), "delay is nan; it must be a number of at least 0"),
        (Workload(bandwidth=-0.5), "bandwidth is -0.5; it must be a number of at least 0"),
        (Workload(sets=4), "a request cannot name 4 of 3 groups; sets must be at most 3"),
        (Workload(skew=(0, 50)), "skew 0,50 must be two percentages, as in 20,80"),
        (Workload(skew=(20, 101)), "skew 20,101 must be two percentages, as in 20,80"),
        (Workload(skew=(math.nan, 50)), "skew nan,50 must be two percentages, as in 20,80"),
    ],
)
def test_what_cannot_be_is_said(wrong: Workload, said: str) -> None:
    with pytest.raises(BadWorkload) as refusal:
        wrong.checked()
    assert str(refusal.value) == said


@pytest.mark.parametrize(
    ("groups", "skew", "expected"),
    [
        (4, (50, 50), [0.25] * 4),
        (5, (20, 80), [0.8, 0.05, 0.05, 0.05, 0.05]),
        (4, (50, 90), [0.45, 0.45, 0.05, 0.05]),
        (3, (1, 50), [0.5, 0.25, 0.25]),  # at least one group is favoured
        (3, (100, 40), [1 / 3] * 3),  # favouring all is favouring none
        (1, (20, 80), [1.0]),
        (2, (50, 100), [1.0, 0.0]),
    ],
)
def test_weights(groups: int, skew: tuple[float, float], expected: list[float]) -> None:
    assert Workload(groups=groups, skew=skew).weights() == pytest.approx(expected)


@given(st.integers(1, 60), st.floats(0.1, 100), st.floats(0, 100))
def test_weights_sum_to_one(groups: int, share: float, draws: float) -> None:
    weights = Workload(groups=groups, skew=(share, draws)).checked().weights()
    assert len(weights) == groups
    assert sum(weights) == pytest.approx(1.0)
    assert min(weights) >= 0.0
