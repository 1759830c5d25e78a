"""The search that made the table in `covers.py`: smallest cyclic difference covers of Z_n.

What may live here: the search and its command, nothing that runs when the library is used.
    python -m grouplock.quorums.cover_search 60        prints the table again
A set D covers Z_n when every residue is a difference of two of its members; then any two
shifts D+i and D+j meet. Some two members differ by 1, so 0 and 1 may be taken as members, and
the rest is chosen in increasing order. A branch dies when even with no repeated difference the
members still to come cannot cover what is missing.
"""

from __future__ import annotations

import sys
from math import isqrt


def lower_bound(n: int) -> int:
    """The smallest s with s(s-1)+1 >= n: s members have at most s(s-1) non-zero differences."""
    s = (1 + isqrt(max(0, 4 * n - 3))) // 2
    return s if s * (s - 1) + 1 >= n else s + 1


def search(n: int, size: int) -> tuple[int, ...] | None:
    """The first cover of Z_n with `size` members in lexicographic order; None: there is none."""
    if n <= 2:
        return tuple(range(n)) if size >= n else None
    full = (1 << n) - 1
    room = [size * (size - 1) - m * (m - 1) for m in range(size + 1)]

    def extend(
        chosen: tuple[int, ...], members: int, mirror: int, covered: int
    ) -> tuple[int, ...] | None:
        # `members` has bit d for each member d, `mirror` has bit -d: a turn by x gives x-d and d-x.
        if covered == full:
            return chosen
        m = len(chosen)
        if m == size or n - covered.bit_count() > room[m]:
            return None
        for x in range(chosen[-1] + 1, n - (size - m - 1)):
            ahead = (mirror << x | mirror >> (n - x)) & full
            behind = (members << (n - x) | members >> x) & full
            seen = covered | ahead | behind
            if n - seen.bit_count() > room[m + 1]:
                continue
            found = extend((*chosen, x), members | 1 << x, mirror | 1 << (n - x), seen)
            if found is not None:
                return found
        return None

    return extend((0, 1), 0b11, 1 | 1 << (n - 1), 0b11 | 1 << (n - 1))


def smallest_cover(n: int) -> tuple[int, ...]:
    """A cover of Z_n with as few members as there can be: every smaller size was ruled out."""
    size = lower_bound(n)
    while (found := search(n, size)) is None:
        size += 1
    return found


if __name__ == "__main__":
    for modulus in range(1, int(sys.argv[1]) + 1):
        print(f"    {modulus}: {smallest_cover(modulus)},", flush=True)
