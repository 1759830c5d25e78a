"""Exact numbers of states of Joung's algorithms and Toyomura's: every interleaving, all complete.

Every choice of groups is among them, and that a site does not ask at all.  Three sites with two
requests each are in explorations.py.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope

M = "maekawa-m"
PINNED = [  # name, options, n, kind of quorums, groups, requests, states, transitions
    (M, {}, 2, None, 2, 2, 1_176, 2_465),
    (M, {}, 4, None, 2, 1, 2_263_732, 9_211_183),
    (M, {"locks": "2"}, 3, None, 2, 1, 10_371, 27_972),
    (M, {}, 3, None, 4, 1, 145_601, 425_097),
    (M, {"virtual": "kept"}, 3, None, 4, 1, 449_076, 1_418_451),
    (M, {"virtual": "shared"}, 3, None, 4, 1, 210_386, 634_484),
    (M, {"virtual": "shared"}, 2, None, 4, 2, 5_329, 11_197),
    (M, {"virtual": "shared", "locks": "1"}, 3, None, 4, 1, 154_446, 444_953),
    ("toyomura", {}, 3, "cyclic", 3, 1, 8_294, 21_138),
    (
        "toyomura",
        {},
        3,
        "majority",
        2,
        2,
        121_904,
        372_938,
    ),  # as with cyclic ones: of three the same
    ("maekawa-s", {}, 2, None, 2, 2, 1_704, 4_667),
    ("maekawa-s", {}, 4, None, 2, 1, 95_648, 373_730),
    ("maekawa-s", {}, 3, None, 3, 1, 10_104, 28_741),
    ("maekawa-s", {}, 3, None, 4, 1, 35_019, 106_543),
]


@pytest.mark.parametrize(
    ("name", "options", "n", "kind", "groups", "requests", "states", "moves"), PINNED
)
def test_states_and_transitions_are_as_many_as_ever(
    name: str,
    options: dict[str, str],
    n: int,
    kind: str | None,
    groups: int,
    requests: int,
    states: int,
    moves: int,
) -> None:
    system = find(name).system(n, options, quorum=kind, groups=groups)
    result = check(system, Scope(groups=groups, requests=requests))
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
