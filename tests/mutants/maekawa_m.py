"""Mutants of Maekawa_M and Toyomura's algorithm.

One is missing: letting any request of the holders' group join starves an older stranger only where
requests never end.  tests/algorithms/test_maekawa_m.py shows it.
"""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK
from tests.mutants.mutant import Mutant, mutant

TWICE: Final = Scope(groups=2, requests=2)

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "maekawa-m-decides-on-arrival",
        "maekawa-m",
        "more = self.call_back(node, place, out)",
        "more = claim in node.queue and self.call_back(node, place, out)",
        NO_DEADLOCK,
        n=3,
    ),
    mutant(
        "maekawa-m-calls-back-once-ever",
        "maekawa-m",
        "            claim.called = False\n",
        "",
        NO_DEADLOCK,
        n=3,
        scope=TWICE,
        options={"locks": "1"},
    ),
    mutant(
        "maekawa-m-gives-back-while-inside",
        "maekawa-m",
        "if self.phase == WAITING and msg.clock == self.current:",
        "if msg.clock == self.current:",
        ASSERTION,
        n=3,
    ),
    mutant(
        "maekawa-m-answers-an-old-inquiry",
        "maekawa-m",
        "if self.phase == WAITING and msg.clock == self.current:",
        "if self.phase == WAITING:",
        ASSERTION,
        n=3,
        scope=TWICE,
        options={"locks": "1"},
    ),
    mutant(
        "maekawa-m-lends-to-everybody",
        "maekawa-m",
        "return same and len(node.holders) < self.limit",
        "return len(node.holders) < self.limit",
        EXCLUSION,
    ),
    mutant(
        "maekawa-m-lends-once",
        "maekawa-m",
        "return same and len(node.holders) < self.limit",
        "return same and len(node.holders) < 1",
        CONCURRENT_ENTRY,
    ),
    mutant(
        "maekawa-m-one-lock-is-not-called-back",
        "maekawa-m",
        "losers = [youngest]",
        "losers = []",
        NO_DEADLOCK,
        options={"locks": "1"},
    ),
    mutant(
        "maekawa-m-takes-back-what-it-told",
        "maekawa-m",
        "if not claim.told():",
        "if claim.clock:",
        ASSERTION,
    ),
    mutant(
        "maekawa-m-new-claims-are-last",
        "maekawa-m",
        "self.node(node).queue.append(claim)\n                sift(self.nodes[node].queue)",
        "self.node(node).queue.append(claim)",
        NO_DEADLOCK,
        n=3,
    ),
)
