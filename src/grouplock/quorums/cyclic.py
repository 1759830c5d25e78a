"""Cyclic coteries: the n shifts of one set whose differences are all of Z_n.

What may live here: systems made of the shifts of a base set, whatever made the base set.
W.-S. Luk and T.-T. Wong, "Two new quorum based algorithms for distributed mutual exclusion"
(1997). The base set has 0, so every node is in its own quorum, and each node is in as many
quorums as the set has members: the load is |D|/n exactly. For n = q^2+q+1 and q a prime power
the shifts are the lines of a projective plane (Maekawa 1985): size q+1, the least there can be.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from grouplock.quorums.bits import all_of, any_of
from grouplock.quorums.covers import cover
from grouplock.quorums.singer import difference_set, plane_order
from grouplock.quorums.system import (
    Quorum,
    QuorumError,
    QuorumSystem,
    at_least_one_node,
    nearest,
)


class Cyclic(QuorumSystem):
    def __init__(self, kind: str, n: int, base: Sequence[int]) -> None:
        super().__init__(kind, n)
        self.base = tuple(base)
        members = {*base}
        self.shifts = next(  # a base set that repeats within n has fewer different shifts
            s for s in range(1, n + 1) if n % s == 0 and all((d + s) % n in members for d in base)
        )

    def shift(self, i: int) -> Quorum:
        return tuple(sorted((d + i) % self.n for d in self.base))

    def preferred(self, node: int, turn: int) -> Quorum:
        return self.shift(node + turn)

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        first = (node + turn) % self.n
        twice = [*cost, *cost]
        least, best = inf, -1
        for i in range(first, first + self.shifts):
            at = i % self.n
            price = sum([twice[d + at] for d in self.base])
            if price < least:
                least, best = price, i
        return None if best < 0 else self.shift(best)

    def survivors(self, alive: Sequence[int]) -> int:
        twice = [*alive, *alive]
        return any_of([all_of([twice[d + i] for d in self.base]) for i in range(self.shifts)])

    def each(self) -> Iterator[Quorum]:
        return (self.shift(i) for i in range(self.shifts))

    def count(self) -> int:
        return self.shifts

    def sizes(self) -> tuple[int, int]:
        return len(self.base), len(self.base)

    def load(self) -> float:
        return len(self.base) / self.n

    def resilience(self) -> int | None:
        # A line is a smallest set that meets every line of a plane.
        perfect = len(self.base) * (len(self.base) - 1) + 1 == self.n
        return len(self.base) - 1 if perfect else None


def cyclic(n: int) -> Cyclic:
    q = plane_order(at_least_one_node(n))
    return Cyclic("cyclic", n, cover(n) if q is None else difference_set(q))


def plane(n: int) -> Cyclic:
    q = plane_order(at_least_one_node(n))
    if q is None:
        near = nearest(n, lambda m: plane_order(m) is not None)
        raise QuorumError(
            f"no projective plane for n={n}: it exists for n = q^2+q+1 with q a prime power; "
            f"take {near}, or cyclic for any n"
        )
    return Cyclic("plane", n, difference_set(q))
