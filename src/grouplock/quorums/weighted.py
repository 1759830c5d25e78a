"""Weighted voting: a set is a quorum when its votes reach a threshold and it has none to spare.

What may live here: systems given by votes. Source: D. K. Gifford, "Weighted voting for
replicated data" (1979); coteries from votes: H. Garcia-Molina and D. Barbara (1985).
With integer votes an even total always leaves ties, and the coterie is then dominated; one more
vote for one node breaks them. A node without votes is in no minimal quorum.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import accumulate
from math import comb, inf

from grouplock.quorums.bits import at_least
from grouplock.quorums.system import (
    Family,
    Quorum,
    QuorumError,
    QuorumSystem,
    at_least_one_node,
)

MOST_VOTES = 100_000  # counting and sizes take time in proportion


class Weighted(QuorumSystem):
    def __init__(
        self,
        kind: str,
        weights: Sequence[int],
        threshold: int | None = None,
        *,
        n: int | None = None,
        family: Family = Family.COTERIE,
    ) -> None:
        super().__init__(kind, len(weights) if n is None else n, family=family)
        self.weights = _votes(weights, self.n)
        self.total = sum(weights)
        self.threshold = self.total // 2 + 1 if threshold is None else threshold
        if not 1 <= self.threshold <= self.total:
            raise QuorumError(
                f"a threshold of {self.threshold} cannot be reached with {self.total} votes: "
                f"take {self.total // 2 + 1} to {self.total}"
            )
        # Heaviest first: a set is minimal exactly when it needs its lightest member.
        self.voters = sorted(
            (v for v in range(self.n) if weights[v]), key=lambda v: (-weights[v], v)
        )

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
        chosen: dict[int, int] = {}  # voter -> its place in the order
        votes = 0
        for place, v in enumerate(order):
            if votes >= self.threshold:
                break
            chosen[v] = place
            votes += self.weights[v]
        if votes < self.threshold:
            return None
        for v in sorted(chosen, key=lambda v: (-cost[v], self.weights[v], -chosen[v])):
            if votes - self.weights[v] >= self.threshold:
                del chosen[v]
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
        quorums = 0
        for sums, weight, voters in self._classes():
            for votes, (sets, _) in sums.items():
                lightest = -(-(self.threshold - votes) // weight)
                quorums += sets * comb(voters, lightest)
        return quorums

    def sizes(self) -> tuple[int, int]:
        least = bisect_left([*accumulate(self.weights[v] for v in self.voters)], self.threshold)
        most = 0
        for sums, weight, voters in self._classes():
            for votes, (_, members) in sums.items():
                lightest = -(-(self.threshold - votes) // weight)
                if lightest <= voters:
                    most = max(most, members + lightest)
        return least + 1, most

    def _classes(self) -> Iterator[tuple[dict[int, tuple[int, int]], int, int]]:
        """For each weight, as that of the lightest members: how many voters have it, and for
        each number of votes below the threshold how many sets of heavier voters have so many,
        and how many members the largest of them."""
        sums = {0: (1, 0)}
        classes = Counter(self.weights[v] for v in self.voters)
        lightest = self.weights[self.voters[-1]]
        for weight, voters in classes.items():  # in the order of the voters: heaviest first
            yield sums, weight, voters
            if weight == lightest:
                return
            longer: dict[int, tuple[int, int]] = {}
            for votes, (sets, members) in sums.items():
                room = (self.threshold - 1 - votes) // weight
                for more in range(min(voters, room) + 1):
                    known_sets, known_members = longer.get(votes + more * weight, (0, 0))
                    longer[votes + more * weight] = (
                        known_sets + sets * comb(voters, more),
                        max(known_members, members + more),
                    )
            sums = longer

    def load(self) -> float | None:
        """With votes of 1, and at most one of 2, everybody can be asked equally often."""
        heaviest, *others = (self.weights[v] for v in self.voters)
        ones = all([votes == 1 for votes in others])
        plain = heaviest == 1 or (heaviest == 2 and 2 <= self.threshold <= len(others))
        return self.threshold / self.total if ones and plain else None

    def resilience(self) -> int:
        votes, failed = self.total, 0
        for v in self.voters:  # the adversary fells the heaviest
            votes -= self.weights[v]
            if votes < self.threshold:
                break
            failed += 1
        return failed

    def degree(self) -> int | None:
        return 1 if 2 * self.threshold > self.total else super().degree()


def weighted(
    n: int, weights: Sequence[int] | None = None, threshold: int | None = None
) -> Weighted:
    """Without weights one vote each, and one more for node 0 where n is even, so that no vote
    ends in a tie."""
    if weights is None:
        weights = (2 - at_least_one_node(n) % 2, *[1] * (n - 1))
    system = Weighted("weighted", weights, threshold, n=n)
    if 2 * system.threshold <= system.total:
        raise QuorumError(
            f"a threshold of {system.threshold} is no majority of {system.total} votes: "
            f"take {system.total // 2 + 1} to {system.total}"
        )
    return system


def _votes(weights: Sequence[int], n: int) -> tuple[int, ...]:
    if len(weights) != n:
        raise QuorumError(f"{len(weights)} weights for n={n} nodes: give one for each node")
    if min(weights) < 0 or not any(weights):
        raise QuorumError(
            f"weights {','.join(map(str, weights))} cannot form a majority: "
            "none may be negative and at least one must be positive"
        )
    if sum(weights) > MOST_VOTES:
        raise QuorumError(
            f"the weights sum to {sum(weights)}: at most {MOST_VOTES} votes are counted, "
            "so divide them all by the same number"
        )
    return tuple(weights)
