"""Counting in many scenarios at once: bit s of a number tells about scenario s.

What may live here: Boolean arithmetic on such columns of bits, and nothing about quorums.
A count is kept as binary digits, one column per digit, so adding a column is a carry chain.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_, or_
from random import Random

PLACES = 24  # binary places to which a probability is rounded


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


def coins(n: int, probability: float, scenarios: int, chance: Random) -> list[int]:
    """n columns of independent bits, each set with this probability."""
    fraction = round(probability * (1 << PLACES))
    if fraction >> PLACES:
        return [(1 << scenarios) - 1] * n
    places = [fraction >> place & 1 for place in range(PLACES)]
    needed = places[places.index(1) :] if fraction else []  # trailing zeros change nothing
    columns = []
    for _ in range(n):
        column = 0  # compares a random binary fraction with this one, from the last place up
        for one in needed:
            toss = chance.getrandbits(scenarios)
            column = column | toss if one else column & toss
        columns.append(column)
    return columns
