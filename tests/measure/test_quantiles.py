"""Quantiles from counters against quantiles of all values."""

from __future__ import annotations

import math
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.measure.quantiles import ROOM, Quantiles

values = st.just(0.0) | st.floats(1e-6, 1e9)
ERROR = 0.000501


def filled(given: list[float]) -> Quantiles:
    quantiles = Quantiles()
    for value in given:
        quantiles.add(value)
    return quantiles


@given(st.lists(values, min_size=1), st.sampled_from([0.01, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0]))
def test_against_all_values(given: list[float], share: float) -> None:
    """The smallest value that at least this share of the values does not exceed."""
    exact = sorted(given)[math.ceil(share * len(given)) - 1]
    assert filled(given).at(share) == pytest.approx(exact, rel=ERROR, abs=0.0)


@given(st.lists(values, min_size=1))
def test_mean_largest_and_count_are_exact(given: list[float]) -> None:
    quantiles = filled(given)
    assert quantiles.count == len(given)
    assert quantiles.largest == max(given)
    assert quantiles.mean() == pytest.approx(statistics.fmean(given))
    assert quantiles.at(1.0) <= quantiles.largest


def test_nothing_yet() -> None:
    assert (Quantiles().mean(), Quantiles().at(0.5), Quantiles().largest) == (0.0, 0.0, 0.0)


def test_memory_grows_with_magnitudes_and_not_with_values() -> None:
    quantiles = filled([1.0 + i / 100_000 for i in range(100_000)])
    assert len(list(quantiles.cells)) <= 1000 * math.log(2) + 2 * ROOM
