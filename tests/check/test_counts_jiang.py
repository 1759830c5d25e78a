"""All interleavings of jiang, over the smallest coteries: what is reached, and that nothing breaks.

With timers the same coteries have more than two million states; what is seen of them is clean.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, NOT_VIOLATED, UNREACHED, check
from grouplock.check.scope import Scope
from grouplock.protocol.system import System
from tests.errata.jiang import PAIRS, SINGLES, THREE
from tests.picks import ReadWrite

CRASH = ("crash",)
PINNED = [
    (SINGLES, 2, Scope(groups=1, requests=1), 6_346, 18_620),
    (SINGLES, 2, Scope(groups=3, requests=1), 37_330, 111_138),
    (SINGLES, 2, Scope(groups=1, requests=2), 247_387, 918_456),
    (THREE, 1, Scope(groups=1, requests=1), 11_401, 36_389),
    (THREE, 1, Scope(groups=2, requests=1), 31_457, 96_646),
    (SINGLES, 2, Scope(groups=1, requests=1, events=CRASH), 182_331, 647_916),
    (THREE, 1, Scope(groups=1, requests=1, events=CRASH), 374_021, 1_331_782),
]
IN_PART = [
    (SINGLES, 2, "100", Scope(groups=2, requests=1)),
    (THREE, 1, "100", Scope(groups=2, requests=1, events=CRASH)),
    (PAIRS, 2, "never", Scope(groups=2, requests=1)),
    (PAIRS, 2, "100", Scope(groups=2, requests=1)),
]


def over(pick: ReadWrite, slots: int, patience: str) -> System:
    return find("jiang").system(len(pick.own), {"patience": patience}, slots, pick=pick)


@pytest.mark.parametrize(("pick", "slots", "scope", "states", "moves"), PINNED)
def test_all_interleavings(
    pick: ReadWrite, slots: int, scope: Scope, states: int, moves: int
) -> None:
    result = check(over(pick, slots, "never"), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation


@pytest.mark.parametrize(("pick", "slots", "patience", "scope"), IN_PART)
def test_as_far_as_it_goes(pick: ReadWrite, slots: int, patience: str, scope: Scope) -> None:
    result = check(over(pick, slots, patience), scope, limit=150_000)
    assert not result.complete
    assert set(result.properties.values()) <= {HOLDS, NOT_VIOLATED, UNREACHED}, result.violation


def test_all_interleavings_with_timers_of_two_sites() -> None:
    """One node each, two slots: either may be asked as well."""
    result = check(find("jiang").system(2, {}, 2), Scope(groups=2, requests=2))
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
