"""Quantiles of a stream in bounded memory: counts per step of a logarithmic scale.

A value is placed to within 0.05%, so memory grows with how many orders of magnitude the values
span and not with how many there are.
"""

from __future__ import annotations

import math
from typing import Final, final

STEP: Final = 0.001  # of the natural logarithm
ZERO: Final = -1_000_000  # the step of values that are 0


@final
class Quantiles:
    def __init__(self) -> None:
        self.counts: Final[dict[int, int]] = {}
        self.count = 0
        self.total = 0.0
        self.largest = 0.0

    def add(self, value: float) -> None:
        step = math.floor(math.log(value) / STEP) if value > 0.0 else ZERO
        self.counts[step] = self.counts.get(step, 0) + 1
        self.count += 1
        self.total += value
        if value > self.largest:
            self.largest = value

    def mean(self) -> float:
        return self.total / self.count if self.count else 0.0

    def at(self, share: float) -> float:
        """The smallest value that at least this share of the values does not exceed."""
        below = 0
        for step in sorted(self.counts):
            below += self.counts[step]
            if below >= share * self.count:
                if step == ZERO:
                    return 0.0
                return min(self.largest, math.exp((step + 0.5) * STEP))
        return 0.0
