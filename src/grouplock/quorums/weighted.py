"""Weighted voting: a set is a quorum when its votes reach a threshold and it has none to spare.

What may live here: systems given by votes. Source: D. K. Gifford, "Weighted voting for
replicated data" (1979); coteries from votes: H. Garcia-Molina and D. Barbara (1985).
With integer votes an even total always leaves ties, and the coterie is then dominated; one more
vote for one node breaks them. A node without votes is in no minimal quorum.
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import inf

from grouplock.quorums.bits import at_least
from grouplock.quorums.system import Quorum, QuorumError, QuorumSystem


class Weighted(QuorumSystem):
    def __init__(self, kind: str, weights: Sequence[int], threshold: int | None = None) -> None:
        super().__init__(kind, len(weights))
        self.weights = tuple(weights)
        self.total = sum(weights)
        if not weights or min(weights) < 0 or self.total == 0:
            raise QuorumError(
                f"weights {list(weights)} cannot form a majority: "
                "give one weight per node, none negative and one positive at least"
            )
        self.threshold = self.total // 2 + 1 if threshold is None else threshold
        if not 1 <= self.threshold <= self.total:
            raise QuorumError(
                f"a threshold of {self.threshold} cannot be reached with weights that sum to "
                f"{self.total}: take 1 to {self.total}"
            )
        # Heaviest first: a set is minimal exactly when it needs its lightest member.
        self.voters = sorted(
            (v for v in range(self.n) if weights[v]), key=lambda v: (-weights[v], v)
        )

    @property
    def period(self) -> int:
        return self.n

    def preferred(self, node: int, turn: int) -> Quorum:
        quorum = self.cheapest(node, turn, [0.0] * self.n)
        assert quorum is not None
        return quorum

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        """Greedy by price per vote, then without what is superfluous: exact for equal votes,
        a heuristic otherwise, since the least price is a knapsack problem."""
        first = (node + turn) % self.n
        order = sorted(
            (v for v in self.voters if cost[v] < inf),
            key=lambda v: (cost[v] / self.weights[v], (v - first) % self.n),
        )
        chosen: list[int] = []
        votes = 0
        for v in order:
            if votes >= self.threshold:
                break
            chosen.append(v)
            votes += self.weights[v]
        if votes < self.threshold:
            return None
        for v in sorted(chosen, key=lambda v: (-cost[v], self.weights[v], -order.index(v))):
            if votes - self.weights[v] >= self.threshold:
                chosen.remove(v)
                votes -= self.weights[v]
        return tuple(sorted(chosen))

    def survivors(self, alive: Sequence[int]) -> int:
        return at_least(self.threshold, alive, self.weights)

    def each(self) -> Iterator[Quorum]:
        voters, weights = self.voters, self.weights
        left = [*accumulate((weights[v] for v in reversed(voters)), initial=0)][::-1]

        def extend(chosen: tuple[int, ...], votes: int, at: int) -> Iterator[Quorum]:
            for i in range(at, len(voters)):
                if votes + left[i] < self.threshold:
                    return
                with_i = votes + weights[voters[i]]
                if with_i >= self.threshold:
                    yield tuple(sorted((*chosen, voters[i])))
                else:
                    yield from extend((*chosen, voters[i]), with_i, i + 1)

        return extend((), 0, 0)

    def count(self) -> int:
        # sums[s]: sets of heavier voters with s votes; the lightest member tips the scales.
        sums = [1, *[0] * (self.threshold - 1)]
        quorums = 0
        for v in self.voters:
            w = self.weights[v]
            quorums += sum(sums[max(0, self.threshold - w) :])
            for s in range(self.threshold - 1, w - 1, -1):
                sums[s] += sums[s - w]
        return quorums

    def sizes(self) -> tuple[int, int]:
        # most[s]: the largest set of heavier voters with s votes, as in `count`.
        least = next(
            i + 1
            for i, votes in enumerate(accumulate(self.weights[v] for v in self.voters))
            if votes >= self.threshold
        )
        most: list[float] = [0.0, *[-inf] * (self.threshold - 1)]
        largest = -inf
        for v in self.voters:
            w = self.weights[v]
            largest = max(largest, max(most[max(0, self.threshold - w) :]) + 1)
            for s in range(self.threshold - 1, w - 1, -1):
                most[s] = max(most[s], most[s - w] + 1)
        return least, int(largest)

    def resilience(self) -> int:
        votes, failed = self.total, 0
        for v in self.voters:  # the adversary fells the heaviest
            votes -= self.weights[v]
            if votes < self.threshold:
                return failed
            failed += 1
        return failed


def tie_breaking(n: int) -> Weighted:
    """One vote each, and one more for node 0 where n is even, so that no vote ends in a tie."""
    return Weighted("weighted", [2 - n % 2, *[1] * (n - 1)])
