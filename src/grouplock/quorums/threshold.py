"""Threshold systems: any t of n nodes. Majority, k-majority, "any one" and "all" are thresholds.

What may live here: the t-of-n family; which t makes which coterie is said by who builds it.
Majority: R. H. Thomas, "A majority consensus approach to concurrency control" (1979):
t = floor(n/2)+1, load t/n, resilience n-t, non-dominated exactly for odd n.
k-majority: t = floor(n/(k+1))+1. At most k are disjoint by counting, and k fit side by side
only if k*t <= n; the literature gives the first condition and is silent about the second.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, inf

from grouplock.quorums.bits import at_least
from grouplock.quorums.system import Family, Quorum, QuorumError, QuorumSystem


class Threshold(QuorumSystem):
    def __init__(self, kind: str, n: int, t: int, k: int = 1) -> None:
        super().__init__(kind, n, k)
        assert 1 <= t <= n
        self.t = t

    @property
    def period(self) -> int:
        return self.n if self.t < self.n else 1

    def preferred(self, node: int, turn: int) -> Quorum:
        first = (node + turn) % self.n
        return tuple(sorted((first + i) % self.n for i in range(self.t)))

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


class KMajority(Threshold):
    """A k-coterie of thresholds; reads are the sets too large for a write quorum to miss."""

    family = Family.K_COTERIE

    def __init__(self, n: int, k: int) -> None:
        if not k_majority_exists(n, k):
            where = [m for m in range(k, n + k * (k + 1) + 1) if k_majority_exists(m, k)]
            below = max((m for m in where if m < n), default=None)
            above = min((m for m in where if m > n), default=None)
            near = " or ".join(f"n={m}" for m in (below, above) if m is not None)
            raise QuorumError(
                f"k-majority with k={k} needs k*(floor(n/(k+1))+1) <= n, not so for n={n}: "
                f"take {near}, or k-blocks"
            )
        super().__init__("k-majority", n, n // (k + 1) + 1, k)

    def reads(self) -> QuorumSystem:
        return Threshold("k-majority reads", self.n, self.n - self.t + 1)


def majority(n: int) -> Threshold:
    return Threshold("majority", n, n // 2 + 1)


def k_majority_exists(n: int, k: int) -> bool:
    return 1 <= k <= n and k * (n // (k + 1) + 1) <= n
