"""Weights: exact fractions that are given out, and are all back when they add up to one.

Whoever still has a weight of 1/m gives each of k others 1/(m(m+k)) and keeps 1/(m+k).  So numbers
stay small however often it gives; halving doubles the denominator each time.
"""

from __future__ import annotations

from math import gcd
from typing import Final

Weight = tuple[int, int]  # a fraction in lowest terms

NOTHING: Final[Weight] = (0, 1)
WHOLE: Final[Weight] = (1, 1)


def plus(one: Weight, other: Weight) -> Weight:
    above = one[0] * other[1] + other[0] * one[1]
    below = one[1] * other[1]
    common = gcd(above, below)
    return above // common, below // common


def share(parts: int, others: int) -> Weight:
    """What each of so many others gets from who has 1/parts, and has 1/(parts + others) then."""
    return 1, parts * (parts + others)
