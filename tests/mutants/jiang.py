"""Mutants of jiang, over three sites that need two of three."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

ALIKE: Final = Scope(groups=1, requests=1)
STRANGERS: Final = Scope(groups=2, requests=1)
CRASH: Final = Scope(groups=1, requests=1, events=("crash",))


def of_three(
    name: str, before: str, after: str, caught_by: str = NO_DEADLOCK, scope: Scope = ALIKE
) -> Mutant:
    options = {"patience": "never"}
    return mutant(f"jiang-{name}", "jiang", before, after, caught_by, 3, scope, options=options)


MUTANTS: Final[tuple[Mutant, ...]] = (
    of_three(
        "leader-does-not-wait-for-followers",
        "if self.phase != XS or self.followers or self.acks:",
        "if self.phase != XS or self.acks:",
        EXCLUSION,
        STRANGERS,
    ),
    of_three(
        "leader-does-not-wait-for-registrars",
        "if self.phase != XS or self.followers or self.acks:",
        "if self.phase != XS or self.followers:",
        ASSERTION,
    ),
    of_three(
        "forgets-whom-it-was-to-let-in",
        "        for claim in self.pending:\n",
        "        for claim in self.pending[1:]:\n",
    ),
    of_three(
        "calls-nothing-back",
        "elif lock.recall():",
        "elif not lock.queue and lock.recall():",
    ),
    of_three(
        "follower-leaves-silently",
        "elif self.ref not in self.crashes.dead:",
        "elif self.ref in self.crashes.dead:",
    ),
    of_three(
        "leader-stays-registered",
        "        self.phase = XS\n        self.clear(self.path, out)\n",
        "        self.phase = XS\n",
        ASSERTION,
    ),
    of_three(
        "keeps-what-it-is-told-to-give-back",
        "                out.send(src, Yield(msg.stamp))",
        "                insort(self.got, src)",
        scope=STRANGERS,
    ),
    of_three(
        "lends-to-two",
        "        if lock.holder == NOBODY:\n",
        "        if lock.holder == NOBODY or lock.queue[:1] > [lock.holder]:\n",
        EXCLUSION,
        STRANGERS,
    ),
    of_three(
        "does-not-begin-again",
        "        elif self.phase == FS and peer in self.follows:\n"
        "            self.begin(self.rid, self.group, out)\n",
        "",
        scope=CRASH,
    ),
    of_three(
        "nobody-says-that-it-is-calm",
        "                out.send(src, Calm(msg.site))",
        "                pass",
        scope=CRASH,
    ),
)
