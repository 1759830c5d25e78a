"""Exact numbers of states: a change of an algorithm or of the checker that moves them is seen.

Run compiled and interpreted: both must give the same.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

ONE = Scope(groups=2, requests=1)
TWO = Scope(groups=2, requests=2)
PINNED = [
    ("central", {}, 2, 1, TWO, 566, 1_234),
    ("central", {}, 3, 1, ONE, 825, 1_994),
    ("central", {}, 2, 2, TWO._replace(events=("many", "withdraw")), 66_406, 352_811),
    ("ricart-agrawala", {}, 2, 1, TWO, 444, 754),
    ("ricart-agrawala", {}, 3, 1, Scope(groups=1, requests=1), 3_236, 10_022),
    ("suzuki-kasami", {}, 2, 1, TWO, 210, 368),
    ("suzuki-kasami", {}, 3, 1, ONE, 2_832, 9_296),
    ("ra1", {}, 2, 1, TWO, 736, 1_346),
    ("ra1", {}, 3, 1, Scope(groups=1, requests=1), 8_683, 32_499),
    ("token-gme", {}, 2, 1, TWO, 1_337, 2_844),
    ("token-gme", {}, 3, 1, ONE, 9_793, 33_934),
    ("token-gme", {"policy": "fifo"}, 2, 1, TWO, 1_337, 2_844),
    ("token-gme", {}, 2, 1, Scope(groups=3, sets=2, requests=2), 2_367, 5_449),
]


@pytest.mark.parametrize(("name", "options", "n", "slots", "scope", "states", "moves"), PINNED)
def test_states_and_transitions_are_as_many_as_ever(
    name: str,
    options: dict[str, str],
    n: int,
    slots: int,
    scope: Scope,
    states: int,
    moves: int,
) -> None:
    result = check(find(name).system(n, options, slots), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
