"""Exact numbers of states of Lamport's, Raymond's and Singhal's algorithms.

Three sites with two requests each are in explorations.py.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

PINNED = [
    ("lamport", 2, Scope(groups=2, requests=2), 2_078, 3_848),
    ("lamport", 2, Scope(groups=1, requests=4), 9_836, 18_038),
    ("lamport", 3, Scope(groups=1, requests=1), 111_430, 317_425),
    ("raymond", 4, Scope(groups=1, requests=2), 13_954, 35_663),
    ("raymond", 7, Scope(groups=1, requests=1), 337_688, 1_197_835),
    ("singhal-heuristic", 3, Scope(groups=1, requests=2), 52_984, 186_089),
    ("singhal-heuristic", 4, Scope(groups=1, requests=1), 59_093, 231_170),
    ("singhal-dynamic", 3, Scope(groups=1, requests=3), 99_713, 282_141),
    ("singhal-dynamic", 4, Scope(groups=1, requests=1), 103_785, 496_717),
]


@pytest.mark.parametrize(("name", "n", "scope", "states", "moves"), PINNED)
def test_states_and_transitions_are_as_many_as_ever(
    name: str, n: int, scope: Scope, states: int, moves: int
) -> None:
    result = check(find(name).system(n, {}), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
