"""Systems of rows: a quorum is one full row and one node of each row which that row needs.

What may live here: what grids (all other rows), crumbling walls (the rows below) and tori (the
next h rows, round and round) have in common. Which rows are needed decides everything else.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from math import inf, prod

from grouplock.quorums.bits import all_of, any_of
from grouplock.quorums.system import Family, Quorum, QuorumSystem


class RowSystem(QuorumSystem):
    def __init__(
        self,
        kind: str,
        widths: Sequence[int],
        needs: Sequence[Sequence[int]],
        k: int = 1,
        *,
        family: Family = Family.COTERIE,
        reads: QuorumSystem | None = None,
    ) -> None:
        super().__init__(kind, sum(widths), k, family=family, reads=reads)
        self.widths = tuple(widths)
        self.needs = needs
        ends = [*accumulate(widths)]
        self.rows = [range(end - w, end) for end, w in zip(ends, widths, strict=True)]
        self.starts = [row.start for row in self.rows]
        self.row_of = [i for i, width in enumerate(widths) for _ in range(width)]
        # The full row that each node stands for in turn; a wall replaces it by better shares.
        self.base_of: Sequence[int] = self.row_of

    def preferred(self, node: int, turn: int) -> Quorum:
        centre = (node + turn) % self.n
        base, own = self.base_of[centre], self.row_of[centre]
        starts, widths, width = self.starts, self.widths, self.widths[own]
        place = centre - starts[own]
        chosen = [
            starts[i] + (place if widths[i] == width else centre % widths[i])
            for i in self.needs[base]
        ]
        return tuple(sorted([*self.rows[base], *chosen]))

    def _representative(self, row: int, centre: int) -> int:
        """The node of a row that `preferred` takes: the one in the same column, if there is."""
        own = self.row_of[centre]
        if self.widths[own] == self.widths[row]:
            return self.starts[row] + centre - self.starts[own]
        return self.starts[row] + centre % self.widths[row]

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        centre = (node + turn) % self.n
        best = []
        for i, row in enumerate(self.rows):
            start = self._representative(i, centre) - row.start
            best.append(min([*row[start:], *row[:start]], key=cost.__getitem__))
        full = [sum(cost[v] for v in row) for row in self.rows]
        least, base = inf, -1
        first = self.base_of[centre]
        for i in (*range(first, len(self.rows)), *range(first)):
            price = full[i] + sum(cost[best[j]] for j in self.needs[i])
            if price < least:
                least, base = price, i
        if base < 0:
            return None
        return tuple(sorted((*self.rows[base], *(best[j] for j in self.needs[base]))))

    def survivors(self, alive: Sequence[int]) -> int:
        full = [all_of([alive[v] for v in row]) for row in self.rows]
        some = [any_of([alive[v] for v in row]) for row in self.rows]
        return any_of(
            [all_of([full[i], *(some[j] for j in needs)]) for i, needs in enumerate(self.needs)]
        )

    def each(self) -> Iterator[Quorum]:
        for row, needs in zip(self.rows, self.needs, strict=True):
            for chosen in product(*(self.rows[j] for j in needs)):
                yield tuple(sorted((*row, *chosen)))

    def count(self) -> int:
        return sum(prod(self.widths[j] for j in needs) for needs in self.needs)

    def sizes(self) -> tuple[int, int]:
        sizes = [w + len(needs) for w, needs in zip(self.widths, self.needs, strict=True)]
        return min(sizes), max(sizes)
