"""Mutants of the group algorithms without quorums."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "ra1-same-group-waits",
        "ra1",
        "if self.phase == IDLE or ask.group == self.group:",
        "if self.phase == IDLE:",
        CONCURRENT_ENTRY,
    ),
    mutant(
        "ra1-nobody-is-older",
        "ra1",
        "precedes(self.stamp, self.me, ask.stamp, src)",
        "self.stamp <= ask.stamp",
        NO_DEADLOCK,
    ),
    mutant(
        "ra1-inside-lets-others-in",
        "ra1",
        "return self.phase == INSIDE or precedes",
        "return self.phase != INSIDE and precedes",
        EXCLUSION,
    ),
    mutant(
        "ra1-forgets-a-site",
        "ra1",
        "self.missing = len(self.peers)",
        "self.missing = len(self.peers) - 1",
        ASSERTION,
        n=3,
    ),
    mutant(
        "token-gme-always-safe",
        "token-gme",
        "self.safe = self.old == 0\n",
        "self.safe = True\n",
        EXCLUSION,
        n=3,
    ),
    mutant(
        "token-gme-counts-no-secondaries",
        "token-gme",
        "            self.issued += 1\n",
        "",
        EXCLUSION,
        n=3,
    ),
    mutant(
        "token-gme-idle-secondary-stays",
        "token-gme",
        "and self.conflicts(site):\n            self.give_back(out)",
        "and self.conflicts(site):\n            pass",
        NO_DEADLOCK,
        n=3,
    ),
    mutant(
        "token-gme-new-holder-looks-at-nobody",
        "token-gme",
        "for site in self.peers:\n                self.offer(site, out)",
        "for site in self.peers[:0]:\n                self.offer(site, out)",
        CONCURRENT_ENTRY,
        n=3,
    ),
    mutant(
        "token-gme-lends-to-nobody",
        "token-gme",
        "if self.group in groups and self.may_lend(site, groups):",
        "if self.group in groups and self.n < 0:",
        CONCURRENT_ENTRY,
    ),
    mutant(
        "token-gme-queues-twice",
        "token-gme",
        "if not self.pending(site) or is_queued(self.queue, site):",
        "if not self.pending(site):",
        ASSERTION,
        n=3,
        scope=Scope(groups=3, requests=1),
    ),
)
