"""Loads, resiliences and availabilities that are known, and how each figure says it was found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouplock.quorums import Family, Listed, QuorumError, QuorumSystem, validate
from grouplock.quorums.availability import SCENARIOS, alive_profile, availability, is_dominated
from grouplock.quorums.bits import at_least, coins, truth_table
from grouplock.quorums.load import FORMULA, PROGRAMME, load, lower_bound
from grouplock.quorums.report import CHECKED, PROVED, report
from grouplock.quorums.resilience import AT_LEAST, AT_LEAST_SEARCHED, SEARCH, resilience
from grouplock.quorums.system import membership
from tests.quorums.systems import ORDINARY, every, label, made, tosses


def failure(kind: str, n: int, down: float, **arguments: object) -> float:
    return 1 - availability(made(kind, n, **arguments), [down], tosses()).value[down]


@pytest.mark.parametrize(
    ("kind", "n", "expected"),
    [
        ("tree", 3, 2 / 3),
        ("tree", 7, 1 / 2),
        ("tree", 15, 2 / 5),
        ("hierarchical", 9, 4 / 9),
        ("triangle", 3, 2 / 3),
        ("triangle", 6, 2 / 4),
        ("triangle", 10, 2 / 5),
        ("triangle", 15, 2 / 6),
        ("plane", 7, 3 / 7),
        ("cyclic", 31, 6 / 31),
        ("grid", 16, 7 / 16),
        ("grid-cover", 16, 7 / 16),
        ("rw-grid", 16, 1 / 4),
    ],
)
def test_known_loads(kind: str, n: int, expected: float) -> None:
    assert load(made(kind, n)).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("widths", "expected"),
    [((1, 2, 2, 3), 0.4615), ((1, 2, 2, 3, 3), 0.4091), ((1, 2, 2, 3, 3, 3), 0.3803)],
)
def test_known_loads_of_cwlog(widths: Sequence[int], expected: float) -> None:
    assert load(made("wall", sum(widths), widths=widths)).value == pytest.approx(expected, abs=5e-5)


def test_known_loads_of_votes() -> None:
    assert load(made("weighted", 5, weights=(3, 1, 1, 1, 1))).value == pytest.approx(4 / 7)
    assert is_dominated(made("weighted", 5, weights=(3, 1, 1, 1, 1))) is False
    assert is_dominated(made("weighted", 5, weights=(2, 1, 1, 1, 1))) is True


def test_known_availabilities() -> None:
    assert failure("grid", 9, 0.1) == pytest.approx(0.0333, abs=5e-5)
    assert failure("grid-cover", 9, 0.1) == pytest.approx(0.0227, abs=5e-5)
    assert failure("grid-set", 12, 0.1, parts=3) == pytest.approx(0.0079, abs=5e-5)
    assert failure("rst", 12, 0.1, parts=4) == pytest.approx(0.0045, abs=5e-5)


def test_availability_is_the_sum_over_all_scenarios() -> None:
    for kind in ORDINARY:
        for system in every(kind, 6):
            quorums = [{*quorum} for quorum in system.each()]
            expected = 0.0
            for up in product([True, False], repeat=system.n):
                alive = {v for v in range(system.n) if up[v]}
                if any(quorum <= alive for quorum in quorums):
                    expected += 0.7 ** len(alive) * 0.3 ** (system.n - len(alive))
            found = availability(system, [0.3], tosses())
            assert found.exact
            assert found.value[0.3] == pytest.approx(expected), label(system)


@pytest.mark.parametrize("kind", ["majority", "cyclic", "tree", "cwlog", "hierarchical"])
def test_a_sample_is_near_the_exact_value_and_says_how_near(kind: str) -> None:
    system = made(kind, 20)
    exact = availability(system, [0.1, 0.3], tosses())
    assert (exact.how, exact.margin(0.3)) == ("exact", 0.0)
    # The same system, too large by one node that nobody asks for.
    wide = Widened(system)
    sampled = availability(wide, [0.1, 0.3], tosses())
    assert sampled.how == f"sampled, {SCENARIOS} scenarios"
    for p in (0.1, 0.3):
        assert abs(sampled.value[p] - exact.value[p]) <= 2 * sampled.margin(p)
    assert sampled.value[0.1] >= sampled.value[0.3]


class Widened:
    def __init__(self, system: QuorumSystem) -> None:
        self.system = system
        self.n = system.n + 1

    def survivors(self, alive: Sequence[int]) -> int:
        return self.system.survivors(alive[:-1])


def test_the_profile_counts_sets_of_nodes_by_size() -> None:
    assert alive_profile(made("majority", 5)) == [0, 0, 0, 10, 5, 1]
    assert alive_profile(made("read-one", 3)) == [0, 0, 0, 1]


@pytest.mark.parametrize(
    ("kind", "n", "dominated"),
    [
        ("majority", 5, False),
        ("majority", 6, True),
        ("weighted", 6, False),
        ("plane", 7, False),
        ("plane", 13, True),
        ("tree", 7, False),
        ("tree", 13, False),
        ("hierarchical", 9, False),
        ("triangle", 10, False),
        ("cwlog", 12, False),
        ("grid", 9, True),
        ("grid-cover", 9, True),
    ],
)
def test_domination(kind: str, n: int, dominated: bool) -> None:
    assert is_dominated(made(kind, n)) is dominated


def test_rows_and_covers_are_not_dominated_as_a_pair() -> None:
    # Every transversal of the rows contains a cover, and every transversal of the covers a row.
    for n in (1, 4, 7, 12):
        assert is_dominated(made("rw-grid", n)) is False
    writes = Listed("rows", 4, [(0, 1), (2, 3)], family=Family.BICOTERIE)
    writes.reads = Listed("all", 4, [(0, 1, 2), (0, 1, 3), (0, 2, 3), (1, 2, 3)])
    assert is_dominated(writes) is True


def antichains(sets: list[frozenset[int]]) -> Iterator[list[frozenset[int]]]:
    yield []
    for i, first in enumerate(sets):
        apart = [s for s in sets[i + 1 :] if not (s <= first or first <= s)]
        for more in antichains(apart):
            yield [first, *more]


@pytest.mark.parametrize("k", [1, 2, 3])
def test_domination_by_the_definition_over_all_k_coteries_of_four_nodes(k: int) -> None:
    """One k-coterie dominates another when each quorum of that contains one of its own."""
    sets = [frozenset(s) for size in range(1, 5) for s in combinations(range(4), size)]
    coteries = [
        quorums
        for quorums in antichains(sets)
        if quorums
        and validate.k_intersection(quorums, k) is None
        and validate.extension(quorums, k) is None
    ]
    answers = []
    for one in coteries:
        dominated = any(
            {*other} != {*one} and all(any(q <= quorum for q in other) for quorum in one)
            for other in coteries
        )
        found = is_dominated(Listed("any", 4, one, k, family=Family.K_COTERIE))
        assert found in (dominated, None), (one, k)
        answers.append(found)
    assert True in answers
    assert False in answers
    assert None not in answers  # with four nodes one set more is always enough


def test_domination_of_k_coteries() -> None:
    assert is_dominated(made("k-majority", 5, k=2)) is False
    assert is_dominated(made("k-blocks", 6, k=2)) is False  # two majorities of three
    assert is_dominated(made("torus", 8, k=2, rows=4)) is True
    assert is_dominated(made("k-blocks", 12, k=2)) is None  # more nodes than are tried


def test_a_wall_without_a_top_of_one_is_dominated() -> None:
    assert is_dominated(made("wall", 8, widths=(2, 3, 3))) is True
    assert is_dominated(made("wall", 9, widths=(1, 2, 3, 3))) is False


def test_no_load_is_below_the_bound_of_naor_and_wool() -> None:
    for kind in ORDINARY:
        for n in (9, 16, 30):
            for system in every(kind, n, quorums=3000):
                if system.n == n and system.k == 1 and system.kind != "rw-grid":
                    least = lower_bound(n, system.sizes()[0])
                    assert load(system).value >= least - 1e-9, label(system)


def test_a_load_says_how_it_was_found() -> None:
    assert load(made("cyclic", 30)).how == FORMULA
    assert load(made("grid", 29)).how == PROGRAMME  # a short last row
    assert load(made("rst", 190)).how == PROGRAMME  # on demand
    far = load(made("rst", 500))
    assert far.how.startswith("at most")
    assert far.value < 0.2


def test_a_resilience_says_how_it_was_found() -> None:
    assert resilience(made("cyclic", 31), 6 / 31) == (5, FORMULA)  # a plane
    assert resilience(made("cyclic", 30), 7 / 30).how == SEARCH
    far = resilience(made("cyclic", 300), load(made("cyclic", 300)).value)
    assert far.how == AT_LEAST
    assert 10 <= far.value < made("cyclic", 300).sizes()[0]


def test_a_resilience_whose_search_is_given_up_is_what_was_ruled_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = Listed("lines", 13, made("plane", 13).each())  # 3, as the formula for planes knows
    for patience, expected in (
        (0, (0, AT_LEAST)),
        (1, (1, AT_LEAST_SEARCHED)),
        (5, (3, AT_LEAST_SEARCHED)),
        (20, (3, SEARCH)),
    ):
        monkeypatch.setattr("grouplock.quorums.resilience.PATIENCE", patience)
        assert resilience(lines, 1.0) == expected
    monkeypatch.setattr("grouplock.quorums.resilience.PATIENCE", 1)
    assert resilience(lines, 4 / 13) == (3, AT_LEAST)


def test_a_report_says_what_was_tried_out() -> None:
    small, large = report(made("majority", 9), tosses()), report(made("majority", 60), tosses())
    assert small.properties == large.properties == (True, True, None, None, None, None)
    assert (small.how["properties"], large.how["properties"]) == (CHECKED, PROVED)
    assert large.quorums is None
    assert len(large.assignment or ()) == 60
    k = report(made("k-blocks", 12, k=3), tosses())
    assert k.properties == (None, True, True, True, True, None)
    assert k.reads is not None
    assert (k.degree, k.reads.size) == (3, (9, 9))


@settings(deadline=None, max_examples=150)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=8).filter(any), st.data())
def test_any_votes_that_make_a_majority(weights: list[int], data: st.DataObject) -> None:
    total = sum(weights)
    threshold = data.draw(st.integers(total // 2 + 1, total))
    system = made("weighted", len(weights), weights=weights, threshold=threshold)
    quorums = [*system.each()]
    assert len({*quorums}) == len(quorums) == system.count()
    assert {min(map(len, quorums)), max(map(len, quorums))} == {*system.sizes()}
    assert validate.intersection(quorums) is None
    assert validate.minimality(quorums) is None
    for quorum in quorums:
        assert all(weights[v] for v in quorum)
        assert sum(weights[v] for v in quorum) >= threshold
    known = system.load()
    if known is not None:
        assert known == pytest.approx(_programmed(system.n, quorums))


@settings(deadline=None, max_examples=100)
@given(st.lists(st.integers(2, 4), max_size=3), st.integers(1, 3))
def test_any_wall(below: list[int], top: int) -> None:
    system = made("wall", top + sum(below), widths=[top, *below])
    quorums = [*system.each()]
    assert validate.intersection(quorums) is None
    assert validate.minimality(quorums) is None
    assert load(system).value == pytest.approx(_programmed(system.n, quorums), abs=1e-7)
    assert is_dominated(system) == (top > 1)


def _programmed(n: int, quorums: list[tuple[int, ...]]) -> float:
    found = load(Listed("all", n, quorums))
    assert found.how == PROGRAMME
    return found.value


def test_the_tree_reaches_its_load_with_fixed_quorums() -> None:
    for n, busiest in ((3, 2), (7, 4), (15, 6)):
        tree = made("tree", n)
        assert max(membership(n, tree.assignment())) == busiest


def test_counting_columns() -> None:
    table = truth_table(5)
    for t in range(1, 6):
        enough = at_least(t, table)
        assert all((enough >> s & 1) == (s.bit_count() >= t) for s in range(32))
    heavy = at_least(4, table, [3, 1, 1, 2, 0])
    for s in range(32):
        votes = sum(w for v, w in enumerate([3, 1, 1, 2, 0]) if s >> v & 1)
        assert (heavy >> s & 1) == (votes >= 4)


def test_coins_fall_as_often_as_they_should() -> None:
    never, seldom, often, always = coins(50, [0.0, 0.01, 0.9, 1.0], 4096, tosses())
    assert {*never} == {0}
    assert {*always} == {(1 << 4096) - 1}
    assert sum(c.bit_count() for c in seldom) / (50 * 4096) == pytest.approx(0.01, abs=0.002)
    assert sum(c.bit_count() for c in often) / (50 * 4096) == pytest.approx(0.9, abs=0.005)
    assert all(few & ~many == 0 for few, many in zip(seldom, often, strict=True))


def test_votes_that_are_too_many_to_count() -> None:
    with pytest.raises(QuorumError, match="divide them all"):
        made("weighted", 3, weights=(10**6, 1, 1))
