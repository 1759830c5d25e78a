"""`pick`: a quorum of the living, with what is held already, and everybody equally often."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouplock.quorums import QuorumSystem
from grouplock.quorums.load import load
from grouplock.quorums.rows import RowSystem
from tests.quorums.systems import ORDINARY, every, label, made

SMALL = {kind: [*every(kind, 11, quorums=600)] for kind in ORDINARY}
EXACT = [kind for kind in ORDINARY if kind not in ("weighted", "rw-votes")]


# A system, who picks, in which turn, who is alive, who is held.
Situation = tuple[QuorumSystem, int, int, set[int], set[int]]


@st.composite
def situations(draw: st.DrawFn, kinds: list[str]) -> Situation:
    system = draw(st.sampled_from([system for kind in kinds for system in SMALL[kind]]))
    nodes = st.integers(0, system.n - 1)
    turn = st.integers(0, 10**9)
    return system, draw(nodes), draw(turn), draw(st.sets(nodes)), draw(st.sets(nodes))


@settings(max_examples=1500, deadline=None)
@given(situations(ORDINARY))
def test_a_pick_is_a_living_quorum_and_none_only_where_there_is_none(
    situation: Situation,
) -> None:
    system, node, turn, alive, held = situation
    living = [quorum for quorum in system.each() if alive.issuperset(quorum)]
    quorum = system.pick(node, turn, frozenset(alive), frozenset(held))
    if living:
        assert quorum in living
    else:
        assert quorum is None
    assert quorum == system.pick(node, turn, frozenset(alive), frozenset(held))


@settings(max_examples=1500, deadline=None)
@given(situations(EXACT))
def test_no_living_quorum_needs_fewer_new_members(situation: Situation) -> None:
    system, node, turn, alive, held = situation
    quorum = system.pick(node, turn, frozenset(alive), frozenset(held))
    if quorum is not None and held:
        fewest = min(len({*q} - held) for q in system.each() if alive.issuperset(q))
        assert len({*quorum} - held) == fewest


@settings(max_examples=500, deadline=None)
@given(situations(["weighted", "rw-votes"]))
def test_votes_that_are_held_are_used(situation: Situation) -> None:
    # With votes of different weight the least number of new members is a knapsack problem, and
    # the choice a heuristic; a quorum that is held already is found all the same.
    system, node, turn, alive, held = situation
    if any(alive.issuperset(quorum) and held.issuperset(quorum) for quorum in system.each()):
        quorum = system.pick(node, turn, frozenset(alive), frozenset(held))
        assert quorum is not None
        assert held.issuperset(quorum)


@settings(max_examples=500, deadline=None)
@given(situations(ORDINARY), st.data())
def test_the_cheapest_quorum_is_the_cheapest(situation: Situation, data: st.DataObject) -> None:
    system, node, turn, _, _ = situation
    if system.kind in ("weighted", "rw-votes"):
        return
    prices = data.draw(st.lists(st.integers(-9, 9), min_size=system.n, max_size=system.n))
    quorum = system.cheapest(node, turn, [float(price) for price in prices])
    assert quorum is not None
    least = min(sum(prices[v] for v in other) for other in system.each())
    assert sum(prices[v] for v in quorum) == least


@pytest.mark.parametrize("kind", ORDINARY)
def test_turns_spread_the_load_of_one_node(kind: str) -> None:
    for n in (7, 16, 25, 40):
        for system in every(kind, n):
            if system.n == n and system.k <= 2:
                turns = 60 * n
                use = [0] * n
                for turn in range(turns):
                    for v in system.pick(3 % n, turn) or ():
                        use[v] += 1
                best = load(system).value
                assert max(use) / turns <= 1.35 * best + 0.02, (label(system), best)


@pytest.mark.parametrize("kind", ["majority", "grid", "grid-cover", "cyclic", "k-blocks", "torus"])
def test_the_dead_leave_their_load_to_all_others(kind: str) -> None:
    system = made(kind, 24) if kind not in ("grid", "grid-cover") else made(kind, 25)
    alive = frozenset(range(system.n)) - {5}
    use = [0] * system.n
    for turn in range(40 * system.n):
        quorum = system.pick(0, turn, alive)
        assert quorum is not None
        for v in quorum:
            use[v] += 1
    assert use[5] == 0
    assert max(use) <= 2.6 * sum(use) / len(alive)


def test_who_is_alone_still_picks() -> None:
    for kind in ORDINARY:
        if kind != "plane":
            assert made(kind, 1).pick(0, 5) == (0,)
            assert made(kind, 1).pick(0, 5, frozenset(), frozenset({0})) is None


@pytest.mark.parametrize("kind", ["triangle", "cwlog", "grid-cover"])
def test_while_one_row_is_nearly_dead_the_others_still_take_turns(kind: str) -> None:
    system = made(kind, 30)
    assert isinstance(system, RowSystem)
    *_, row, last = system.rows
    alive = frozenset(range(system.n)) - {*last[1:]}
    use = [0] * system.n
    for turn in range(40 * system.n):
        for v in system.pick(0, turn, alive) or ():
            use[v] += 1
    assert use[last[0]] == 40 * system.n
    shares = [use[v] for v in row]
    assert max(shares) <= 1.5 * min(shares)
