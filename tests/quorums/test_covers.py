"""Difference covers and planes: every n, as small as claimed."""

from __future__ import annotations

from itertools import combinations

import pytest

from grouplock.quorums import QuorumError
from grouplock.quorums.cover_search import lower_bound, search
from grouplock.quorums.covers import SMALLEST, TABLED, cover
from grouplock.quorums.cyclic import cyclic, plane
from grouplock.quorums.singer import difference_set, plane_order, prime_power


def covers(members: tuple[int, ...], n: int) -> bool:
    return len({(a - b) % n for a in members for b in members}) == n


def test_every_table_entry_is_a_cover_within_one_of_the_bound() -> None:
    above = []
    for n in range(1, TABLED + 1):
        assert covers(SMALLEST[n], n), n
        assert SMALLEST[n][0] == 0
        assert len(SMALLEST[n]) <= lower_bound(n) + 1, n
        if len(SMALLEST[n]) > lower_bound(n):
            above.append(n)
    assert [n for n in above if n <= 44] == [20, 29, 30, 38, 40, 41, 42, 43]


def test_what_is_above_the_bound_has_no_smaller_cover() -> None:
    for n in (20, 29, 30, 38):
        assert search(n, lower_bound(n)) is None


def test_the_search_finds_the_table_again() -> None:
    for n in range(1, 32):
        assert search(n, len(SMALLEST[n])) == SMALLEST[n]


def test_the_bound_counts_differences() -> None:
    for n in range(1, 200):
        s = lower_bound(n)
        assert s * (s - 1) + 1 >= n > (s - 1) * (s - 2) + 1 or n == s == 1


def test_every_n_beyond_the_table_has_a_cover() -> None:
    sizes = []
    for n in [*range(TABLED + 1, 700), *range(1000, 10_001, 211), 10_000]:
        members = cover(n)
        assert members[0] == 0
        assert covers(members, n), n
        sizes.append(len(members) / n**0.5)
    assert max(sizes) < 1.5
    assert len(cover(10_000)) == 122


@pytest.mark.parametrize("q", [2, 3, 4, 5, 7, 8, 9, 11, 13, 16])
def test_lines_of_a_plane_of_prime_or_prime_power_order(q: int) -> None:
    n = q * q + q + 1
    system = plane(n)
    assert system.sizes() == (q + 1, q + 1)
    assert system.count() == n
    differences = sorted((a - b) % n for a in system.base for b in system.base if a != b)
    assert differences == [*range(1, n)]
    lines = [{*line} for line in system.each()]
    if q <= 9:
        assert all(len(one & other) == 1 for one, other in combinations(lines, 2))
    assert system.resilience() == q
    assert cyclic(n).sizes() == (q + 1, q + 1)


def test_where_there_is_no_plane() -> None:
    # Order 6: Tarry. Bruck and Ryser exclude 14, 21, 22. Order 10 fell to a computer, 12 is open.
    for q in (6, 10, 12, 14, 21, 22):
        assert plane_order(q * q + q + 1) is None
    with pytest.raises(QuorumError, match="take n=31 or n=57, or cyclic for any n"):
        plane(43)
    with pytest.raises(QuorumError, match="take n=7"):
        plane(1)


def test_prime_powers() -> None:
    assert [q for q in range(2, 33) if prime_power(q)] == [
        *(2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19, 23, 25, 27, 29, 31, 32)
    ]
    assert len(difference_set(25)) == 26


def test_a_cover_that_repeats_has_fewer_shifts() -> None:
    # Of two nodes the cover is both: one quorum, listed once.
    assert [*cyclic(2).each()] == [(0, 1)]
