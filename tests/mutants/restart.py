"""Mutants of the recovery from crashes."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, NO_DEADLOCK, SERVED
from tests.mutants.mutant import Mutant, mutant

CRASH: Final = Scope(groups=1, requests=1, events=("crash",))
CONFLICT: Final = Scope(groups=2, requests=1, events=("crash",))
CRASHES: Final = Scope(groups=1, requests=1, events=("crash",), faults=2)
GO_ON: Final = {"base": "token-gme", "phases": "2"}

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "restart-begins-while-inside",
        "restart",
        "if self.phase == INSIDE:\n            self.deferred = gone",
        "if self.phase > INSIDE:\n            self.deferred = gone",
        EXCLUSION,
        n=3,
        scope=CONFLICT,
    ),
    mutant(
        "restart-forgets-what-it-deferred",
        "restart",
        "        if self.deferred:\n            self.begin(self.deferred, out)\n        elif",
        "        if",
        NO_DEADLOCK,
        n=3,
        scope=CRASH,
    ),
    mutant(
        "restart-listens-to-older-instances",
        "restart",
        "if parcel.gone < len(self.instance) or (",
        "if parcel.gone < 0 or (",
        ASSERTION,
        n=3,
        scope=CRASH,
    ),
    mutant(
        "restart-drops-newer-instances",
        "restart",
        "            self.early.append((src, parcel))",
        "            pass",
        SERVED,
        n=3,
        scope=CRASH,
        options=GO_ON,
    ),
    mutant(
        "restart-does-not-wait-for-all-dones",
        "restart",
        "        if not self.missing:\n            self.schedule(out)",
        "        if len(self.missing) < 2:\n            self.schedule(out)",
        EXCLUSION,
        n=3,
        scope=CONFLICT,
        options={"base": "token-gme", "phases": "1"},
    ),
    mutant(
        "restart-asks-first-and-then-hears-what-it-kept",
        "restart",
        "        self.is_open = True\n        self.catch_up(out)\n"
        "        if self.phase == WAITING:\n            self.issue(out)\n",
        "        self.is_open = True\n"
        "        if self.phase == WAITING:\n            self.issue(out)\n",
        NO_DEADLOCK,
        n=3,
        scope=CRASH,
        options=GO_ON,
    ),
    mutant(
        "restart-does-not-make-requests-again",
        "restart",
        "            if self.phase == WAITING and not is_old:\n                self.issue(out)\n",
        "",
        SERVED,
        n=3,
        scope=CRASH,
        options={"base": "token-gme", "phases": "1"},
    ),
    mutant(
        "restart-all-turns-at-once",
        "restart",
        "before = turns[k - 1] if k else []",
        "before = turns[k - 1][:0] if k else []",
        EXCLUSION,
        n=3,
        scope=CONFLICT,
    ),
    mutant(
        "restart-forgets-notes-before-it-is-the-coordinator",
        "restart",
        "        self.notes[site] = merged(self.notes.get(site, ()), gone)\n"
        "        if self.coordinator() != self.me:\n            return\n",
        "        if self.coordinator() != self.me:\n            return\n"
        "        self.notes[site] = merged(self.notes.get(site, ()), gone)\n",
        NO_DEADLOCK,
        n=3,
        scope=CRASH,
    ),
    mutant(
        "restart-knows-of-one-crash-at-a-time",
        "restart",
        "self.gone = merged(self.gone, (peer,))",
        "self.gone = (peer,)",
        NO_DEADLOCK,
        n=3,
        scope=CRASHES,
    ),
)
