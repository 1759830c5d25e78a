"""Two levels of different systems: grids of majorities, majorities of grids, blocks side by side.

What may live here: constructions that only compose others.
- Grid-set: D. Agrawal and A. El Abbadi (1990). A majority of groups, a grid inside each.
- RST: S. Rangarajan, S. Setia, S. K. Tripathi (1995). A grid of groups, a majority inside each.
- k blocks: k disjoint coteries side by side, any one of which serves: a k-coterie for every k and
  n >= k, with the sizes of the inner coterie. A read takes one quorum of every block.
"""

from __future__ import annotations

from math import isqrt

from grouplock.quorums.composition import Composition, even_parts
from grouplock.quorums.cyclic import cyclic
from grouplock.quorums.grid import Cross
from grouplock.quorums.system import Family, QuorumError, at_least_one_node
from grouplock.quorums.threshold import any_one, everybody, majority, slots_among


def grid_set(n: int, parts: int | None = None) -> Composition:
    """Three groups unless told otherwise: the fewest of which a majority leaves one out."""
    parts = _parts(n, min(3, at_least_one_node(n)) if parts is None else parts)
    return Composition("grid-set", majority(parts), [Cross(m) for m in even_parts(n, parts)])


def rst(n: int, parts: int | None = None) -> Composition:
    """Groups of three or a few more, as many as fill a rectangle, unless told otherwise."""
    parts = _parts(n, _rectangle(at_least_one_node(n) // 3) if parts is None else parts)
    return Composition("rst", Cross(parts), [majority(m) for m in even_parts(n, parts)])


def k_blocks(n: int, k: int = 1) -> Composition:
    slots_among(n, k)
    blocks = [cyclic(m) for m in even_parts(n, k)]
    reads = Composition("k-blocks reads", everybody("all", k), blocks, family=Family.PART)
    return Composition(
        "k-blocks", any_one("any", k), blocks, k, family=Family.K_COTERIE, reads=reads
    )


def _rectangle(room: int) -> int:
    """The largest s*s or s*(s+1) that is at most `room`, and at least 1."""
    s = max(1, isqrt(room))
    return s * (s + 1) if s * (s + 1) <= room else s * s


def _parts(n: int, parts: int) -> int:
    if not 1 <= parts <= n:
        raise QuorumError(f"{parts} groups of n={n} nodes: take 1 to {n} groups")
    return parts
