"""Mutants of surrogate over an information structure."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

ONE_GROUP: Final = Scope(groups=1, requests=1)
TWICE: Final = Scope(groups=2, requests=2)
RA: Final = {"structure": "ricart-agrawala"}
SINGLETON: Final = {"structure": "ricart-agrawala", "singleton": "on"}

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "sanders-clock-stands-still",
        "sanders",
        "self.clock = max(self.clock, msg.clock)",
        "pass",
        ASSERTION,
        n=3,
        scope=ONE_GROUP,
        options=RA,
    ),
    mutant(
        "sanders-agrees-to-one-at-a-time",
        "sanders",
        "            if self.me in self.structure.tells(site):\n                return",
        "            return",
        NO_DEADLOCK,
        scope=TWICE,
        options=RA,
    ),
    mutant(
        "sanders-says-that-nothing-is-open",
        "sanders",
        "return [] if weight == WHOLE else",
        "return [] if weight != NOTHING else",
        ASSERTION,
        scope=TWICE,
        options=SINGLETON,
    ),
    mutant(
        "sanders-follower-tells-its-leader-alone",
        "sanders",
        "informed = self.structure.askers(leader[1])",
        "informed = (leader[1],)",
        NO_DEADLOCK,
        scope=TWICE,
        options=SINGLETON,
    ),
    mutant(
        "sanders-does-not-look-again",
        "sanders",
        "            if self.phase == WAITING:\n                self.lead_if_possible(out)",
        "            pass",
        NO_DEADLOCK,
        scope=TWICE,
        options=SINGLETON,
    ),
)
