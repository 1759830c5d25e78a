"""The large explorations: complete where a few million states do, else not violated in so many."""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS
from grouplock.check.checker import HOLDS, NOT_VIOLATED, check
from tests.check.explorations import EXPLORATIONS, LIMIT, Exploration
from tests.deep.results import keep


@pytest.mark.parametrize("exploration", EXPLORATIONS, ids=[e.name for e in EXPLORATIONS])
def test_no_property_is_violated(exploration: Exploration) -> None:
    system, counts = exploration.system(), exploration.counts
    result = check(system, exploration.scope, LIMIT if counts is None else counts[0] + 1)
    properties = {
        name: verdict
        for name, verdict in result.properties.items()
        if verdict in (HOLDS, NOT_VIOLATED)
    }
    found = {
        "algorithm": system.name,
        "options": exploration.options,
        "slots": system.slots,
        "quorum": system.quorum,
        "n": system.n,
        "scope": exploration.scope._asdict(),
        "states": result.states,
        "transitions": result.transitions,
        "complete": result.complete,
        "properties": sorted(properties),
    }
    keep("explored", exploration.name, found)
    assert sorted(properties) == sorted(result.properties), result.violation
    assert result.complete == (counts is not None)
    assert counts in (None, (result.states, result.transitions))


def test_every_setting_of_every_algorithm_is_explored() -> None:
    explored = {(e.algorithm, *e.entry().settle(e.options).values()) for e in EXPLORATIONS}
    every = {(a.name, *settled.values()) for a in ALGORITHMS for settled in a.settings()}
    assert every - explored == set()


def test_names_are_all_different() -> None:
    names = [exploration.name for exploration in EXPLORATIONS]
    assert sorted(set(names)) == sorted(names)
