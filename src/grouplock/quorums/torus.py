"""The torus k-coterie: a full row and one node of each of the h rows that follow it, cyclically.

What may live here: J. Jiang, "A group k-mutual exclusion algorithm" (paper 003), section 2,
after S. D. Lang and L. J. Mao, and its k-write-read coterie with row covers as reads.
h = floor(r/(k+1)) for r rows. Two quorums are disjoint exactly when their full rows are more
than h apart both ways round, so at most floor(r/(h+1)) <= k are. That k fit at all needs
k(h+1) <= r, which is what the printed restriction floor(r/(k+1)) < floor(r/k) amounts to. That
fewer than k can *always* be extended needs more: k-1 quorums with gaps of h rows between them
leave no room when r <= (k-1)(2h+1). The exact condition is both together; from k = 4 on only
r = k rows (h = 0, plain disjoint rows) is left.
"""

from grouplock.quorums.composition import row_covers
from grouplock.quorums.rows import RowSystem
from grouplock.quorums.system import Family, QuorumError, QuorumSystem, nearest


class Torus(RowSystem):
    family = Family.K_COTERIE

    def __init__(self, rows: int, columns: int, k: int) -> None:
        if not torus_exists(rows, k):
            better = [r for r in range(1, 4 * (rows + k)) if torus_exists(r, k)]
            raise QuorumError(
                f"a torus of {rows} rows is no {k}-coterie; for k={k} take "
                f"{nearest(rows, better).replace('n=', 'rows=')}, or k-blocks"
            )
        self.height = rows // (k + 1)
        following = [[(i + j) % rows for j in range(1, self.height + 1)] for i in range(rows)]
        super().__init__("torus", [columns] * rows, following, k)

    def reads(self) -> QuorumSystem:
        return row_covers("torus reads", self.widths)

    def load(self) -> float:
        return self.sizes()[0] / self.n

    def resilience(self) -> int:
        # A whole row stops its own quorums and those of the h rows before it; a node, one row.
        rows, columns, stopped = len(self.widths), self.widths[0], self.height + 1
        whole = range(-(-rows // stopped) + 1)
        return min(a * columns + max(0, rows - a * stopped) for a in whole) - 1


def torus_exists(rows: int, k: int) -> bool:
    """Both properties of a k-coterie, exactly (for a torus with more than one column)."""
    h = rows // (k + 1)
    return k >= 1 and k * (h + 1) <= rows and (k == 1 or rows > (k - 1) * (2 * h + 1))


def torus(n: int, k: int) -> Torus:
    """The torus of n nodes with the smallest write quorums."""
    shapes = _shapes(n, k)
    if not shapes:
        near = [m for m in range(1, n + 8 * k + 8) if _shapes(m, k)]
        raise QuorumError(
            f"no torus {k}-coterie of n={n} nodes: take {nearest(n, near)}, or k-blocks for any n"
        )
    _, rows = min(shapes)
    return Torus(rows, n // rows, k)


def _shapes(n: int, k: int) -> list[tuple[int, int]]:
    return [
        (n // rows + rows // (k + 1), rows)
        for rows in range(1, n + 1)
        if n % rows == 0 and torus_exists(rows, k)
    ]
