"""Exact numbers of states of RA2 and of TokenGME's options, in every interleaving."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

ONE = Scope(groups=2, requests=1)
TWO = Scope(groups=2, requests=2)
FULL = {"vectors": "full"}
PINNED = [
    ("ra2", {}, 2, TWO, 1_955, 3_380),
    ("ra2", {}, 3, ONE, 106_229, 332_850),
    ("ra2", {}, 3, Scope(groups=3, requests=1), 205_546, 627_762),
    ("ra2", FULL, 2, TWO, 11_971, 30_660),
    ("ra2", FULL, 3, ONE, 260_265, 991_648),
]


@pytest.mark.parametrize(("name", "options", "n", "scope", "states", "moves"), PINNED)
def test_states_and_transitions_are_as_many_as_ever(
    name: str, options: dict[str, str], n: int, scope: Scope, states: int, moves: int
) -> None:
    result = check(find(name).system(n, options), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
