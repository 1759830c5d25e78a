"""Mutants of the fixed coordinator."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import CONCURRENT_ENTRY, EXCLUSION, INTEGRITY, NO_DEADLOCK, SERVED
from tests.mutants.mutant import Mutant, mutant

WITHDRAWING: Final = Scope(groups=2, requests=1, events=("withdraw",))

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "central-never-joins",
        "central",
        "            if slot.group in groups:\n                return place\n",
        "",
        CONCURRENT_ENTRY,
    ),
    mutant(
        "central-one-group-two-slots",
        "central",
        "            if slot.group in groups:\n                return place\n",
        "",
        EXCLUSION,
        slots=2,
    ),
    mutant(
        "central-leaves-no-slot-free",
        "central",
        "slot.group, slot.session = CLOSED, 0\n",
        "pass\n",
        SERVED,
    ),
    mutant(
        "central-grants-what-was-withdrawn",
        "central",
        "        if rid in self.wanted:\n            self.wanted.remove(rid)\n",
        "",
        INTEGRITY,
        scope=WITHDRAWING,
    ),
    mutant(
        "central-forgets-early-cancellations",
        "central",
        "            self.early.append((src, rid))",
        "            pass",
        NO_DEADLOCK,
        scope=WITHDRAWING,
    ),
    mutant(
        "central-does-not-answer-a-withdrawal",
        "central",
        "        out.send(src, Cancelled(rid))\n",
        "",
        SERVED,
        scope=WITHDRAWING,
    ),
)
