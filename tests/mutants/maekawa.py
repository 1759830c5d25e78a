"""Mutants of Maekawa's algorithm, and of the part that lends and recalls locks."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant
from tests.picks import everybody
from tests.variants import Variant

ONCE: Final = Scope(groups=1, requests=1)
TWICE: Final = Scope(groups=1, requests=2)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "maekawa-recalls-one-lock-ever",
        "maekawa",
        "        self.recalled = False\n        self.holder = self.queue",
        "        self.holder = self.queue",
        NO_DEADLOCK,
        n=3,
        scope=TWICE,
    ),
    mutant(
        "maekawa-sits-on-an-inquiry",
        "maekawa",
        "self.locks.refuse(src)\n                self.hand_over(out)",
        "self.locks.refuse(src)",
        NO_DEADLOCK,
        n=3,
        scope=ONCE,
    ),
    mutant(
        "maekawa-counts-what-it-gave-back",
        "maekawa",
        "            self.held.remove(arbiter)\n",
        "",
        ASSERTION,
        n=3,
        scope=ONCE,
    ),
    Mutant(
        Variant(
            "maekawa-queues-it-last",
            "maekawa",
            (
                (
                    "insort(self.queue, stamp)\n        self.holder = NOBODY",
                    "self.queue.append(stamp)\n        self.holder = NOBODY",
                ),
            ),
            3,
            pick=everybody(3),
        ),
        NO_DEADLOCK,
        ONCE,
    ),
)
