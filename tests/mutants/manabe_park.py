"""Mutants of Manabe and Park's algorithm, over three sites whose quorums form a ring."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import ONCE, Mutant, mutant

AGAIN: Final = Scope(groups=1, requests=2)


def of_three(
    name: str, before: str, after: str, caught_by: str, scope: Scope = ONCE, choice: str = "any"
) -> Mutant:
    given = {"choice": choice}
    return mutant(
        f"manabe-park-{name}", "manabe-park", before, after, caught_by, 3, scope, options=given
    )


def unguarded(name: str, before: str, after: str, scope: Scope = ONCE) -> Mutant:
    """With the Oks as a set, and a manager that does not look at whose Lock or Release it is."""
    looks = (
        "        assert self.status in (OFFERED, RECALLED)\n        assert self.holder == pivot\n"
    )
    leaves = "        assert (self.status, self.holder) == (LOCKED, pivot)\n"
    counts_once = (
        "        insort(self.oks, manager)\n",
        "        if manager not in self.oks:\n            insort(self.oks, manager)\n",
    )
    found = of_three(name, before, after, EXCLUSION, scope)
    edits = (*found.variant.edits, counts_once, (looks, ""), (leaves, ""))
    return found._replace(variant=found.variant._replace(edits=edits))


MUTANTS: Final[tuple[Mutant, ...]] = (
    unguarded("keeps-what-it-gave-back", "self.oks.remove(src)", "pass"),
    of_three(
        "follower-tells-its-caller-too",
        "self.tell_quorum(NoNeed(msg.stamp), src, out)",
        "self.tell_quorum(NoNeed(msg.stamp), NOBODY, out)",
        EXCLUSION,
    ),
    of_three(
        "over-after-the-first-finished",
        "if len(self.finished) == len(self.quorum):",
        "if len(self.finished) == 1:",
        ASSERTION,
    ),
    of_three(
        "pivot-is-not-called",
        "lock.group, [pivot]",
        "lock.group, [pivot][:0]",
        ASSERTION,
    ),
    of_three(
        "no-need-of-the-holder-frees-nothing",
        "            self.offer(out)\n        elif who in self.called:",
        "            pass\n        elif who in self.called:",
        NO_DEADLOCK,
    ),
    unguarded(
        "takes-an-old-ok",
        "        if not self.waits(ok.stamp):",
        "        if self.phase != WAITING:",
        Scope(groups=2, requests=2),
    ),
    of_three(
        "takes-an-old-enter",
        "            if self.waits(msg.stamp):\n                self.caller",
        "            if self.phase == WAITING:\n                self.caller",
        NO_DEADLOCK,
        AGAIN,
    ),
    of_three(
        "recalls-for-nobody",
        "            if self.queue[0][1] == src:",
        "            if self.queue[0][1] == src and self.queue[0][0] < self.holder[0]:",
        NO_DEADLOCK,
    ),
)
