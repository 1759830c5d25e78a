"""What the papers print, and where their conditions are not right: each test names the section."""

from __future__ import annotations

from itertools import combinations
from math import isqrt, log2

import pytest

from grouplock.quorums import Listed, QuorumError, validate
from grouplock.quorums.availability import is_dominated
from grouplock.quorums.composition import Composition, row_covers
from grouplock.quorums.load import load
from grouplock.quorums.resilience import resilience
from grouplock.quorums.rows import RowSystem
from grouplock.quorums.system import Family, Quorum
from grouplock.quorums.threshold import Threshold, k_majority, k_majority_exists
from grouplock.quorums.torus import Torus, torus, torus_exists
from grouplock.quorums.tree import Tree
from grouplock.quorums.two_levels import grid_set, rst
from tests.quorums.systems import made

# Paper 002, figure 3: the quorums of sites 1 to 13, as printed.
FIGURE_3 = {
    1: (1, 2, 3, 4),
    5: (1, 5, 6, 7),
    8: (1, 8, 9, 10),
    11: (1, 11, 12, 13),
    2: (2, 5, 8, 11),
    6: (2, 6, 9, 12),
    7: (2, 7, 10, 13),
    10: (3, 5, 10, 12),
    3: (3, 6, 8, 13),
    9: (3, 7, 9, 11),
    13: (4, 5, 9, 13),
    4: (4, 6, 10, 11),
    12: (4, 7, 8, 12),
}


def test_the_13_quorums_of_paper_002_figure_3_are_a_projective_plane() -> None:
    quorums = [tuple(v - 1 for v in FIGURE_3[site]) for site in range(1, 14)]
    assert all(site - 1 in quorum for site, quorum in enumerate(quorums, 1))
    assert all(len({*one} & {*other}) == 1 for one, other in combinations(quorums, 2))
    assert validate.intersection(quorums) is None
    assert validate.minimality(quorums) is None
    printed, ours = Listed("figure 3", 13, quorums), made("plane", 13)
    assert printed.sizes() == ours.sizes() == (4, 4)
    assert load(printed).value == pytest.approx(4 / 13)
    assert resilience(printed, 4 / 13).value == resilience(ours, 4 / 13).value == 3
    assert is_dominated(printed) is is_dominated(ours) is True  # order 3; order 2 is not


