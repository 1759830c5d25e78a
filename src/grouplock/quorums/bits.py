"""Counting in many scenarios at once: bit s of a number tells about scenario s.

What may live here: Boolean arithmetic on such columns of bits, and nothing about quorums.
A count is kept as binary digits, one column per digit, so adding a column is a carry chain.
"""

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_


def all_of(columns: Sequence[int]) -> int:
    return reduce(and_, columns)


def any_of(columns: Sequence[int]) -> int:
    return reduce(or_, columns, 0)


def at_least(t: int, columns: Sequence[int], weights: Sequence[int] | None = None) -> int:
    """The scenarios in which at least t columns (or a weight of t) have their bit set; t >= 1."""
    digits = [0] * max(sum(weights) if weights is not None else len(columns), t).bit_length()
    for i, column in enumerate(columns):
        weight = 1 if weights is None else weights[i]
        for place in range(weight.bit_length()):
            if weight >> place & 1:
                _add(digits, column, place)
    more = 0
    for place, digit in enumerate(digits):  # count > t-1, from the lowest digit up
        more = digit & more if (t - 1) >> place & 1 else digit | more
    return more


def _add(digits: list[int], carry: int, place: int) -> None:
    while carry:
        digits[place], carry = digits[place] ^ carry, digits[place] & carry
        place += 1
