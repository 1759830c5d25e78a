"""All interleavings of manabe-park over three sites whose quorums form a ring."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

PINNED = [
    ("any", 2, Scope(groups=2, requests=2), 7_054, 15_246),
    ("any", 2, Scope(groups=3, sets=2, requests=2), 19_408, 46_858),
    ("any", 3, Scope(groups=2, requests=1), 12_335, 33_186),
    ("any", 3, Scope(groups=3, sets=2, requests=1), 34_445, 101_356),
    ("waiters", 3, Scope(groups=3, sets=2, requests=1), 37_607, 112_780),
    ("any", 3, Scope(groups=1, requests=2), 371_611, 1_267_404),
]


@pytest.mark.parametrize(("choice", "n", "scope", "states", "moves"), PINNED)
def test_all_interleavings(choice: str, n: int, scope: Scope, states: int, moves: int) -> None:
    result = check(find("manabe-park").system(n, {"choice": choice}), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
