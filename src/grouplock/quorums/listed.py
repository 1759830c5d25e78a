"""A system given as a list: printed examples, what a researcher wrote down, folded systems.

What may live here: the plain family of listed quorums, every question answered by looking at all.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import inf

from grouplock.quorums.bits import all_of, any_of
from grouplock.quorums.system import Family, Quorum, QuorumError, QuorumSystem


class Listed(QuorumSystem):
    """The minimal ones of the given sets, in the given order."""

    def __init__(
        self,
        kind: str,
        n: int,
        quorums: Iterable[Iterable[int]],
        k: int = 1,
        *,
        family: Family = Family.COTERIE,
        reads: QuorumSystem | None = None,
    ) -> None:
        super().__init__(kind, n, k, family=family, reads=reads)
        given = [*dict.fromkeys(tuple(sorted({*quorum})) for quorum in quorums)]
        if not given or not all(given):
            raise QuorumError("a quorum system has a quorum, and a quorum has a node")
        if min(min(quorum) for quorum in given) < 0 or max(max(quorum) for quorum in given) >= n:
            raise QuorumError(f"a quorum names a node that is none of 0 to {n - 1}")
        self.family_list = minimal(given)
        self.having = [[i for i, q in enumerate(self.family_list) if v in q] for v in range(n)]

    def preferred(self, node: int, turn: int) -> Quorum:
        return self.family_list[(node + turn) % len(self.family_list)]

    def own_inside(self, node: int) -> Quorum:
        having = self.having[node] or range(len(self.family_list))
        return self.family_list[having[node % len(having)]]

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        many = len(self.family_list)
        least, best = inf, None
        for i in range(many):
            quorum = self.family_list[(node + turn + i) % many]
            price = sum([cost[v] for v in quorum])
            if price < least:
                least, best = price, quorum
        return best

    def survivors(self, alive: Sequence[int]) -> int:
        return any_of([all_of([alive[v] for v in quorum]) for quorum in self.family_list])

    def each(self) -> Iterator[Quorum]:
        return iter(self.family_list)

    def count(self) -> int:
        return len(self.family_list)

    def sizes(self) -> tuple[int, int]:
        sizes = [len(quorum) for quorum in self.family_list]
        return min(sizes), max(sizes)


def minimal(quorums: Sequence[Quorum]) -> list[Quorum]:
    """Without those that contain another one."""
    members = [{*quorum} for quorum in quorums]
    return [
        quorum
        for quorum, mine in zip(quorums, members, strict=True)
        if not any([other < mine for other in members])
    ]
