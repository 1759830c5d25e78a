"""Mutants of TokenGME: points that paper 004's prose leaves open or says in passing."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

TWICE: Final = Scope(groups=2, requests=2)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "token-gme-ignores-sessions-of-releases",
        "token-gme",
        "            self.released_session, self.released = session, 1\n",
        "            self.released_session, self.released = session, self.released + 1\n",
        NO_DEADLOCK,
        scope=TWICE,
    ),
    mutant(
        "token-gme-enters-with-an-unsafe-token",
        "token-gme",
        "if self.safe and self.phase == WAITING and",
        "if self.phase == WAITING and",
        EXCLUSION,
        n=3,
    ),
    mutant(
        "token-gme-does-not-count-its-own-release",
        "token-gme",
        "        self.count_release(session, out)\n",
        "",
        NO_DEADLOCK,
        scope=TWICE,
    ),
    mutant(
        "token-gme-issues-without-fulfilling",
        "token-gme",
        "            self.fulfilled[site] = self.asked[site]\n",
        "",
        ASSERTION,
    ),
    mutant(
        "token-gme-an-old-ask-overwrites",
        "token-gme",
        "            if msg.number > self.asked[src]:\n",
        "            if msg.number > 0:\n",
        CONCURRENT_ENTRY,
        scope=TWICE,
    ),
)
