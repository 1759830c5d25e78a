"""The validators against the definitions, written out as plainly as can be."""

from __future__ import annotations

from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from grouplock.quorums import Listed, validate
from grouplock.quorums.listed import minimal

N = 6
quorums = st.lists(
    st.sets(st.integers(0, N - 1), min_size=1), min_size=1, max_size=7, unique_by=frozenset
)
Family = list[set[int]]


def disjoint(chosen: tuple[set[int], ...]) -> bool:
    return all(not one & other for one, other in combinations(chosen, 2))


def packings(family: Family, size: int) -> list[tuple[set[int], ...]]:
    return [chosen for chosen in combinations(family, size) if disjoint(chosen)]


@given(quorums)
def test_intersection(family: Family) -> None:
    broken = validate.intersection(family)
    assert (broken is None) == all(one & other for one, other in combinations(family, 2))
    if broken is not None:
        one, other = broken
        assert not {*one} & {*other}
        assert {*one} in family
        assert {*other} in family


@given(quorums)
def test_minimality(family: Family) -> None:
    broken = validate.minimality(family)
    assert (broken is None) == (not any(a < b or b < a for a, b in combinations(family, 2)))
    if broken is not None:
        assert {*broken[0]} < {*broken[1]}


@given(quorums, st.integers(1, 4))
def test_k_intersection(family: Family, k: int) -> None:
    broken = validate.k_intersection(family, k)
    assert (broken is None) == (not packings(family, k + 1))
    if broken is not None:
        assert len(broken) == k + 1
        assert disjoint(tuple({*quorum} for quorum in broken))


@given(quorums, st.integers(1, 4))
def test_extension(family: Family, k: int) -> None:
    stuck = [
        chosen
        for h in range(k)
        for chosen in packings(family, h)
        if not any(disjoint((*chosen, more)) for more in family)
    ]
    broken = validate.extension(family, k)
    assert (broken is None) == (not stuck)
    if broken is not None:
        assert {frozenset(q) for q in broken} in [{frozenset(q) for q in s} for s in stuck]


@given(quorums)
def test_most_disjoint(family: Family) -> None:
    most = validate.most_disjoint(family)
    assert packings(family, most)
    assert not packings(family, most + 1)


@given(quorums, quorums)
def test_write_read(writes: Family, reads: Family) -> None:
    meet = all(write & read for write in writes for read in reads)
    assert (validate.write_read(writes, reads) is None) == meet


@given(st.lists(quorums, min_size=1, max_size=3))
def test_cross_group(families: list[Family]) -> None:
    meet = all(q & r for one, other in combinations(families, 2) for q in one for r in other)
    assert (validate.cross_group(families) is None) == meet
    within = all(q & r for family in families for q, r in combinations(family, 2))
    by_set = {frozenset({i}): family for i, family in enumerate(families)}
    assert (validate.group_sets(by_set) is None) == (meet and within)


@settings(deadline=None)
@given(quorums)
def test_a_coterie_is_dominated_where_a_transversal_has_no_quorum(family: Family) -> None:
    coterie = minimal([tuple(sorted(quorum)) for quorum in family])
    if validate.intersection(coterie) is not None:
        return
    subsets = [{*s} for size in range(N + 1) for s in combinations(range(N), size)]
    could_be_added = [
        s
        for s in subsets
        if all(s & {*quorum} for quorum in coterie) and not any(s >= {*q} for q in coterie)
    ]
    broken = validate.non_domination(N, coterie)
    assert (broken is None) == (not could_be_added)
    if broken is not None:
        assert {*broken[0]} in could_be_added


@given(quorums)
def test_a_listed_system_keeps_the_minimal_ones(family: Family) -> None:
    listed = Listed("given", N, family)
    assert validate.minimality([*listed.each()]) is None
    for quorum in family:
        assert any(quorum >= {*kept} for kept in listed.each())


def test_what_is_broken_is_shown() -> None:
    assert validate.intersection([(0, 1), (1, 2), (2, 3)]) == ((0, 1), (2, 3))
    assert validate.minimality([(0, 1, 2), (0, 1)]) == ((0, 1), (0, 1, 2))
    assert validate.k_intersection([(0,), (1,), (2,)], 2) == ((0,), (1,), (2,))
    assert validate.extension([(0,), (1,), (0, 1, 2)], 2) == ((0, 1, 2),)
    assert validate.write_read([(0, 1)], [(1, 2), (2, 3)]) == ((0, 1), (2, 3))
    assert validate.cross_group([[(0, 1)], [(1, 2)], [(0, 2), (0, 1, 3)]]) is None
    assert validate.non_domination(4, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)]) is not None
