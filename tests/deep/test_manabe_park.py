"""manabe-park beyond the ordinary suite: two groups and two requests each, over a ring of three."""

from __future__ import annotations

from grouplock.catalog import find
from grouplock.check.scope import Scope
from tests.deep.conftest import Explore


def test_two_groups_and_two_requests_each(explore: Explore) -> None:
    result = explore(find("manabe-park").system(3, {}), Scope(groups=2, requests=2), 3_000_000)
    assert (result.states, result.transitions) == (2_450_138, 8_668_956)
    assert result.complete


def test_four_sites(explore: Explore) -> None:
    result = explore(find("manabe-park").system(4, {}), Scope(groups=2, requests=1), 4_000_000)
    assert result.states > 3_000_000
