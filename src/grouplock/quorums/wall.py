"""Crumbling walls: a full row and one node of every row below it.

What may live here: D. Peleg and A. Wool, "Crumbling walls: a class of practical and efficient
quorum systems" (1997), with their triangle (rows of 1, 2, 3, ... nodes) and CWlog (row i has
floor(lg 2i)). A row of one node below the first makes every row above it superfluous: such a
wall is refused, since its quorums are not minimal. The coterie is non-dominated exactly when
the first row has width 1. For an n that the rows do not fill, the last rows are one wider.
"""

from collections.abc import Callable, Sequence

from grouplock.quorums.rows import RowSystem
from grouplock.quorums.system import QuorumError


class Wall(RowSystem):
    def __init__(self, kind: str, widths: Sequence[int]) -> None:
        if not widths or min(widths) < 1:
            raise QuorumError(f"a wall needs rows of at least one node each, not {list(widths)}")
        narrow = next((i for i, w in enumerate(widths) if i and w == 1), None)
        if narrow is not None:
            raise QuorumError(
                f"row {narrow + 1} of the wall {list(widths)} has one node, which makes every "
                "row above it superfluous: give the rows below the first at least 2"
            )
        depth = len(widths)
        super().__init__(kind, widths, [range(i + 1, depth) for i in range(depth)])
        self.base_of = self._shares()

    def _shares(self) -> list[int]:
        """A base row for each node, at or above its own, in the shares of the best load."""
        best, reached, quota = self.load(), 0.0, []
        for width in self.widths:
            share = max(0.0, min(best - reached / width, 1 - reached))
            reached += share
            quota.append(share * self.n)
        used = [0] * len(quota)
        bases = []
        for row in self.row_of:
            room = [i for i in range(row, -1, -1) if used[i] + 0.5 <= quota[i]]
            base = room[0] if room else max(range(row + 1), key=lambda i: quota[i] - used[i])
            used[base] += 1
            bases.append(base)
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
        cap = [load * min(self.widths[i + 1 :], default=1 / load) for i in range(len(self.widths))]
        reached = 0.0
        for width, most in zip(self.widths, cap, strict=True):
            reached = min(most, load + reached * (1 - 1 / width))
        return reached >= 1

    def resilience(self) -> int:
        # To stop a wall: fell one row whole and touch each row below it, or touch every row.
        depth = len(self.widths)
        return min(depth, *(w + depth - i - 1 for i, w in enumerate(self.widths))) - 1


def triangle(n: int) -> Wall:
    return Wall("triangle", _widths(n, lambda i: i))


def cwlog(n: int) -> Wall:
    return Wall("cwlog", _widths(n, lambda i: (2 * i).bit_length() - 1))


def _widths(n: int, width: Callable[[int], int]) -> list[int]:
    """As many rows of the pattern as n fills; what is left widens the last rows by one each."""
    widths: list[int] = []
    while sum(widths) + width(len(widths) + 1) <= n:
        widths.append(width(len(widths) + 1))
    left = n - sum(widths)
    while left:
        for i in range(len(widths) - 1, max(0, len(widths) - 1 - left), -1):
            widths[i] += 1
            left -= 1
        if len(widths) == 1:  # two nodes: one row, both needed
            widths[0] += left
            left = 0
    return widths
