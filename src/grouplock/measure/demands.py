"""What a site asks for, request by request: how long it thinks, which groups, how long inside.

Drawn in blocks from the seed, the site and the block's number alone, so that a site's k-th
request is the same under every algorithm: runs of one seed are paired.
"""

from __future__ import annotations

from typing import Final, final

import numpy as np
from librt.vecs import vec
from mypy_extensions import i64

from grouplock.measure.workload import Workload
from grouplock.protocol.groups import Groups

BLOCK: Final = 128
STREAM: Final = 1  # tells these draws from others of the same seed


@final
class Demands:
    """The requests of one site, in order: `advance`, then read the three."""

    def __init__(self, workload: Workload, site: int) -> None:
        self.workload: Final = workload
        self.site: Final = site
        self.block = 0
        self.at: i64 = BLOCK - 1  # the present request's place in its block
        self.thinks = vec[float]()
        self.insides = vec[float]()
        self.choices: list[Groups] = []

    def advance(self) -> None:
        self.at += 1
        if self.at == BLOCK:
            self.draw()
            self.at = 0

    def think(self) -> float:
        return self.thinks[self.at]

    def inside(self) -> float:
        return self.insides[self.at]

    def groups(self) -> Groups:
        return self.choices[self.at]

    def draw(self) -> None:
        w = self.workload
        rng = np.random.default_rng([w.seed, STREAM, self.site, self.block])
        self.block += 1
        self.thinks = vec[float](rng.exponential(w.think, BLOCK))
        self.insides = vec[float](rng.uniform(0.0, 2 * w.inside, BLOCK))
        if w.sets == 1:
            edges = np.cumsum(w.weights())[:-1]
            alone = [(g,) for g in range(w.groups)]
            self.choices = [alone[g] for g in np.searchsorted(edges, rng.random(BLOCK)).tolist()]
        else:
            # The `sets` largest of log weight + Gumbel noise are drawn as if one after another.
            with np.errstate(divide="ignore"):
                keys = np.log(w.weights()) + rng.gumbel(size=(BLOCK, w.groups))
            drawn = np.sort(np.argsort(-keys, axis=1)[:, : w.sets], axis=1)
            self.choices = [tuple(row) for row in drawn.tolist()]
