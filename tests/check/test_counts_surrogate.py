"""Exact numbers of states of surrogate and sanders: every interleaving, all complete."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

LEAVE = {"release": "leave", "stale": "off"}
WEIGHTS = {"stale": "off"}
ON = {"entry": "on"}
PIVOT = {"entry": "pivot"}
RA = {"structure": "ricart-agrawala"}
SINGLETON = {"structure": "ricart-agrawala", "singleton": "on"}
TWICE = Scope(groups=2, requests=2)
ONCE = Scope(groups=2, requests=1)
SETS = Scope(groups=3, sets=2, requests=1)

PINNED = [
    ("surrogate", LEAVE, 2, TWICE, 1_520),
    ("surrogate", LEAVE, 3, ONCE, 2_454),
    ("surrogate", LEAVE, 3, SETS, 7_215),
    ("surrogate", WEIGHTS, 2, TWICE, 1_456),
    ("surrogate", WEIGHTS, 3, ONCE, 2_486),
    ("surrogate", WEIGHTS, 3, SETS, 7_377),
    ("surrogate", {}, 2, TWICE, 1_813),
    ("surrogate", {}, 3, ONCE, 2_573),
    ("surrogate", {}, 3, SETS, 7_498),
    ("surrogate", ON, 2, TWICE, 11_534),
    ("surrogate", ON, 3, ONCE, 36_537),
    ("surrogate", ON, 3, SETS, 155_240),
    ("surrogate", PIVOT, 2, TWICE, 11_642),
    ("surrogate", PIVOT, 3, ONCE, 36_367),
    ("surrogate", PIVOT, 3, SETS, 154_577),
    ("sanders", {}, 2, TWICE, 1_813),
    ("sanders", {}, 3, ONCE, 6_497),
    ("sanders", RA, 2, TWICE, 1_169),
    ("sanders", RA, 3, ONCE, 139_625),
    ("sanders", SINGLETON, 2, TWICE, 1_683),
    ("sanders", SINGLETON, 3, ONCE, 634_634),
]


@pytest.mark.parametrize(("name", "options", "n", "scope", "states"), PINNED)
def test_all_interleavings(
    name: str, options: dict[str, str], n: int, scope: Scope, states: int
) -> None:
    result = check(find(name).system(n, options), scope)
    assert result.states == states
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
