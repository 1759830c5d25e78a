"""Vectors with one 32-bit cell for each site: unboxed, because n sites have n of them."""

from __future__ import annotations

from librt.vecs import append, vec
from mypy_extensions import i32


def zeros(n: int) -> vec[i32]:
    cells = vec[i32]()
    for _ in range(n):
        cells = append(cells, 0)
    return cells


def copy(cells: vec[i32]) -> vec[i32]:
    return cells[:]


def freeze(cells: vec[i32]) -> tuple[int, ...]:
    """For a saved state."""
    return tuple([int(c) for c in cells])


def thaw(cells: tuple[int, ...]) -> vec[i32]:
    fresh = vec[i32]()
    for c in cells:
        fresh = append(fresh, i32(c))
    return fresh
