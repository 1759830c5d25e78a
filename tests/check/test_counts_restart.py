"""Exact numbers of states of the recovery, with a crash at every step and every loss with it.

Larger ones are in explorations.py.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

CRASH = ("crash",)
ONE = Scope(groups=1, requests=1, events=CRASH)
TWO = Scope(groups=2, requests=1, events=CRASH)
PINNED = [
    ("token-gme", "3", 3, ONE, 7_683, 25_435),
    ("token-gme", "3", 3, ONE._replace(faults=2), 12_625, 62_010),
    ("token-gme", "3", 3, TWO, 224_694, 890_256),
    ("token-gme", "2", 3, ONE, 7_483, 24_827),
    ("token-gme", "2", 3, ONE._replace(faults=2), 12_377, 60_614),
    ("token-gme", "2", 3, TWO, 220_529, 873_853),
    ("token-gme", "1", 3, ONE, 7_587, 25_865),
    ("token-gme", "1", 3, ONE._replace(faults=2), 12_445, 63_704),
    ("token-gme", "1", 3, TWO, 249_601, 1_013_113),
    ("ra1", "3", 3, ONE, 132_421, 598_758),
    ("ra1", "2", 3, ONE, 130_087, 588_969),
    ("ra1", "1", 3, ONE, 170_560, 792_501),
    ("maekawa", "3", 3, ONE, 10_314, 27_983),
    ("maekawa", "3", 3, ONE._replace(faults=2), 18_740, 76_534),
    ("maekawa", "2", 3, ONE, 10_314, 27_983),  # of two survivors each is at the gate
    ("maekawa", "2", 3, ONE._replace(faults=2), 18_740, 76_534),
    ("maekawa", "1", 3, ONE, 10_288, 28_241),
    ("maekawa", "1", 3, ONE._replace(faults=2), 18_373, 76_423),
]


@pytest.mark.parametrize(("base", "phases", "n", "scope", "states", "moves"), PINNED)
def test_states_and_transitions_are_as_many_as_ever(
    base: str, phases: str, n: int, scope: Scope, states: int, moves: int
) -> None:
    system = find("restart").system(n, {"base": base, "phases": phases})
    result = check(system, scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
