"""Difference covers of Z_n for every n: sets D such that every residue is a difference in D.

What may live here: the table of smallest covers, and a formula beyond it. The table was made,
with every smaller size ruled out, by
    python -m grouplock.quorums.cover_search 60
Beyond it: B. Wichmann, "A note on restricted difference bases" (1963), used for quorums by
C. J. Colbourn and A. C. H. Ling (2000). A ruler with gaps 1^r, r+1, (2r+1)^r, (4r+3)^s,
(2r+2)^(r+1), 1^r measures every length up to its own, L; modulo n that covers everything as soon
as 2L+1 >= n. It has about sqrt(1.5 n) marks (122 at n = 10,000), against a bound of sqrt(n).
"""

from __future__ import annotations

from itertools import accumulate

TABLED = 60


def cover(n: int) -> tuple[int, ...]:
    return SMALLEST[n] if n <= TABLED else tuple(sorted({mark % n for mark in _ruler(n)}))


def _ruler(n: int) -> list[int]:
    """The marks of the shortest of these rulers that covers Z_n with the fewest marks."""
    best: tuple[int, int, int, int] | None = None
    r = 0
    while best is None or 4 * r + 3 < best[0]:
        s = 0
        while 2 * _length(r, s) + 1 < n:
            s += 1
        marks = 4 * r + s + 3
        best = min(best or (marks, 0, r, s), (marks, _length(r, s), r, s))
        r += 1
    _, _, r, s = best
    gaps = [1] * r + [r + 1] + [2 * r + 1] * r + [4 * r + 3] * s + [2 * r + 2] * (r + 1) + [1] * r
    return [*accumulate(gaps, initial=0)]


def _length(r: int, s: int) -> int:
    return 4 * r * (r + s + 2) + 3 * (s + 1)


SMALLEST = {
    1: (0,),
    2: (0, 1),
    3: (0, 1),
    4: (0, 1, 2),
    5: (0, 1, 2),
    6: (0, 1, 3),
    7: (0, 1, 3),
    8: (0, 1, 2, 4),
    9: (0, 1, 2, 4),
    10: (0, 1, 2, 5),
    11: (0, 1, 2, 5),
    12: (0, 1, 3, 7),
    13: (0, 1, 3, 9),
    14: (0, 1, 2, 3, 7),
    15: (0, 1, 2, 3, 7),
    16: (0, 1, 2, 5, 8),
    17: (0, 1, 2, 4, 12),
    18: (0, 1, 2, 5, 11),
    19: (0, 1, 2, 6, 9),
    20: (0, 1, 2, 3, 6, 10),
    21: (0, 1, 4, 14, 16),
    22: (0, 1, 2, 3, 7, 11),
    23: (0, 1, 2, 3, 7, 11),
    24: (0, 1, 2, 3, 7, 15),
    25: (0, 1, 2, 3, 8, 12),
    26: (0, 1, 2, 5, 9, 15),
    27: (0, 1, 2, 5, 13, 22),
    28: (0, 1, 4, 15, 20, 22),
    29: (0, 1, 2, 3, 4, 9, 14),
    30: (0, 1, 2, 3, 4, 9, 19),
    31: (0, 1, 3, 8, 12, 18),
    32: (0, 1, 2, 3, 7, 11, 19),
    33: (0, 1, 2, 3, 6, 16, 27),
    34: (0, 1, 2, 3, 7, 12, 20),
    35: (0, 1, 2, 3, 8, 12, 21),
    36: (0, 1, 2, 5, 12, 14, 20),
    37: (0, 1, 2, 4, 10, 15, 22),
    38: (0, 1, 2, 3, 4, 8, 14, 23),
    39: (0, 1, 2, 4, 13, 18, 33),
    40: (0, 1, 2, 3, 4, 9, 14, 24),
    41: (0, 1, 2, 3, 4, 9, 15, 25),
    42: (0, 1, 2, 3, 4, 9, 15, 25),
    43: (0, 1, 2, 3, 4, 10, 15, 26),
    44: (0, 1, 2, 3, 6, 16, 27, 38),
    45: (0, 1, 2, 3, 5, 12, 18, 26),
    46: (0, 1, 2, 3, 6, 18, 25, 38),
    47: (0, 1, 2, 3, 5, 16, 22, 40),
    48: (0, 1, 2, 5, 9, 20, 26, 36),
    49: (0, 1, 2, 5, 24, 33, 36, 44),
    50: (0, 1, 3, 8, 17, 28, 32, 38),
    51: (0, 1, 2, 5, 11, 18, 30, 38),
    52: (0, 1, 2, 3, 4, 6, 14, 21, 30),
    53: (0, 1, 2, 3, 4, 7, 21, 29, 44),
    54: (0, 1, 2, 3, 4, 9, 15, 21, 31),
    55: (0, 1, 2, 3, 4, 6, 19, 26, 47),
    56: (0, 1, 2, 3, 4, 11, 16, 33, 39),
    57: (0, 1, 3, 13, 32, 36, 43, 52),
    58: (0, 1, 2, 3, 7, 21, 33, 37, 50),
    59: (0, 1, 2, 3, 6, 13, 21, 35, 44),
    60: (0, 1, 2, 4, 9, 15, 25, 30, 42),
}
