"""Grids: a row and a column meet every row and every column.

What may live here: coteries of one rectangular arrangement of the nodes.
Cross: M. Maekawa, "A sqrt(N) algorithm for mutual exclusion" (1985), section 6: own row and own
column, also with a short last row: of the two crossing points of two crosses only one can be
missing. Where a row or column has a single node, its cross lies inside others; those nodes use
the smaller one, so that the family stays minimal.
Cover: S. Y. Cheung, M. H. Ammar, M. Ahamad, "The grid protocol" (1990): one full row and one
node of every other row; of the same size, but with far more quorums to choose from.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isqrt

from grouplock.quorums.bits import all_of, any_of
from grouplock.quorums.composition import even_parts, row_covers
from grouplock.quorums.rows import RowSystem
from grouplock.quorums.system import Family, Quorum, QuorumSystem, at_least_one_node


class Cross(QuorumSystem):
    def __init__(self, n: int) -> None:
        super().__init__("grid", n)
        self.columns = isqrt(n - 1) + 1
        self.rows = -(-n // self.columns)

    def row(self, i: int) -> range:
        return range(i * self.columns, min(self.n, (i + 1) * self.columns))

    def column(self, j: int) -> range:
        return range(j, self.n, self.columns)

    def centre(self, node: int) -> int:
        """The node whose cross `node` uses: its own, or a smaller cross inside that."""
        i, j = divmod(node, self.columns)
        lonely_row = self.column(j)[-1]
        if len(self.row(lonely_row // self.columns)) == 1:
            return lonely_row
        lonely_column = self.row(i)[-1]
        return lonely_column if len(self.column(lonely_column % self.columns)) == 1 else node

    def cross(self, centre: int) -> Quorum:
        i, j = divmod(centre, self.columns)
        return tuple(sorted({*self.row(i), *self.column(j)}))

    def preferred(self, node: int, turn: int) -> Quorum:
        return self.cross(self.centre((node + turn) % self.n))

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        row_cost = [sum(cost[v] for v in self.row(i)) for i in range(self.rows)]
        column_cost = [sum(cost[v] for v in self.column(j)) for j in range(self.columns)]
        least, best = inf, -1
        for v in self._in_turn(node, turn):
            i, j = divmod(v, self.columns)
            price = row_cost[i] + column_cost[j]
            if price < inf and price - cost[v] < least:
                least, best = price - cost[v], v
        return None if best < 0 else self.cross(best)

    def _in_turn(self, node: int, turn: int) -> list[int]:
        first = (node + turn) % self.n
        centres = (self.centre(v) for v in (*range(first, self.n), *range(first)))
        return list(dict.fromkeys(centres))

    def survivors(self, alive: Sequence[int]) -> int:
        row_up = [all_of([alive[v] for v in self.row(i)]) for i in range(self.rows)]
        column_up = [all_of([alive[v] for v in self.column(j)]) for j in range(self.columns)]
        return any_of(
            [row_up[v // self.columns] & column_up[v % self.columns] for v in range(self.n)]
        )

    def each(self) -> Iterator[Quorum]:
        return iter(dict.fromkeys(self.cross(v) for v in self._in_turn(0, 0)))

    def count(self) -> int:
        if self.rows == 1:
            return 1
        return sum(self.centre(v) == v for v in range(self.n))

    def sizes(self) -> tuple[int, int]:
        spans = [
            len(self.row(v // self.columns)) + len(self.column(v % self.columns)) - 1
            for v in self._in_turn(0, 0)
        ]
        return min(spans), max(spans)

    def load(self) -> float | None:
        full = self.n == self.rows * self.columns
        return (self.rows + self.columns - 1) / self.n if full else None

    def resilience(self) -> int:
        # To stop a cross, its row or its column has to be hit. Hitting every row stops them all;
        # so does missing only a short last row, if its columns and the rows above it are hit.
        short = self.n - (self.rows - 1) * self.columns
        return self.rows - 1 if short >= self.rows else max(self.rows - 2, short - 1, 0)


class Cover(RowSystem):
    """Rows as even as they can be: all of width floor(n/r) or one more, at least 2 from n=4 on.
    Reads need one node of every row; the bicoterie without write-write crossing is `rw-grid`."""

    def __init__(self, n: int) -> None:
        r = isqrt(at_least_one_node(n))
        widths = even_parts(n, r)
        others = [[j for j in range(r) if j != i] for i in range(r)]
        reads = row_covers("grid-cover reads", widths, family=Family.PART)
        super().__init__("grid-cover", widths, others, reads=reads)

    def load(self) -> float | None:
        w, r = self.widths[0], len(self.widths)
        return (w + r - 1) / self.n if w * r == self.n else None

    def resilience(self) -> int:
        return min(len(self.widths), *self.widths) - 1
