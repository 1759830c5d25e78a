"""Groups that nobody has heard of appear while it runs, and cost nothing.

Paper 000 claims that of surrogate (abstract, section IX), paper 004 has no set of groups at all,
and Toyomura's algorithm works over one coterie for that reason.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm, find
from grouplock.check.scope import BadScope, Scope
from grouplock.quorums.catalog import GROUPS
from tests.schedule import Schedule

TURNS = 6

EVERY = [
    pytest.param(entry, options, id="-".join([entry.name, *options.values()]))
    for entry in ALGORITHMS
    for options in entry.settings()
    if entry.with_options(options).shared and entry.with_options(options).quorums != GROUPS
]


def costs(entry: Algorithm, options: dict[str, str], fresh: bool) -> list[tuple[int, int, int]]:
    """Of each turn: messages, integers, grants.  From the third turn on groups may be new ones.

    In each turn three groups of sites ask for three groups, and everybody is served.
    """
    n = 7
    s = Schedule(entry.system(n, options))
    found = []
    for turn in range(TURNS):
        first = 1_000_000 * turn if fresh and turn > 1 else 0
        before = (s.sent, s.integers, len(s.granted))
        for site in range(n):
            s.ask(site, first + site % 3)
        s.drain()
        found.append((s.sent - before[0], s.integers - before[1], len(s.granted) - before[2]))
    return found


@pytest.mark.parametrize(("entry", "options"), EVERY)
def test_new_groups_cost_what_old_ones_do(entry: Algorithm, options: dict[str, str]) -> None:
    """To the message and the integer, in every turn.

    A token that is still there from the last turn is of one of the old groups: without new ones it
    may serve again, so that token-gme saves what a new group would cost in any case; and so does
    jukebox where a site keeps its place.
    """
    old, new = costs(entry, options, fresh=False), costs(entry, options, fresh=True)
    assert [grants for _, _, grants in new] == [7] * TURNS
    serves_again = entry.make is find("token-gme").make or options.get("stay") == "on"
    if serves_again or options.get("base") == "token-gme":
        if options.get("numbers") != "bounded":  # else numbers begin anew in some of the turns
            assert new[3:] == [new[3]] * (TURNS - 3)  # every turn is all new, and none costs more
        system = entry.system(7, options)
        assert all(messages <= system.worst * 7 for messages, _, _ in new)
    else:
        assert new == old


@pytest.mark.parametrize("name", ["maekawa-m", "maekawa-s"])
def test_where_quorums_are_made_group_by_group_there_are_no_new_ones(name: str) -> None:
    """Paper 000, section I, of Joung's algorithms."""
    system = find(name).system(6, {}, groups=2)
    with pytest.raises(BadScope, match="made for 2 groups and cannot take 3"):
        Scope(groups=3).checked(system)
