"""Mutants of Maekawa_S."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK, SERVED
from tests.mutants.mutant import Mutant, mutant

TWICE: Final = Scope(groups=2, requests=2)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "maekawa-s-everybody-begins-at-home",
        "maekawa-s",
        "path = sorted(self.quorum())",
        "path = sorted(self.quorum(), key=lambda member: member < self.me)",
        NO_DEADLOCK,
        n=3,
    ),
    mutant(
        "maekawa-s-everybody-joins",
        "maekawa-s",
        "return group == self.open_group and (",
        "return bool(self.holders) or (",
        EXCLUSION,
    ),
    mutant(
        "maekawa-s-nobody-joins",
        "maekawa-s",
        "return group == self.open_group and (",
        "return False and (",
        CONCURRENT_ENTRY,
    ),
    mutant(
        "maekawa-s-serves-one-of-the-queue",
        "maekawa-s",
        "            if request[2] == waiting[0][2]:\n",
        "            if request[:2] == waiting[0][:2]:\n",
        CONCURRENT_ENTRY,
        n=3,
    ),
    mutant(
        "maekawa-s-next-request-is-the-last",
        "maekawa-s",
        "self.holders.append((site, rid))",
        "self.holders.append((site, 1))",
        ASSERTION,
        scope=TWICE,
    ),
    mutant(
        "maekawa-s-forgets-the-queue",
        "maekawa-s",
        "            else:\n                self.queue.append(request)\n\n    def save",
        "\n    def save",
        SERVED,
        scope=TWICE,
    ),
)
