"""Long random schedules with starved channels over many quorum systems, up to 25 sites.

Every algorithm of the catalog that works with quorums, every setting of its options, on exactly
the channels that it says it needs: in order for some, in any order for the others.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm
from grouplock.check.checker import HOLDS
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.properties import TOGETHER
from grouplock.protocol.system import SETS
from grouplock.quorums.catalog import COTERIE, GROUPS, K_COTERIE

# Of each sort of quorum systems: its kinds, with numbers of sites and of requests of each.
KINDS = {
    COTERIE: [
        ("plane", 7, 4),
        ("plane", 13, 2),
        ("plane", 21, 1),
        ("grid", 9, 3),
        ("grid", 25, 1),
        ("tree", 7, 4),
        ("tree", 15, 2),
        ("majority", 5, 6),
        ("majority", 9, 2),
    ],
    GROUPS: [("surficial", 6, 4), ("surficial", 13, 2), ("surficial", 25, 1), ("group-sets", 7, 3)],
    K_COTERIE: [("k-blocks", 6, 3), ("k-blocks", 12, 2), ("torus", 16, 1)],
}
LARGE = 13  # with defaults alone: from here on a walk takes a while

CASES = [
    pytest.param(entry, options, kind, n, requests, id="-".join([entry.name, kind, str(n), *given]))
    for entry in ALGORITHMS
    for options in entry.settings()
    for kind, n, requests in KINDS.get(entry.with_options(options).quorums, [])
    for given in [[v for k, v in options.items() if v != entry.settle({})[k]]]
    if n < LARGE or not given
]


@pytest.mark.parametrize(("entry", "options", "kind", "n", "requests"), CASES)
def test_nobody_is_let_in_wrongly_and_everybody_is_served(
    entry: Algorithm, options: dict[str, str], kind: str, n: int, requests: int
) -> None:
    """The walk judges each step; it ends when nothing can happen any more."""
    slots = 2 if entry.quorums == K_COTERIE else 1
    system = entry.system(n, options, slots, kind, groups=3)
    sets = 2 if SETS in entry.supports else 1
    scope = Scope(groups=3, sets=sets, requests=requests).checked(system, walking=True)
    met = []
    for seed in range(1, 4):
        result = walk(system, scope, seed)
        assert result.violation is None, f"seed {seed}: {result.violation}"
        exits = len([step for step in result.steps if step.do[0] == "release"])
        assert exits == n * requests
        met.append(result.properties.get(TOGETHER))
    if TOGETHER in system.promises and requests > 2:
        assert HOLDS in met, "nobody ever met"


def test_each_algorithm_over_quorums_is_among_them() -> None:
    walked = {str(case.id).split("-plane-")[0].split("-surficial-")[0] for case in CASES}
    for entry in ALGORITHMS:
        if entry.quorums in (COTERIE, GROUPS):
            assert entry.name in walked
