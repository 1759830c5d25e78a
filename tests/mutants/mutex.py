"""Mutants of the plain mutual exclusion algorithms."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, ONE_TOKEN, SERVED
from tests.mutants.mutant import Mutant, mutant

TWICE: Final = Scope(groups=2, requests=2)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "ricart-agrawala-clock-stands-still",
        "ricart-agrawala",
        "self.clock = max(self.clock, msg.stamp)",
        "pass",
        EXCLUSION,
        scope=TWICE,
    ),
    mutant(
        "ricart-agrawala-forgets-whom-it-owes",
        "ricart-agrawala",
        "for site in self.deferred:",
        "for site in self.deferred[:0]:",
        SERVED,
    ),
    mutant(
        "suzuki-kasami-passes-on-while-inside",
        "suzuki-kasami",
        "if self.holds and self.phase == IDLE and self.waits(src):",
        "if self.holds and self.waits(src):",
        ASSERTION,
    ),
    mutant(
        "suzuki-kasami-keeps-what-it-sends",
        "suzuki-kasami",
        "self.holds, self.served, self.queue = False, vec[i32](), []",
        "self.queue = []",
        ONE_TOKEN,
    ),
    mutant(
        "suzuki-kasami-does-not-count-itself-served",
        "suzuki-kasami",
        "self.served[self.me] = self.asked[self.me]",
        "pass",
        ASSERTION,
        scope=TWICE,
    ),
    mutant(
        "suzuki-kasami-looks-at-nobody",
        "suzuki-kasami",
        "for step in range(1, self.n):",
        "for step in range(self.n, self.n):",
        SERVED,
    ),
)
