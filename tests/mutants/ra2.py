"""Mutants of RA2; those of paper 004's erratum on it are in tests/errata."""

from __future__ import annotations

from typing import Final

from grouplock.properties import CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "ra2-does-not-wait-for-followers",
        "ra2",
        "            if self.may_be_inside(site):\n                return\n",
        "            pass\n",
        EXCLUSION,
        n=3,
    ),
    mutant(
        "ra2-followers-leave-silently",
        "ra2",
        "if not self.leads:\n                    self.allow(site, out)\n",
        "if not self.leads:\n                    pass\n",
        NO_DEADLOCK,
        n=3,
    ),
    mutant(
        "ra2-waits-for-its-own-group",
        "ra2",
        "return self.asked[site] != invited or self.wants[site] != self.group",
        "return True",
        CONCURRENT_ENTRY,
        n=3,
    ),
    mutant(
        "ra2-what-one-is-told-all-are-told",
        "ra2",
        "        self.told[dst] = self.now\n",
        "        self.told = vec[i64]([self.now] * self.n)\n",
        EXCLUSION,
        n=3,
    ),
    mutant(
        "ra2-leaves-what-changed-in-its-place",
        "ra2",
        "            self.to_the_end(site)\n",
        "",
        EXCLUSION,
        n=3,
    ),
    mutant(
        "ra2-does-not-hear-who-has-left",
        "ra2",
        "            self.learn_left(src, msg.left)\n",
        "",
        NO_DEADLOCK,
        n=3,
    ),
    mutant(
        "ra2-an-answer-tells-of-no-invitations",
        "ra2",
        "self.invited.learn(msg.invited)\n            self.learn_left",
        "self.learn_left",
        EXCLUSION,
        n=3,
    ),
)
