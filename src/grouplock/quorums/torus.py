"""The torus k-coterie: a full row and one node of each of the h rows that follow it, cyclically.

What may live here: the tori of J.-R. Jiang's group k-exclusion (paper 003, section 2), which
has them from S. D. Lang and L. J. Mao, and his k-write-read coterie with row covers as reads.
h = floor(r/(k+1)) for r rows. Two quorums are disjoint exactly when their full rows are more
than h apart both ways round, so at most floor(r/(h+1)) <= k are. That k fit at all needs
k(h+1) <= r, which is what the printed restriction floor(r/(k+1)) < floor(r/k) amounts to. That
fewer than k can *always* be extended needs more: k-1 quorums with gaps of h rows between them
leave no room when r <= (k-1)(2h+1). The exact condition is both together; from k = 4 on only
r = k rows (h = 0, plain disjoint rows) is left.
"""

from __future__ import annotations

from grouplock.quorums.composition import row_covers
from grouplock.quorums.rows import RowSystem
from grouplock.quorums.system import Family, QuorumError, nearest
from grouplock.quorums.threshold import slots_among


class Torus(RowSystem):
    def __init__(self, rows: int, columns: int, k: int) -> None:
        self.height = height = rows // (k + 1)
        following = [[(i + j) % rows for j in range(1, height + 1)] for i in range(rows)]
        widths = [columns] * rows
        reads = row_covers("torus reads", widths, family=Family.PART)
        super().__init__("torus", widths, following, k, family=Family.K_COTERIE, reads=reads)

    def load(self) -> float:
        return self.sizes()[0] / self.n

    def resilience(self) -> int:
        # A whole row stops its own quorums and those of the h rows before it; a node, one row.
        rows, columns, stopped = len(self.widths), self.widths[0], self.height + 1
        whole = range(-(-rows // stopped) + 1)
        return min(a * columns + max(0, rows - a * stopped) for a in whole) - 1


def torus_exists(rows: int, k: int) -> bool:
    """Both properties of a k-coterie, exactly."""
    h = rows // (k + 1)
    return k >= 1 and k * (h + 1) <= rows and (k == 1 or rows > (k - 1) * (2 * h + 1))


def torus(n: int, k: int = 1, rows: int | None = None) -> Torus:
    """The torus of n nodes with so many rows; of all that exist, with the smallest quorums."""
    slots_among(n, k)
    if rows is not None:
        return _of_rows(n, k, rows)
    shapes = _shapes(n, k)
    if not shapes:
        near = nearest(n, lambda m: bool(_shapes(m, k)))
        raise QuorumError(f"no torus of n={n} nodes is a {k}-coterie: take {near}, or k-blocks")
    _, best = min(shapes)
    return Torus(best, n // best, k)


def _of_rows(n: int, k: int, rows: int) -> Torus:
    if rows < 1 or n % rows:
        raise QuorumError(f"a torus of n={n} nodes has no {rows} rows: take a divisor of {n}")
    if not torus_exists(rows, k):
        near = nearest(rows, lambda r: torus_exists(r, k), "rows")
        raise QuorumError(f"a torus of {rows} rows is no {k}-coterie: take {near}, or k-blocks")
    if rows == n == 2:
        rows = 1  # either way its one quorum is the whole torus
    return Torus(rows, n // rows, k)


def _shapes(n: int, k: int) -> list[tuple[int, int]]:
    """(size of a quorum, rows) of each torus of n nodes."""
    return [
        (n // rows + rows // (k + 1), rows)
        for rows in range(1, n + 1)
        if n % rows == 0 and torus_exists(rows, k)
    ]