def test_the_sizes_that_paper_002_section_1_2_prints() -> None:
    # Tree: log N at best, (N+1)/2 at worst.
    for height in range(1, 7):
        n = 2 ** (height + 1) - 1
        assert made("tree", n).sizes() == (height + 1, (n + 1) // 2)
    # Hierarchical: N^0.63, that is 2^d for N = 3^d.
    for depth in range(1, 6):
        assert made("hierarchical", 3**depth).sizes() == (2**depth, 2**depth)


def test_paper_002_section_1_2_grid_set_size_takes_the_number_of_groups_for_n() -> None:
    # Printed: (N+1)/2 * sqrt(G), G the size of a group. With N sites it exceeds N from G = 4 on;
    # and a grid of G sites has quorums of 2*sqrt(G)-1, not sqrt(G).
    for groups, size in ((3, 4), (3, 9), (5, 4), (5, 16)):
        n = groups * size
        ours = grid_set(n, groups)
        quorum = (groups // 2 + 1) * (2 * isqrt(size) - 1)
        assert ours.sizes() == (quorum, quorum)
        assert (n + 1) / 2 * isqrt(size) > n > quorum


def test_paper_002_section_1_2_rst_size_takes_a_grid_for_a_plane() -> None:
    # Printed: (G+1)/2 * sqrt(N/G). That many groups are a line of a plane; a grid needs 2*sqrt-1.
    for groups, size in ((4, 3), (9, 3), (9, 5), (16, 3)):
        ours = rst(groups * size, groups)
        quorum = (2 * isqrt(groups) - 1) * (size // 2 + 1)
        assert ours.sizes() == (quorum, quorum)
        assert quorum > (size + 1) / 2 * isqrt(groups)


def test_paper_002_section_1_2_log_n_paths_through_the_root_load_the_root_in_full() -> None:
    tree = Tree(15)
    paths = [(0, (v - 3) // 4, (v - 1) // 2, v) for v in range(7, 15)]
    assert all(path in {*tree.each()} for path in paths)
    assert load(Listed("paths", 15, paths)).value == 1
    assert tree.load() == pytest.approx(2 / 5)


# Paper 003, section 2: k-write-read coteries over a torus.

WRITES_003 = "123 124 567 568 178 278 345 346"
READS_003 = "1357 1358 1367 1368 1457 1458 1467 1468 2357 2358 2367 2368 2457 2458 2467 2468"


def printed(text: str) -> list[Quorum]:
    return [tuple(int(digit) - 1 for digit in quorum) for quorum in text.split()]


def test_paper_003_section_2_example_is_the_torus_of_4_rows() -> None:
    writes, reads = printed(WRITES_003), printed(READS_003)
    assert validate.k_intersection(writes, 2) is None
    assert validate.extension(writes, 2) is None
    assert validate.write_read(writes, reads) is None
    assert validate.minimality(writes) is None
    assert validate.minimality(reads) is None
    ours = torus(8, 2, rows=4)
    assert {*ours.each()} == {tuple(sorted(quorum)) for quorum in writes}
    assert ours.reads is not None
    assert {*ours.reads.each()} == {*reads}


def unchecked_torus(rows: int, columns: int, k: int) -> list[Quorum]:
    """As paper 003 builds it, whether or not it is a k-coterie."""
    return [*Torus(rows, columns, k).each()]


@pytest.mark.parametrize("k", range(1, 6))
@pytest.mark.parametrize("columns", [1, 2])
def test_paper_003_section_2_restriction_is_not_enough_for_non_intersection(
    k: int, columns: int
) -> None:
    """Printed: floor(r/(k+1)) < floor(r/k). That is necessary, and gives at most k and some k
    disjoint quorums, but not that fewer always extend; `torus_exists` is exact."""
    for rows in range(1, 13 if columns == 1 else 10):
        quorums = unchecked_torus(rows, columns, k)
        holds = (
            validate.k_intersection(quorums, k) is None and validate.extension(quorums, k) is None
        )
        assert holds == torus_exists(rows, k), (rows, columns, k)
        if holds:
            assert rows // (k + 1) < rows // k or k == 1, (rows, columns, k)


@pytest.mark.parametrize(
    ("rows", "k", "stuck"),
    [
        (3, 2, ((0, 1, 2),)),
        (8, 3, ((0, 1, 2, 4), (6, 7, 8, 10))),
    ],
)
def test_paper_003_section_2_counterexamples(rows: int, k: int, stuck: tuple[Quorum, ...]) -> None:
    quorums = unchecked_torus(rows, 2, k)
    assert all(quorum in quorums for quorum in stuck)
    assert len(stuck) < k
    used = {v for quorum in stuck for v in quorum}
    assert not any(used.isdisjoint(quorum) for quorum in quorums)
    assert validate.extension(quorums, k) is not None
    with pytest.raises(QuorumError, match=f"torus of {rows} rows"):
        torus(2 * rows, k, rows)


def test_paper_003_theorem_2_fails_for_every_torus_of_more_rows_than_k_from_k_4_on() -> None:
    for k in range(4, 9):
        assert [rows for rows in range(1, 12 * k) if torus_exists(rows, k)] == [k]
        printed_says = [r for r in range(1, 12 * k) if r // (k + 1) < r // k]
        assert len(printed_says) > 1


def test_paper_003_section_2_which_tori_there_are() -> None:
    rows = range(1, 60)
    assert [r for r in rows if torus_exists(r, 1)] == [*rows]
    assert [r for r in rows if torus_exists(r, 2)] == [r for r in rows if r == 2 or r >= 4]
    assert [r for r in rows if torus_exists(r, 3)] == [r for r in rows if r % 4 == 3]


def test_the_printed_smallest_quorum_of_cwlog_is_asymptotic() -> None:
    # Peleg, Wool 1997: lg n - lg lg n, rounded down. The formula of the rows is exact.
    for n in (8, 100, 10_000):
        assert made("cwlog", n).sizes()[0] > int(log2(n) - log2(log2(n)))
    assert made("cwlog", 8).sizes() == (3, 4)
    assert int(log2(8) - log2(log2(8))) == 1


def test_paper_003_row_covers_are_not_all_minimal_transversals() -> None:
    writes, reads = printed(WRITES_003), printed(READS_003)
    transversals = [
        chosen
        for chosen in combinations(range(8), 4)
        if all({*chosen} & {*write} for write in writes)
    ]
    assert {*reads} < {*transversals}


def test_k_majority_needs_room_for_k_quorums() -> None:
    """The literature asks for quorums of floor(n/(k+1))+1 alone."""
    missing: dict[int, list[int]] = {k: [] for k in range(1, 5)}
    for k in missing:
        for n in range(k, 10):
            quorums = [*Threshold("k-majority", n, n // (k + 1) + 1, family=Family.PART).each()]
            assert validate.k_intersection(quorums, k) is None
            exists = validate.extension(quorums, k) is None
            assert exists == k_majority_exists(n, k), (n, k)
            if not exists:
                missing[k].append(n)
                with pytest.raises(QuorumError, match="k-blocks"):
                    k_majority(n, k)
    assert missing == {1: [], 2: [3], 3: [4, 5, 8], 4: [5, 6, 7]}


def test_a_wall_with_a_lonely_row_inside_is_not_minimal() -> None:
    widths = [1, 3, 1, 2]
    needs = [range(i + 1, 4) for i in range(4)]
    wall = RowSystem("unchecked", widths, needs)
    assert validate.minimality([*wall.each()]) is not None
    kept = Listed("minimal", 7, wall.each())
    assert (kept.count(), kept.sizes()) == (3, (2, 2))
    with pytest.raises(QuorumError, match="row 3 of 1,3,1,2 has one node"):
        made("wall", 7, widths=widths)


def test_a_cross_of_a_lonely_node_makes_others_superfluous() -> None:
    # Maekawa 1985, section 6, with a short last row of one node: 7 nodes in rows of 3.
    crosses = [
        tuple(sorted({*range(3 * (v // 3), min(7, 3 * (v // 3) + 3)), *range(v % 3, 7, 3)}))
        for v in range(7)
    ]
    assert validate.intersection(crosses) is None
    assert validate.minimality(crosses) is not None
    assert validate.minimality([*made("grid", 7).each()]) is None


def test_a_tree_with_an_only_child_leaves_its_parent_out() -> None:
    # {v} + q contains q, so with an even number of nodes one of them is in no minimal quorum.
    for n in (6, 12):
        assert load(made("tree", n)).value == load(made("tree", n - 1)).value
        assert {v for quorum in made("tree", n).each() for v in quorum} == {*range(n)} - {
            (n - 2) // 2
        }


def test_grid_set_and_rst_of_12_nodes() -> None:
    # The same size and load, the other way round, and RST is available more often.
    both = (grid_set(12, 3), rst(12, 4))
    for system in both:
        assert isinstance(system, Composition)
        assert system.sizes() == (6, 6)
        assert load(system).value == pytest.approx(0.5)


def test_row_covers_meet_rows() -> None:
    covers = row_covers("covers", [2, 3], family=Family.PART)
    assert validate.write_read([(0, 1), (2, 3, 4)], [*covers.each()]) is None
