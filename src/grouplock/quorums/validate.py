"""The properties that quorums promise, each as a function that looks for what breaks it.

What may live here: definitions, over plain lists of quorums and whatever built them. Every function
returns the quorums that break the property, and None where it holds. They try everything, so they
are for families that can be listed; that is also their worth.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

Broken = tuple[tuple[int, ...], ...]
Given = Sequence[Collection[int]]


def intersection(quorums: Given) -> Broken | None:
    """Every two quorums meet."""
    return _apart(combinations(_masks(quorums), 2))


def minimality(quorums: Given) -> Broken | None:
    """No quorum contains another one."""
    masks = sorted({*_masks(quorums)}, key=int.bit_count)
    for i, small in enumerate(masks):
        for large in masks[i + 1 :]:
            if small & ~large == 0:
                return _shown(small, large)
    return None


def k_intersection(quorums: Given, k: int) -> Broken | None:
    """At most k quorums are pairwise disjoint."""
    return next(
        (_shown(*chosen) for chosen, _ in _packings(quorums, k + 1) if len(chosen) > k), None
    )


def extension(quorums: Given, k: int) -> Broken | None:
    """Fewer than k pairwise disjoint quorums always leave room for one more (with which at least
    k are disjoint). Paper 003 calls it the non-intersection property."""
    for chosen, free in _packings(quorums, k - 1):
        if not free:
            return _shown(*chosen)
    return None


def write_read(writes: Given, reads: Given) -> Broken | None:
    """Every write quorum meets every read quorum."""
    return _apart(product(_masks(writes), _masks(reads)))


def cross_group(families: Sequence[Given]) -> Broken | None:
    """Quorums of different groups meet (a group quorum system)."""
    for one, other in combinations(families, 2):
        if (broken := write_read(one, other)) is not None:
            return broken
    return None


def group_sets(families: Mapping[frozenset[int], Given]) -> Broken | None:
    """Any two quorums meet, of whatever sets of groups: paper 001, section 4.1, theorem 1. The
    families stand under their sets of groups."""
    return intersection([quorum for family in families.values() for quorum in family])


def non_domination(n: int, quorums: Given) -> Broken | None:
    """Of every set of nodes, it or the rest contains a quorum. What breaks it is a set that could
    be a quorum more, and would leave the coterie as safe as before."""
    masks = _masks(quorums)
    everybody = (1 << n) - 1
    for one in range(1 << max(0, n - 1)):
        other = everybody & ~one
        if not any(mask & ~one == 0 or mask & ~other == 0 for mask in masks):
            return _shown(other)
    return None


def one_more(n: int, quorums: Given, k: int) -> Iterator[tuple[int, ...]]:
    """The sets of nodes that contain no quorum, and with which still at most k are disjoint:
    those that meet every k disjoint quorums. A k-coterie without any is not dominated; one that
    keeps its extension property with such a set (in place of the quorums around it) is."""
    masks = _masks(quorums)
    full = [chosen for chosen, _ in _packings(quorums, k) if len(chosen) == k]
    taken = [sum(chosen) for chosen in full]  # disjoint, so the sum is their union
    for some in range(1, 1 << n):
        if all([some & used for used in taken]) and all([mask & ~some for mask in masks]):
            yield _shown(some)[0]


def most_disjoint(quorums: Given) -> int:
    """The degree: how many quorums can be pairwise disjoint."""
    return max(len(chosen) for chosen, _ in _packings(quorums, len(quorums)))


def _packings(quorums: Given, most: int) -> Iterator[tuple[list[int], list[int]]]:
    """Each set of up to `most` pairwise disjoint quorums, with the quorums disjoint from all of
    it; of sets with as many members that cover the same nodes, one."""
    level: dict[int, tuple[list[int], list[int]]] = {0: ([], [*dict.fromkeys(_masks(quorums))])}
    for size in range(most + 1):
        above: dict[int, tuple[list[int], list[int]]] = {}
        for used, (chosen, free) in level.items():
            yield chosen, free
            for mask in free if size < most else ():
                if used | mask not in above:
                    left = [other for other in free if not other & mask]
                    above[used | mask] = ([*chosen, mask], left)
        if not above:
            return
        level = above


def _apart(pairs: Iterable[tuple[int, int]]) -> Broken | None:
    return next((_shown(one, other) for one, other in pairs if not one & other), None)


def _masks(quorums: Given) -> list[int]:
    return [sum(1 << v for v in quorum) for quorum in quorums]


def _shown(*masks: int) -> Broken:
    return tuple(tuple([v for v in range(mask.bit_length()) if mask >> v & 1]) for mask in masks)
