"""Exact numbers of states of Cao and Singhal's algorithm with every option, all complete.

With `redundant` and n = 3 there are more than two million states; n = 2 is what is pinned of it.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

ONCE = Scope(groups=1, requests=1)
TWICE = Scope(groups=1, requests=2)
CRASH = Scope(groups=1, requests=1, events=("crash",))
PINNED = [
    ("", 3, ONCE, 3_217, 8_928),
    ("ahead", 3, ONCE, 3_217, 8_928),  # nobody is ever two behind the lock, of three in a ring
    ("direct", 3, ONCE, 3_271, 9_049),
    ("faults", 3, ONCE, 2_195, 5_227),  # over FIFO channels
    ("direct faults", 3, ONCE, 2_247, 5_343),
    ("", 2, TWICE, 41_192, 149_134),
    ("redundant", 2, TWICE, 41_192, 149_134),
    ("direct", 2, TWICE, 46_735, 169_209),
    ("direct redundant", 2, TWICE, 46_735, 169_209),
    ("ahead", 2, TWICE, 50_221, 188_469),
    ("ahead redundant", 2, TWICE, 50_221, 188_469),
    ("ahead direct", 2, TWICE, 56_064, 210_130),
    ("ahead direct redundant", 2, TWICE, 56_064, 210_130),
    ("ahead direct redundant faults", 2, TWICE, 1_766, 3_008),
    ("faults", 3, CRASH, 78_312, 233_304),
    ("ahead faults", 3, CRASH, 83_010, 246_271),
    ("direct faults", 3, CRASH, 82_813, 245_960),
    ("ahead direct faults", 3, CRASH, 87_789, 259_848),
]


@pytest.mark.parametrize(("on", "n", "scope", "states", "moves"), PINNED)
def test_states_and_transitions_are_as_many_as_ever(
    on: str, n: int, scope: Scope, states: int, moves: int
) -> None:
    result = check(find("cao-singhal").system(n, dict.fromkeys(on.split(), "on")), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation


@pytest.mark.parametrize("on", ["", "ahead", "direct", "redundant", "ahead direct redundant"])
@pytest.mark.parametrize(("n", "requests"), [(3, 2), (4, 1)])
def test_larger_ones_as_far_as_they_are_explored(on: str, n: int, requests: int) -> None:
    found = find("cao-singhal").system(n, dict.fromkeys(on.split(), "on"))
    result = check(found, Scope(groups=1, requests=requests), 150_000)
    assert result.violation is None
    assert not result.complete
