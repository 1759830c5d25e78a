"""Stamps are a total order; vectors survive a round trip and a copy is another one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from grouplock.parts.stamps import precedes
from grouplock.parts.vectors import copy, freeze, thaw, zeros

stamps = st.tuples(st.integers(0, 3), st.integers(0, 3))
cells = st.lists(st.integers(0, (1 << 31) - 1)).map(tuple)


@given(stamps, stamps)
def test_of_two_requests_exactly_one_is_older(a: tuple[int, int], b: tuple[int, int]) -> None:
    assert precedes(*a, *b) == (a < b)


@given(cells)
def test_a_vector_freezes_to_what_it_was_thawed_from(values: tuple[int, ...]) -> None:
    assert freeze(thaw(values)) == values


@given(cells.filter(bool))
def test_a_copy_is_another_vector(values: tuple[int, ...]) -> None:
    first = thaw(values)
    second = copy(first)
    second[0] = 0
    assert freeze(first) == values
    assert freeze(second) == (0, *values[1:])


def test_zeros() -> None:
    assert freeze(zeros(3)) == (0, 0, 0)
    assert freeze(zeros(0)) == ()
