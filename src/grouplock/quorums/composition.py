"""Systems of systems: an outer quorum of groups, and inside each chosen group an inner quorum.

What may live here: composition over disjoint groups of nodes, and the constructions that are
nothing more. Composing coteries gives a coterie, composing minimal ones a minimal one.
- Hierarchical quorum consensus: A. Kumar (1991). Majorities of three all the way down; for
  n = 3^d the size is 2^d = n^0.63 and the load (2/3)^d. Other n are split as evenly as possible.
- Grid-set: D. Agrawal and A. El Abbadi (1990). A majority of groups, a grid inside each.
- RST: S. Rangarajan, S. Setia, S. K. Tripathi (1995). A grid of groups, a majority inside each.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import accumulate, product
from math import inf, prod

from grouplock.quorums.system import Family, Quorum, QuorumError, QuorumSystem
from grouplock.quorums.threshold import Threshold, majority


class Composition(QuorumSystem):
    def __init__(
        self, kind: str, outer: QuorumSystem, inner: Sequence[QuorumSystem], k: int = 1
    ) -> None:
        assert outer.n == len(inner)
        self.starts = [*accumulate(part.n for part in inner[:-1]), 0]
        self.starts = [0, *self.starts[:-1]]
        super().__init__(kind, sum(part.n for part in inner), k)
        self.outer = outer
        self.inner = inner
        self.family = outer.family

    @property
    def period(self) -> int:
        return self.outer.period * max(part.period for part in self.inner)

    def preferred(self, node: int, turn: int) -> Quorum:
        group = bisect_right(self.starts, node % self.n) - 1
        place = node % self.n - self.starts[group]
        turn_inside, turn_outside = divmod(turn, self.outer.period)
        return self._join(
            (g, self.inner[g].preferred(place % self.inner[g].n, turn_inside))
            for g in self.outer.preferred(group, turn_outside)
        )

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        group = bisect_right(self.starts, node % self.n) - 1
        place = node % self.n - self.starts[group]
        turn_inside, turn_outside = divmod(turn, self.outer.period)
        best: list[Quorum | None] = []
        price: list[float] = []
        for start, part in zip(self.starts, self.inner, strict=True):
            cost_inside = cost[start : start + part.n]
            quorum = part.cheapest(place % part.n, turn_inside, cost_inside)
            best.append(quorum)
            price.append(inf if quorum is None else sum(cost_inside[v] for v in quorum))
        chosen = self.outer.cheapest(group, turn_outside, price)
        return None if chosen is None else self._join((g, best[g] or ()) for g in chosen)

    def _join(self, parts: Iterator[tuple[int, Quorum]]) -> Quorum:
        return tuple(self.starts[g] + v for g, quorum in parts for v in quorum)

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
        counts = [part.count() for part in self.inner]
        if isinstance(self.outer, Threshold):
            ways = [1] + [0] * self.outer.t  # ways[i]: i groups chosen so far
            for count in counts:
                for i in range(self.outer.t, 0, -1):
                    ways[i] += ways[i - 1] * count
            return ways[-1]
        return sum(prod(counts[g] for g in groups) for groups in self.outer.each())

    def sizes(self) -> tuple[int, int]:
        small = [float(part.sizes()[0]) for part in self.inner]
        large = [-float(part.sizes()[1]) for part in self.inner]
        least, most = self.outer.cheapest(0, 0, small), self.outer.cheapest(0, 0, large)
        assert least is not None
        assert most is not None
        return int(sum(small[g] for g in least)), int(-sum(large[g] for g in most))

    def load(self) -> float | None:
        loads = [part.load() for part in self.inner]
        known = [load for load in loads if load is not None]
        if len(known) < len(loads):
            return None
        if isinstance(self.outer, Threshold):
            return _level(known, self.outer.t)
        outside = self.outer.load()
        return None if outside is None or len({*known}) > 1 else outside * known[0]

    def resilience(self) -> int | None:
        parts = [part.resilience() for part in self.inner]
        known = sorted(f + 1 for f in parts if f is not None)
        if len(known) < len(parts):
            return None
        if isinstance(self.outer, Threshold):
            return sum(known[: self.outer.n - self.outer.t + 1]) - 1
        outside = self.outer.resilience()
        return None if outside is None or len({*known}) > 1 else (outside + 1) * known[0] - 1


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


def row_covers(kind: str, widths: Sequence[int]) -> Composition:
    """One node of every row."""
    rows = [Threshold("any", width, 1) for width in widths]
    return Composition(kind, Threshold("all", len(rows), len(rows)), rows)


@cache
def hierarchical(n: int) -> QuorumSystem:
    if n < 4:
        return Threshold("hierarchical", n, n // 2 + 1)
    thirds = [hierarchical(part) for part in even_parts(n, 3)]
    return Composition("hierarchical", majority(3), thirds)
