"""Threshold systems: any t of n nodes. Majority, k-majority, "any one" and "all" are thresholds.

What may live here: the t-of-n family, and which t makes which coterie.
Majority: R. H. Thomas, "A majority consensus approach to concurrency control" (1979):
t = floor(n/2)+1, load t/n, resilience n-t, non-dominated exactly for odd n.
k-majority: t = floor(n/(k+1))+1. At most k are disjoint by counting, and k fit side by side
only if k*t <= n; the literature gives the first condition and is silent about the second.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, inf

from grouplock.quorums.bits import at_least
from grouplock.quorums.system import (
    Family,
    Quorum,
    QuorumError,
    QuorumSystem,
    at_least_one_node,
    nearest,
)


class Threshold(QuorumSystem):
    def __init__(
        self,
        kind: str,
        n: int,
        t: int,
        k: int = 1,
        *,
        family: Family = Family.COTERIE,
        reads: QuorumSystem | None = None,
    ) -> None:
        super().__init__(kind, n, k, family=family, reads=reads)
        assert 1 <= t <= n
        self.t = t

    def preferred(self, node: int, turn: int) -> Quorum:
        first = (node + turn) % self.n
        over = max(0, first + self.t - self.n)  # how many stand at the beginning again
        return (*range(over), *range(first, first + self.t - over))

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        first = (node + turn) % self.n
        order = [*range(first, self.n), *range(first)]
        chosen = sorted(order, key=cost.__getitem__)[: self.t]
        return None if cost[chosen[-1]] == inf else tuple(sorted(chosen))

    def survivors(self, alive: Sequence[int]) -> int:
        return at_least(self.t, alive)

    def each(self) -> Iterator[Quorum]:
        return combinations(range(self.n), self.t)

    def count(self) -> int:
        return comb(self.n, self.t)

    def sizes(self) -> tuple[int, int]:
        return self.t, self.t

    def load(self) -> float:
        return self.t / self.n

    def resilience(self) -> int:
        return self.n - self.t

    def degree(self) -> int:
        return self.n // self.t


def majority(n: int) -> Threshold:
    return Threshold("majority", n, at_least_one_node(n) // 2 + 1)


def any_one(kind: str, n: int) -> Threshold:
    return Threshold(kind, n, 1, family=Family.COTERIE if n == 1 else Family.PART)


def everybody(kind: str, n: int) -> Threshold:
    return Threshold(kind, n, at_least_one_node(n))


def unanimous(n: int) -> Threshold:
    """The one quorum of all nodes: everybody's permission, and the whole load on everybody."""
    return everybody("all", n)


def k_majority(n: int, k: int = 1) -> Threshold:
    """Reads are the sets too large to miss a write quorum."""
    slots_among(n, k)
    if not k_majority_exists(n, k):
        near = nearest(n, lambda m: k_majority_exists(m, k))
        raise QuorumError(
            f"k-majority with k={k} needs k*(floor(n/(k+1))+1) <= n, not so for n={n}: "
            f"take {near}, or k-blocks"
        )
    t = n // (k + 1) + 1
    reads = Threshold("k-majority reads", n, n - t + 1, family=Family.PART)
    return Threshold("k-majority", n, t, k, family=Family.K_COTERIE, reads=reads)


def k_majority_exists(n: int, k: int) -> bool:
    return 1 <= k <= n and k * (n // (k + 1) + 1) <= n


def slots_among(n: int, k: int) -> None:
    """Refuses k disjoint quorums where there cannot be any."""
    at_least_one_node(n)
    if not 1 <= k <= n:
        raise QuorumError(f"k={k}: {n} nodes have room for 1 to {n} disjoint quorums")
