"""Vectors with one 32-bit cell for each site: unboxed, because n sites have n of them."""

from __future__ import annotations

from typing import Final

from librt.vecs import vec
from mypy_extensions import i32

_ZEROS: Final = vec[i32]([0] * 1024)


def zeros(n: int) -> vec[i32]:
    if n <= len(_ZEROS):
        return _ZEROS[:n]  # a copy, and a quick one
    return vec[i32]([0] * n)


def copy(cells: vec[i32]) -> vec[i32]:
    return cells[:]


def freeze(cells: vec[i32]) -> tuple[int, ...]:
    """For a saved state."""
    return tuple([int(c) for c in cells])


def thaw(cells: tuple[int, ...]) -> vec[i32]:
    return vec[i32](cells)
