"""Quorums of groups: Joung's surficial system, and the group-set systems of paper 001."""

from __future__ import annotations

from itertools import combinations
from math import ceil, isqrt, sqrt

import pytest

from grouplock.quorums import Family, GroupSetQuorums, QuorumError, Surficial, build, validate
from grouplock.quorums.cyclic import cyclic
from grouplock.quorums.groups import FOLDED, KEPT, SHARED
from grouplock.quorums.load import load
from grouplock.quorums.report import report
from grouplock.quorums.resilience import resilience, smallest_hitting_set
from tests.quorums.systems import made, made_groups, tosses


@pytest.mark.parametrize("groups", [2, 3, 4, 5])
@pytest.mark.parametrize("d", [1, 2, 3])
def test_a_surficial_system_of_the_size_that_it_is_made_for(groups: int, d: int) -> None:
    n = d * d * groups * (groups - 1) // 2
    system = Surficial(n, groups)
    families = [[*system.of(g).each()] for g in range(groups)]
    assert system.d == d
    assert validate.cross_group(families) is None
    for family in families:
        assert validate.minimality(family) is None
        assert validate.most_disjoint(family) == len(family) == d
        assert {len(quorum) for quorum in family} == {d * (groups - 1)}
    for one, other in combinations(families, 2):
        assert all(len({*q} & {*r}) == 1 for q in one for r in other)
    members = [v for family in families for quorum in family for v in quorum]
    assert all(members.count(v) == 2 for v in range(n))
    assert load(system).value == pytest.approx(2 / (groups * d))
    assert resilience(system, 2 / (groups * d)).value == d - 1
    assert all(len(smallest_hitting_set(family)) == d for family in families)
    # Paper 000, section I: the degree is sqrt(2n/(m(m-1))).
    assert system.degree() == d == isqrt(2 * n // (groups * (groups - 1)))


@pytest.mark.parametrize("virtual", [FOLDED, KEPT, SHARED])
def test_a_surficial_system_for_any_n_and_any_number_of_groups(virtual: str) -> None:
    for n in range(1, 31):
        for groups in (1, 2, 3, 4, 7, 12):
            system = Surficial(n, groups, virtual)
            families = [[*system.of(g).each()] for g in range(groups)]
            disjoint = min(map(validate.most_disjoint, families)) if groups > 1 else n
            assert system.degree() in (disjoint, None)
            assert validate.cross_group(families) is None, (n, groups)
            assert all(validate.minimality(family) is None for family in families)
            assert system.n == (system.virtual_n if virtual == KEPT else n)
            assert all(0 <= v < system.n for f in families for q in f for v in q)
            if groups > 1:
                assert system.d == ceil(sqrt(2 * n / (groups * (groups - 1))))


@pytest.mark.parametrize(
    ("groups", "d", "virtual_n", "size", "folded"),
    [
        (2, 5, 25, 5, 5),
        (3, 3, 27, 6, 6),
        (4, 3, 54, 9, 9),
        (5, 2, 40, 8, 8),
        (6, 2, 60, 10, 10),
        (7, 2, 84, 12, 12),
        (8, 1, 28, 7, 7),
        (10, 1, 45, 9, 9),
        (15, 1, 105, 14, 14),
        (20, 1, 190, 19, 19),
        (30, 1, 435, 29, 25),
        (50, 1, 1225, 49, 25),
        (100, 1, 4950, 99, 25),
    ],
)
def test_the_25_nodes_of_paper_000_section_vii(
    groups: int, d: int, virtual_n: int, size: int, folded: int
) -> None:
    system = Surficial(25, groups)
    assert (system.d, system.virtual_n) == (d, virtual_n)
    assert {len(system.surface(g, r)) for g in range(groups) for r in range(d)} == {size}
    assert max(len({v % 25 for v in system.surface(g, 0)}) for g in range(groups)) == folded


def test_a_host_gets_one_message_for_all_its_virtual_nodes() -> None:
    system = Surficial(5, 4, SHARED)
    for group in range(4):
        for r in range(system.d):
            behind = system.behind(group, r)
            assert sorted(v for locks in behind.values() for v in locks) == [
                *system.surface(group, r)
            ]
            assert all(v % 5 == host for host, locks in behind.items() for v in locks)


def test_a_picked_quorum_leads_to_its_virtual_nodes() -> None:
    system = Surficial(20, 4, SHARED)
    for group in range(4):
        for turn in range(system.d):
            picked = system.of(group).pick(7, turn)
            assert picked is not None
            behind = system.behind(group, system.number(group, picked))
            assert sorted(behind) == [*picked]


@pytest.mark.parametrize(("n", "degree", "lasting"), [(4, 1, 0), (9, 1, 0), (11, 1, 0), (12, 2, 1)])
def test_folding_takes_away_degree_and_resilience(n: int, degree: int, lasting: int) -> None:
    """Three groups on faces of 2x2 take 12 nodes. With one node fewer, one group's two quorums
    share a host, and that group does not outlive it."""
    system = Surficial(n, 3)
    assert system.d == 2
    families = [[*system.of(g).each()] for g in range(3)]
    said = report(system, tosses())
    assert said.degree == min(map(validate.most_disjoint, families)) == degree
    assert said.resilience == min(len(smallest_hitting_set(f)) for f in families) - 1 == lasting


def test_many_quorums_that_hardly_meet_are_no_long_search() -> None:
    assert report(Surficial(600, 3), tosses()).resilience == 9


def test_with_a_node_down_a_group_takes_another_quorum_if_it_has_one() -> None:
    several, single = Surficial(12, 3), Surficial(3, 3)
    assert several.of(0).pick(0, 0, frozenset(range(1, 12))) == (2, 3, 6, 7)
    assert single.of(0).pick(0, 0, frozenset({1, 2})) is None
    assert single.of(0).family is Family.COTERIE
    assert resilience(single, 2 / 3).value == 0


def test_every_node_has_a_quorum_of_some_group() -> None:
    system = Surficial(12, 3)
    assignment = system.assignment()
    assert len(assignment) == 12
    for v, quorum in enumerate(assignment):
        assert quorum in {*system.of(v % 3).each()}


# Paper 001.

SECTION_3 = {
    frozenset({1}): [(0, 1), (2, 3)],
    frozenset({2}): [(0, 2), (1, 3)],
}


def test_paper_001_section_3_a_group_quorum_system_that_blocks_without_need() -> None:
    """A 2-group quorum system as printed; two requests of one group on disjoint quorums cannot
    know of each other, so a third of another group that holds one vote blocks the second."""
    assert validate.cross_group([*SECTION_3.values()]) is None
    assert validate.group_sets(SECTION_3) == ((0, 1), (2, 3))


def test_paper_001_section_4_1_theorem_1_also_binds_sets_that_share_a_group() -> None:
    sharing = {frozenset({1, 2}): [(0, 1)], frozenset({2, 3}): [(2, 3)]}
    assert validate.group_sets(sharing) == ((0, 1), (2, 3))
    crossing = {frozenset({1, 2}): [(0, 1)], frozenset({2, 3}): [(1, 2)]}
    assert validate.group_sets(crossing) is None


def test_paper_001_section_4_1_one_coterie_serves_every_set_of_groups() -> None:
    system = GroupSetQuorums(cyclic(7), 3)
    sets = [s for size in (1, 2, 3) for s in combinations(range(3), size)]
    families = {frozenset(s): [*system.of_set(s).each()] for s in sets}
    assert len(families) == 7
    assert validate.group_sets(families) is None


def test_paper_001_section_4_1_what_is_no_coterie_cannot_serve_sets_of_groups() -> None:
    with pytest.raises(QuorumError, match=r"k-blocks is no coterie.*such as cyclic"):
        GroupSetQuorums(made("k-blocks", 8, k=2), 3)


def test_reports_of_group_systems() -> None:
    surficial = report(made_groups("surficial", 12, groups=3), tosses())
    assert surficial.properties == (None, True, None, None, None, True)
    assert surficial.quorums is not None
    assert len(surficial.quorums) == 6
    sets = report(made_groups("group-sets", 13, groups=4), tosses())
    assert sets.properties == (True, True, None, None, None, True)
    assert sets.size == (4, 4)
    assert sets.load == pytest.approx(4 / 13)


def test_what_is_no_group_system() -> None:
    for wrong, said in (
        ({"groups": 0}, "at least one group"),
        ({"groups": 3, "virtual": "halved"}, "folded, kept, shared"),
    ):
        with pytest.raises(QuorumError, match=said):
            build("surficial", 9, **wrong)
    with pytest.raises(QuorumError, match="at least one"):
        build("group-sets", 9, groups=0)


def test_quorums_grow_with_the_number_of_groups_as_derived() -> None:
    # |Q| = sqrt(2 n (m-1) / m) where n is what the system is made for.
    for groups, d in ((2, 4), (3, 3), (5, 2)):
        n = d * d * groups * (groups - 1) // 2
        assert Surficial(n, groups).sizes()[0] == isqrt(2 * n * (groups - 1) // groups)
