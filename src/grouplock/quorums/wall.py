"""Crumbling walls: a full row and one node of every row below it.

What may live here: D. Peleg and A. Wool, "Crumbling walls: a class of practical and efficient
quorum systems" (1997), with their triangle (rows of 1, 2, 3, ... nodes) and CWlog (row i has
floor(lg 2i)). A row of one node below the first makes every row above it superfluous: such a
wall is refused, since its quorums are not minimal. The coterie is non-dominated exactly when
the first row has width 1. For an n that the rows do not fill, the last rows are one wider.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from math import inf

from grouplock.quorums.rows import RowSystem
from grouplock.quorums.system import QuorumError, at_least_one_node


class Wall(RowSystem):
    def __init__(self, kind: str, widths: Sequence[int]) -> None:
        if not widths or min(widths) < 1:
            raise QuorumError(
                f"rows {','.join(map(str, widths)) or 'none'}: "
                "a wall needs rows of at least one node each"
            )
        narrow = next((i for i, w in enumerate(widths) if i and w == 1), None)
        if narrow is not None:
            raise QuorumError(
                f"row {narrow + 1} of {','.join(map(str, widths))} has one node, making every "
                "row above it superfluous: give the rows below the first at least 2"
            )
        depth = len(widths)
        super().__init__(kind, widths, [range(i + 1, depth) for i in range(depth)])
        # Below each row, the width of the narrowest.
        self.narrowest = [*accumulate(reversed((*widths[1:], inf)), min)][::-1]
        self.base_of = self._shares()

    def _shares(self) -> list[int]:
        """A full row for each node, at or above its own (so that the node is in its quorum), in
        the shares of the best load as nearly as that can be."""
        best, reached = self.load(), 0.0
        bases: list[int] = []
        open_rows: list[int] = []  # at or above the current one, with room left
        room: list[float] = []
        for i, width in enumerate(self.widths):
            before, reached = reached, self._reached(best, i, reached)
            room.append((reached - before) * self.n)
            open_rows.append(i)
            for _ in range(width):
                while len(open_rows) > 1 and room[open_rows[-1]] < 0.5:
                    open_rows.pop()
                room[open_rows[-1]] -= 1
                bases.append(open_rows[-1])
        return bases

    def load(self) -> float:
        """The least L: if row i is the full one in a share w(i) of the choices, a node of row i
        is asked in w(i) + (w(1)+...+w(i-1))/width of them. Found by halving, since a larger L
        only makes room."""
        low, high = 0.0, 1.0
        while high - low > 1e-13:
            middle = (low + high) / 2
            low, high = (low, middle) if self._fits(middle) else (middle, high)
        return high

    def _fits(self, load: float) -> bool:
        reached = 0.0
        for i in range(len(self.widths)):
            reached = self._reached(load, i, reached)
        return reached >= 1 - 1e-12

    def _reached(self, load: float, row: int, before: float) -> float:
        """The most that w(1)+...+w(row) can be, when it was `before` one row above."""
        most = min(1.0, load * self.narrowest[row])
        return min(most, load + before * (1 - 1 / self.widths[row]))

    def resilience(self) -> int:
        # To stop a wall: fell one row whole and touch each row below it, or touch every row.
        depth = len(self.widths)
        return min(depth, *(w + depth - i - 1 for i, w in enumerate(self.widths))) - 1


def wall(n: int, widths: Sequence[int] | None = None) -> Wall:
    """The wall with these rows; without them, the triangle."""
    if widths is None:
        return Wall("wall", _widths(n, _triangle))
    if sum(widths) != n:
        raise QuorumError(
            f"the rows {','.join(map(str, widths))} hold {sum(widths)} nodes, not n={n}"
        )
    return Wall("wall", widths)


def triangle(n: int) -> Wall:
    return Wall("triangle", _widths(n, _triangle))


def cwlog(n: int) -> Wall:
    return Wall("cwlog", _widths(n, _cwlog))


def _triangle(row: int) -> int:
    return row


def _cwlog(row: int) -> int:
    return (2 * row).bit_length() - 1


def _widths(n: int, width: Callable[[int], int]) -> list[int]:
    """As many rows of the pattern as n fills; what is left widens the last rows by one each, and
    never the first, which keeps the wall non-dominated."""
    widths: list[int] = []
    left = at_least_one_node(n)
    while left >= width(len(widths) + 1):
        widths.append(width(len(widths) + 1))
        left -= widths[-1]
    while left:
        if len(widths) == 1:  # two nodes: one row, both needed
            return [n]
        for i in range(len(widths) - 1, max(0, len(widths) - 1 - left), -1):
            widths[i] += 1
            left -= 1
    return widths
