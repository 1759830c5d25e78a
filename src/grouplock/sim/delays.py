"""How long messages are on their way: exponential delays, drawn in blocks and sorted in blocks.

A delay is a whole number: (units << BITS) + place.  A unit is the mean delay divided by 2^40; the
place says which of a multicast's addressees it belongs to, so that one sorted row of numbers is
the whole schedule of a multicast at eight bytes a message.
"""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64

STREAM: Final = 2  # tells these draws from others of the same seed
BITS: Final = 16
PLACE: Final = (1 << BITS) - 1
MOST_ADDRESSEES: Final = PLACE
UNITS: Final = 1 << 40  # in one mean delay; 127 of them fit, with a probability of e^-127 for more
BLOCK: Final = 1 << 14  # draws at once


@final
class Rows:
    """Sorted rows of one width: the delays of multicasts to `width` addressees."""

    def __init__(self, seed: int, width: int) -> None:
        self.width: Final[i64] = width
        self.rng: Any = np.random.default_rng([seed, STREAM, width])
        self.at: i64 = 0
        self.drawn = vec[i64]()

    def next(self) -> vec[i64]:
        at = self.at
        if at == len(self.drawn):
            self.draw()
            at = 0
        self.at = at + self.width
        return self.drawn[at : at + self.width]

    def one(self) -> i64:
        """The next of a row of width 1, without a row round it."""
        at = self.at
        if at == len(self.drawn):
            self.draw()
            at = 0
        self.at = at + 1
        return self.drawn[at]

    def draw(self) -> None:
        width = int(self.width)
        means = self.rng.standard_exponential((max(1, BLOCK // width), width))
        means *= UNITS
        delays = means.astype(np.int64)
        delays <<= BITS
        delays |= np.arange(width)
        delays.sort(axis=1)
        self.drawn = vec[i64](delays.ravel())


@final
class Delays:
    def __init__(self, seed: int) -> None:
        self.seed: Final = seed
        self.single: Final = Rows(seed, 1)
        self.rows: Final[dict[int, Rows]] = {}

    def row(self, width: int) -> vec[i64]:
        rows = self.rows.get(width)
        if rows is None:
            rows = Rows(self.seed, width)
            self.rows[width] = rows
        return rows.next()
