"""The heuristic token algorithm as the literature retells it."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import SERVED
from grouplock.protocol.channel import FIFO
from tests.errata.erratum import Erratum
from tests.variants import Variant

ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        Variant(
            "singhal-heuristic-strands-a-request",
            "singhal-heuristic",
            (
                (
                    "            if self.is_late(src, msg.number):\n"
                    "                self.answer_late(src, out)\n"
                    "                return\n",
                    "            if msg.number <= self.numbers[src]:\n                return\n",
                ),
            ),
            n=3,
        ),
        paper="002",
        place="table 1, Singhal's heuristic, as retold",
        title="a belief is given up while the Ask that should replace it is on its way",
        breaks=SERVED,
        scope=Scope(groups=1, requests=2),
        channel=FIFO,
    ),
)
