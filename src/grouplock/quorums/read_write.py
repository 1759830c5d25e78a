"""Read and write quorums: every write meets every read.

What may live here: bicoteries that are no k-coteries. In a write-read coterie two writes meet as
well; in a plain bicoterie they need not, which is what locating a moving thing takes: it is
announced to one family and looked for with the other.
- Votes: D. K. Gifford (1979): r + w > total, and 2w > total where writes are to meet.
- Rows and columns: S. Y. Cheung, M. H. Ammar, M. Ahamad (1990): a row meets every transversal.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt

from grouplock.quorums.composition import Composition, even_parts, row_covers
from grouplock.quorums.system import Family, QuorumError, at_least_one_node
from grouplock.quorums.threshold import Threshold, any_one, everybody
from grouplock.quorums.weighted import Weighted


def read_one(n: int) -> Threshold:
    """Write to all, read any one."""
    return Threshold("read-one", n, n, reads=any_one("read-one reads", n))


def rw_votes(
    n: int, weights: Sequence[int] | None = None, threshold: int | None = None
) -> Weighted:
    """Writes of `threshold` votes (a majority, unless told otherwise), reads of the rest + 1."""
    given = (1,) * at_least_one_node(n) if weights is None else tuple(weights)
    writes = Weighted("rw-votes", given, threshold, n=n)
    reads = Weighted(
        "rw-votes reads", given, writes.total - writes.threshold + 1, n=n, family=Family.PART
    )
    if 2 * writes.threshold <= writes.total:
        raise QuorumError(
            f"two writes of {writes.threshold} of {writes.total} votes can miss each other: "
            f"take a threshold of {writes.total // 2 + 1} to {writes.total}"
        )
    writes.reads = reads
    return writes


def rw_grid(n: int) -> Composition:
    """Writes are full rows, reads take one node of every row."""
    widths = even_parts(n, isqrt(at_least_one_node(n)))
    rows = [everybody("row", width) for width in widths]
    reads = row_covers("rw-grid reads", widths, family=Family.PART)
    return Composition(
        "rw-grid", any_one("any", len(rows)), rows, family=Family.BICOTERIE, reads=reads
    )
