"""Exact numbers of states of three sites with two requests each: all that are not too many."""

from __future__ import annotations

import pytest

from grouplock.check.checker import HOLDS, check
from tests.check.explorations import EXPLORATIONS, LIMIT, Exploration

SMALL = [
    e
    for e in EXPLORATIONS
    if e.counts is not None and e.counts[0] < LIMIT and e.n == 3 and e.scope.requests == 2
]


@pytest.mark.parametrize("exploration", SMALL, ids=[e.name for e in SMALL])
def test_states_and_transitions_are_as_many_as_ever(exploration: Exploration) -> None:
    result = check(exploration.system(), exploration.scope)
    assert (result.states, result.transitions) == exploration.counts
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
