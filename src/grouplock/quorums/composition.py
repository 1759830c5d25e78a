"""Systems of systems: an outer quorum of groups, and inside each chosen group an inner quorum.

What may live here: composition over disjoint groups of nodes, and its plainest use, one level
on top of the other. Composing coteries gives a coterie, composing minimal ones a minimal one.
- Hierarchical quorum consensus: A. Kumar (1991). Majorities of three all the way down; for
  n = 3^d the size is 2^d = n^0.63 and the load (2/3)^d. Other n are split as evenly as possible.
An outer system that is no threshold should be small enough to list.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate, product
from math import inf, prod
from typing import TypeVar

from grouplock.quorums.system import Family, Quorum, QuorumSystem, at_least_one_node
from grouplock.quorums.threshold import Threshold, any_one, everybody, majority

T = TypeVar("T")


class Composition(QuorumSystem):
    def __init__(
        self,
        kind: str,
        outer: QuorumSystem,
        inner: Sequence[QuorumSystem],
        k: int = 1,
        *,
        family: Family = Family.COTERIE,
        reads: QuorumSystem | None = None,
    ) -> None:
        assert outer.n == len(inner)
        ends = [*accumulate(part.n for part in inner)]
        super().__init__(kind, ends[-1], k, family=family, reads=reads)
        self.starts = [end - part.n for end, part in zip(ends, inner, strict=True)]
        self.outer = outer
        self.inner = inner

    def _where(self, node: int) -> tuple[int, int]:
        """The group of a node, and its place inside."""
        group = bisect_right(self.starts, node % self.n) - 1
        return group, node % self.n - self.starts[group]

    def _of_parts(self, what: Callable[[QuorumSystem], T]) -> list[T]:
        """Something of every part, found once where parts are the same system."""
        known = {part: what(part) for part in dict.fromkeys(self.inner)}
        return [known[part] for part in self.inner]

    def preferred(self, node: int, turn: int) -> Quorum:
        group, place = self._where(node)
        turn_inside, turn_outside = divmod(turn, self.outer.n)
        return self._join(
            (g, self.inner[g].preferred(place % self.inner[g].n, turn_inside))
            for g in self.outer.preferred(group, turn_outside)
        )

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        group, place = self._where(node)
        turn_inside, turn_outside = divmod(turn, self.outer.n)
        best: list[Quorum | None] = []
        price: list[float] = []
        for start, part in zip(self.starts, self.inner, strict=True):
            cost_inside = cost[start : start + part.n]
            quorum = part.cheapest(place % part.n, turn_inside, cost_inside)
            best.append(quorum)
            price.append(inf if quorum is None else sum(cost_inside[v] for v in quorum))
        chosen = self.outer.cheapest(group, turn_outside, price)
        return None if chosen is None else self._join((g, best[g] or ()) for g in chosen)

    def _join(self, parts: Iterable[tuple[int, Quorum]]) -> Quorum:
        return tuple([self.starts[g] + v for g, quorum in parts for v in quorum])

    def survivors(self, alive: Sequence[int]) -> int:
        return self.outer.survivors(
            [
                part.survivors(alive[start : start + part.n])
                for start, part in zip(self.starts, self.inner, strict=True)
            ]
        )

    def each(self) -> Iterator[Quorum]:
        for groups in self.outer.each():
            for parts in product(*([*self.inner[g].each()] for g in groups)):
                yield self._join(zip(groups, parts, strict=True))

    def count(self) -> int:
        counts = self._of_parts(lambda part: part.count())
        if isinstance(self.outer, Threshold):
            ways = [1] + [0] * self.outer.t  # ways[i]: i groups chosen so far
            for count in counts:
                for i in range(self.outer.t, 0, -1):
                    ways[i] += ways[i - 1] * count
            return ways[-1]
        return sum(prod(counts[g] for g in groups) for groups in self.outer.each())

    def sizes(self) -> tuple[int, int]:
        sizes = self._of_parts(lambda part: part.sizes())
        small = [float(least) for least, _ in sizes]
        large = [-float(most) for _, most in sizes]
        least, most = self.outer.cheapest(0, 0, small), self.outer.cheapest(0, 0, large)
        assert least is not None
        assert most is not None
        return int(sum(small[g] for g in least)), int(-sum(large[g] for g in most))

    def load(self) -> float | None:
        loads = self._of_parts(lambda part: part.load())
        known = [load for load in loads if load is not None]
        if len(known) < len(loads):
            return None
        if isinstance(self.outer, Threshold):
            return _level(known, self.outer.t)
        outside = self.outer.load()
        return None if outside is None or len({*known}) > 1 else outside * known[0]

    def resilience(self) -> int | None:
        parts = self._of_parts(lambda part: part.resilience())
        known = sorted(f + 1 for f in parts if f is not None)
        if len(known) < len(parts):
            return None
        if isinstance(self.outer, Threshold):
            return sum(known[: self.outer.n - self.outer.t + 1]) - 1
        outside = self.outer.resilience()
        return None if outside is None or len({*known}) > 1 else (outside + 1) * known[0] - 1

    def degree(self) -> int | None:
        degrees = self._of_parts(lambda part: part.degree())
        known = [degree for degree in degrees if degree is not None]
        if not isinstance(self.outer, Threshold) or len(known) < len(degrees):
            return super().degree()
        # So many quorums use a group at most that often each, and t groups every time.
        t, many = self.outer.t, 0
        while sum(min(degree, many + 1) for degree in known) >= t * (many + 1):
            many += 1
        return many

    def own_inside(self, node: int) -> Quorum:
        group, place = self._where(node)
        return self._join(
            (g, self.inner[g].own_inside(place % self.inner[g].n))
            for g in self.outer.own_inside(group)
        )

    def assignment(self) -> list[Quorum]:
        """The product of the assignments outside and inside, made once for each system."""
        return self._assigned({})

    def _assigned(self, known: dict[QuorumSystem, list[Quorum]]) -> list[Quorum]:
        for part in self.inner:
            if part not in known:
                known[part] = (
                    part._assigned(known) if isinstance(part, Composition) else part.assignment()
                )
        inside = [
            [tuple(map(start.__add__, quorum)) if start else quorum for quorum in known[part]]
            for start, part in zip(self.starts, self.inner, strict=True)
        ]
        fixed: list[Quorum] = []
        for groups, part in zip(self.outer.assignment(), self.inner, strict=True):
            for place in range(part.n):
                quorum: Quorum = ()
                for g in groups:
                    quorum += inside[g][place % len(inside[g])]
                fixed.append(quorum)
        return self._balanced(fixed)


def _level(loads: Sequence[float], t: int) -> float:
    """The least L for which groups of these loads can be used t at a time: group g may be in
    a share min(1, L/load) of the choices, and the shares must sum to t."""
    ordered = sorted(loads)
    for always, load in enumerate(ordered):  # the lightest groups are always in
        level = (t - always) / sum(1 / other for other in ordered[always:])
        if level <= load:
            return max(level, ordered[always - 1] if always else 0.0)
    return ordered[-1]


def even_parts(n: int, parts: int) -> list[int]:
    """n nodes in so many parts, no two of which differ by more than one."""
    return [(i + 1) * n // parts - i * n // parts for i in range(parts)]


def row_covers(kind: str, widths: Sequence[int], family: Family) -> Composition:
    """One node of every row."""
    rows = [any_one("any", width) for width in widths]
    return Composition(kind, everybody("all", len(rows)), rows, family=family)


@cache
def hierarchical(n: int) -> QuorumSystem:
    if at_least_one_node(n) < 4:
        return Threshold("hierarchical", n, n // 2 + 1)
    thirds = [hierarchical(part) for part in even_parts(n, 3)]
    return Composition("hierarchical", majority(3), thirds)
