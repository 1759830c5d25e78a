"""Mutants of Lamport's, Raymond's and Singhal's algorithms."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, NO_DEADLOCK, ONE_TOKEN, SERVED
from tests.mutants.mutant import Mutant, mutant

ONCE: Final = Scope(groups=1, requests=1)
TWICE: Final = Scope(groups=1, requests=2)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "lamport-answers-with-an-equal-stamp",
        "lamport",
        "self.clock = max(self.clock, msg.stamp) + 1\n",
        "self.clock = max(self.clock, msg.stamp)\n",
        SERVED,
    ),
    mutant(
        "lamport-strikes-nobody-off",
        "lamport",
        "self.asked[src] = 0\n",
        "pass\n",
        NO_DEADLOCK,
    ),
    mutant(
        "lamport-does-not-look-at-the-queue",
        "lamport",
        "if self.asked[site] and not self.is_younger(int(self.asked[site]), site):",
        "if self.unheard:",
        EXCLUSION,
    ),
    mutant(
        "raymond-asks-twice",
        "raymond",
        "and self.queue and not self.asked:",
        "and self.queue:",
        ASSERTION,
        n=3,
        scope=ONCE,
    ),
    mutant(
        "raymond-does-not-ask-back",
        "raymond",
        "out.send(head, Token())\n",
        "out.send(head, Token())\n                return\n",
        SERVED,
        n=3,
        scope=ONCE,
    ),
    mutant(
        "raymond-believes-that-it-still-asks",
        "raymond",
        "self.towards, self.asked = self.me, False\n",
        "self.towards = self.me\n",
        NO_DEADLOCK,
        scope=TWICE,
    ),
    mutant(
        "raymond-keeps-the-token-that-it-sends",
        "raymond",
        "self.towards = head\n",
        "pass\n",
        ONE_TOKEN,
        scope=ONCE,
    ),
    mutant(
        "singhal-heuristic-passes-on-while-inside",
        "singhal-heuristic",
        "if self.holds and self.phase == IDLE:",
        "if self.holds:",
        ASSERTION,
        scope=ONCE,
    ),
    mutant(
        "singhal-heuristic-does-not-ask-who-waits-too",
        "singhal-heuristic",
        "if self.phase == WAITING and not self.waits[site]:",
        "if self.phase != WAITING and self.waits[site]:",
        SERVED,
        n=3,
        scope=TWICE,
    ),
    mutant(
        "singhal-heuristic-prefers-its-own-news",
        "singhal-heuristic",
        "if self.numbers[site] > self.token_numbers[site]:",
        "if self.numbers[site] >= self.token_numbers[site]:",
        ASSERTION,
        n=3,
        scope=TWICE,
    ),
    mutant(
        "singhal-heuristic-does-not-ask-the-token-what-is-late",
        "singhal-heuristic",
        "return self.holds and number <= self.token_numbers[site]",
        "return False",
        SERVED,
        n=3,
        scope=TWICE,
    ),
    mutant(
        "singhal-dynamic-does-not-ask-whom-it-allowed",
        "singhal-dynamic",
        "                self.asks.add(src)\n",
        "",
        EXCLUSION,
        scope=TWICE,
    ),
    mutant(
        "singhal-dynamic-does-not-ask-whom-it-let-in-last",
        "singhal-dynamic",
        "            self.asks.add(site)\n",
        "",
        EXCLUSION,
        scope=TWICE,
    ),
    mutant(
        "singhal-dynamic-does-not-ask-back",
        "singhal-dynamic",
        "if self.phase == WAITING:\n                    out.send",
        "if self.phase != WAITING:\n                    out.send",
        ASSERTION,
        n=3,
        scope=ONCE,
    ),
    mutant(
        "singhal-dynamic-clock-stands-still",
        "singhal-dynamic",
        "self.clock = max(self.clock, msg.stamp)",
        "pass",
        EXCLUSION,
        n=3,
        scope=TWICE,
    ),
)
