"""Unboxed arrays of one value."""

from __future__ import annotations

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64


def repeated(value: i64, length: i64) -> vec[i64]:
    return vec[i64](np.full(int(length), int(value), dtype=np.int64))


def repeated_floats(value: float, length: i64) -> vec[float]:
    return vec[float](np.full(int(length), value))
