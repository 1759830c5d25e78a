"""Mutants of TokenGME with bounded numbers; what paper 004 prints of them is in tests/errata."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

BOUNDED: Final = {"secondary": "once", "numbers": "bounded", "smax": "2"}
THRICE: Final = Scope(groups=2, requests=3)
FOUR_TIMES: Final = Scope(groups=2, requests=4)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "bounded-forgets-what-it-held",
        "token-gme",
        "            numbers.held = False\n            self.ask(out)\n",
        "            numbers.held = False\n",
        NO_DEADLOCK,
        scope=THRICE,
        options=BOUNDED,
    ),
    mutant(
        "bounded-does-not-wait-for-late-asks",
        "token-gme",
        "return src in self.ending and self.heard[src] == self.smax",
        "return src in self.ending",
        ASSERTION,
        scope=FOUR_TIMES,
        options=BOUNDED,
    ),
    mutant(
        "bounded-does-not-wait-for-releases",
        "token-gme",
        "return self.resetter != NOBODY and self.counted == self.expected",
        "return self.resetter != NOBODY",
        EXCLUSION,
        scope=THRICE,
        options=BOUNDED,
    ),
    mutant(
        "bounded-one-site-need-not-count",
        "token-gme",
        "numbers.uncounted = self.n\n",
        "numbers.uncounted = self.n - 1\n",
        ASSERTION,
        scope=THRICE,
        options=BOUNDED,
    ),
    mutant(
        "bounded-enters-while-it-is-frozen",
        "token-gme",
        "        if self.holds == NONE or self.frozen():\n            return\n",
        "        if self.holds == NONE:\n            return\n",
        ASSERTION,
        scope=THRICE,
        options=BOUNDED,
    ),
)
