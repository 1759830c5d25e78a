"""Quantiles of a stream in bounded memory: counts per step of a logarithmic scale.

A value is placed to within 0.05%, so memory grows with how many orders of magnitude the values
span and not with how many there are.
"""

from __future__ import annotations

import math
from typing import Final, final

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64

STEP: Final = 0.001  # of the natural logarithm
ROOM: Final = 1 << 10  # cells more than are needed, so that there is seldom too little room


@final
class Quantiles:
    def __init__(self) -> None:
        self.zeros: i64 = 0  # values that have no logarithm
        self.lowest: i64 = 0  # the step of the first cell
        self.cells = vec[i64]()
        self.count = 0
        self.total = 0.0
        self.largest = 0.0

    def add(self, value: float) -> None:
        if value > 0.0:
            step: i64 = math.floor(math.log(value) / STEP)
            at = step - self.lowest
            if at < 0 or at >= len(self.cells):
                self.make_room(step)
                at = step - self.lowest
            self.cells[at] += 1
        else:
            self.zeros += 1
        self.count += 1
        self.total += value
        if value > self.largest:
            self.largest = value

    def make_room(self, step: i64) -> None:
        old = self.cells
        size: i64 = len(old)
        first = min(self.lowest, step - ROOM) if size else step - ROOM
        end = max(self.lowest + size, step + ROOM) if size else step + ROOM
        cells = vec[i64](np.zeros(int(end - first), dtype=np.int64))
        at: i64 = 0
        while at < size:
            cells[self.lowest - first + at] = old[at]
            at += 1
        self.lowest, self.cells = first, cells

    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def at(self, share: float) -> float:
        """The smallest value that at least this share of the values does not exceed."""
        below = self.zeros
        if self.count == 0 or float(below) >= share * self.count:
            return 0.0
        step = self.lowest
        for cell in self.cells:
            below += cell
            if cell and float(below) >= share * self.count:
                break
            step += 1
        return min(self.largest, math.exp((float(step) + 0.5) * STEP))
