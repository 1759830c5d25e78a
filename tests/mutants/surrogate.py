"""Mutants of surrogate and of its parts: weights, guests, what is fulfilled, who waits."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, CONCURRENT_ENTRY, EXCLUSION, INTEGRITY, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant
from tests.picks import Given
from tests.variants import Variant

TWICE: Final = Scope(groups=2, requests=2)
SETS: Final = Scope(groups=3, sets=2, requests=1)
LEAVE: Final = {"release": "leave", "stale": "off"}
ON: Final = {"entry": "on"}

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "surrogate-follower-leaves-a-lock-behind",
        "surrogate",
        "            assert self.desk.returned == NOTHING\n            self.lend(out)\n",
        "            assert self.desk.returned == NOTHING\n",
        NO_DEADLOCK,
        n=3,
        options=ON,
    ),
    mutant(
        "surrogate-leader-forgets-its-guests",
        "surrogate",
        "return not self.inside and (self.closed or not self.guests)",
        "return not self.inside",
        EXCLUSION,
        n=3,
        options=LEAVE,
    ),
    mutant(
        "surrogate-gives-what-it-keeps",
        "surrogate",
        "        weight = share(self.parts, others)\n        self.parts += others\n",
        "        weight = share(self.parts, others)\n",
        ASSERTION,
        n=3,
    ),
    mutant(
        "surrogate-frees-the-lock-at-the-first-return",
        "surrogate",
        "return self.returned == WHOLE",
        "return self.returned != NOTHING",
        ASSERTION,
        n=3,
    ),
    Mutant(
        Variant(
            "surrogate-invites-whoever-waits",
            "surrogate",
            (
                (
                    "welcome = [stamp for stamp, groups in waiting if group in groups]",
                    "welcome = [stamp for stamp, groups in waiting]",
                ),
            ),
            4,
            pick=Given([(3,), (3,), (3,), (3,)]),
        ),
        INTEGRITY,
        SETS,
    ),
    mutant(
        "surrogate-invites-a-guest-again",
        "surrogate",
        "if tenure is None or stamp in tenure.guests or self.fulfilled.knows(stamp):",
        "if tenure is None or self.fulfilled.knows(stamp):",
        ASSERTION,
        scope=TWICE,
        options=ON,
    ),
    mutant(
        "surrogate-steps-down-for-the-fulfilled",
        "surrogate",
        "unmet = [stamp for stamp in self.heard.conflicts if not self.fulfilled.knows(stamp)]",
        "unmet = self.heard.conflicts",
        CONCURRENT_ENTRY,
        scope=TWICE,
        options=ON,
    ),
    mutant(
        "surrogate-drops-what-is-forwarded-early",
        "surrogate",
        "self.heard.forwarded[stamp] = msg.groups",
        "pass",
        CONCURRENT_ENTRY,
        n=3,
        options=ON,
    ),
)
