"""Counting in many scenarios at once: bit s of a number tells about scenario s.

What may live here: Boolean arithmetic on such columns of bits, and nothing about quorums.
A count is kept as binary digits, one column per digit, so adding a column is a carry chain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from operator import and_, or_

Toss = Callable[[int], int]  # so many fair bits, as a number

PLACES = 16  # binary places to which a probability is rounded


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


def truth_table(n: int) -> list[int]:
    """The n columns of all 2^n scenarios: bit s of column v is bit v of s."""
    columns = []
    for v in range(n):
        column, width = ((1 << (1 << v)) - 1) << (1 << v), 2 << v
        while width < 1 << n:
            column |= column << width
            width *= 2
        columns.append(column)
    return columns


def coins(n: int, probabilities: Sequence[float], scenarios: int, toss: Toss) -> list[list[int]]:
    """For each probability n columns of independent bits that are set with it. The columns of
    different probabilities come from the same tosses: what is set with less is set with more."""
    limits = [round(p * (1 << PLACES)) for p in probabilities]
    certain = (1 << scenarios) - 1
    columns: list[list[int]] = [[] for _ in limits]
    for _ in range(n):
        tosses = [toss(scenarios) for _ in range(PLACES)]
        for limit, of_limit in zip(limits, columns, strict=True):
            column = 0  # where the binary fraction that was tossed is below the limit's
            for place, tossed in enumerate(tosses):  # from the last place up
                column = column | ~tossed if limit >> place & 1 else column & ~tossed
            of_limit.append(certain if limit >> PLACES else column & certain)
    return columns
