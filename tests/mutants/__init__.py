"""Broken variants of the algorithms: each differs from the right one by one edit of its text.

A compiled class cannot be subclassed, so a mutant is the algorithm's source with the edit made,
run interpreted.  The edited text must be there exactly once, so that no mutant goes stale.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final, NamedTuple

import grouplock
from grouplock.catalog import find
from grouplock.check.scope import Scope
from grouplock.properties import (
    ASSERTION,
    CONCURRENT_ENTRY,
    EXCLUSION,
    INTEGRITY,
    NO_DEADLOCK,
    ONE_TOKEN,
    SERVED,
)
from grouplock.protocol.site import Site
from grouplock.protocol.system import System

TAG: Final = re.compile("  # L[0-9]+$", re.MULTILINE)  # the lines' numbers, which may move
ALGORITHMS: Final = Path(grouplock.__file__).parent / "algorithms"

Make = Callable[[ModuleType, int, list[int], int], Site[Any]]

MAKERS: Final[dict[str, Make]] = {
    "central": lambda module, me, peers, slots: module.Central(me, peers, slots),
    "ricart-agrawala": lambda module, me, peers, slots: module.RicartAgrawala(me, peers),
    "suzuki-kasami": lambda module, me, peers, slots: module.SuzukiKasami(me, peers),
    "ra1": lambda module, me, peers, slots: module.RA1(me, peers),
    "token-gme": lambda module, me, peers, slots: module.TokenGME(me, peers, True),
}


class Mutant(NamedTuple):
    name: str
    algorithm: str
    before: str
    after: str
    caught_by: str
    n: int = 2
    scope: Scope = Scope(groups=2, requests=1)
    slots: int = 1

    def system(self) -> System:
        """The algorithm with the edit made."""
        module = self.module()
        n, slots = self.n, self.slots
        make = MAKERS[self.algorithm]

        def mutated(me: int) -> Site[Any]:
            return make(module, me, [site for site in range(n) if site != me], slots)

        right = find(self.algorithm).system(n, {}, slots)
        return right._replace(messages=module.MESSAGES, make=mutated)

    def right_system(self) -> System:
        return find(self.algorithm).system(self.n, {}, self.slots)

    def module(self) -> ModuleType:
        path = ALGORITHMS / f"{self.algorithm.replace('-', '_')}.py"
        source = TAG.sub("", path.read_text())
        times = source.count(self.before)
        assert times == 1, f"{self.name}: its text is {times} times in {path.name}"
        name = f"tests.mutants.{self.name.replace('-', '_')}"
        module = ModuleType(name)
        sys.modules[name] = module
        code = compile(source.replace(self.before, self.after), f"{path} as {self.name}", "exec")
        exec(code, module.__dict__)
        return module


TWICE: Final = Scope(groups=2, requests=2)
WITHDRAWING: Final = Scope(groups=2, requests=1, events=("withdraw",))

MUTANTS: Final = (
    Mutant(
        "ra1-same-group-waits",
        "ra1",
        "if self.phase == IDLE or ask.group == self.group:",
        "if self.phase == IDLE:",
        CONCURRENT_ENTRY,
    ),
    Mutant(
        "ra1-nobody-is-older",
        "ra1",
        "precedes(self.stamp, self.me, ask.stamp, src)",
        "self.stamp <= ask.stamp",
        NO_DEADLOCK,
    ),
    Mutant(
        "ra1-inside-lets-others-in",
        "ra1",
        "return self.phase == INSIDE or precedes",
        "return self.phase != INSIDE and precedes",
        EXCLUSION,
    ),
    Mutant(
        "ra1-forgets-a-site",
        "ra1",
        "self.missing = len(self.peers)",
        "self.missing = len(self.peers) - 1",
        ASSERTION,
        n=3,
    ),
    Mutant(
        "ricart-agrawala-clock-stands-still",
        "ricart-agrawala",
        "self.clock = max(self.clock, msg.stamp)",
        "pass",
        EXCLUSION,
        scope=TWICE,
    ),
    Mutant(
        "ricart-agrawala-forgets-whom-it-owes",
        "ricart-agrawala",
        "for site in self.deferred:",
        "for site in self.deferred[:0]:",
        SERVED,
    ),
    Mutant(
        "suzuki-kasami-passes-on-while-inside",
        "suzuki-kasami",
        "if self.holds and self.phase == IDLE and self.waits(src):",
        "if self.holds and self.waits(src):",
        ASSERTION,
    ),
    Mutant(
        "suzuki-kasami-keeps-what-it-sends",
        "suzuki-kasami",
        "self.holds, self.served, self.queue = False, vec[i32](), []",
        "self.queue = []",
        ONE_TOKEN,
    ),
    Mutant(
        "suzuki-kasami-does-not-count-itself-served",
        "suzuki-kasami",
        "self.served[self.me] = self.asked[self.me]",
        "pass",
        ASSERTION,
        scope=TWICE,
    ),
    Mutant(
        "suzuki-kasami-looks-at-nobody",
        "suzuki-kasami",
        "for step in range(1, self.n):",
        "for step in range(1, 1):",
        SERVED,
    ),
    Mutant(
        "token-gme-always-safe",
        "token-gme",
        "self.safe = self.old == 0\n",
        "self.safe = True\n",
        EXCLUSION,
        n=3,
    ),
    Mutant(
        "token-gme-counts-no-secondaries",
        "token-gme",
        "            self.issued += 1\n",
        "",
        EXCLUSION,
        n=3,
    ),
    Mutant(
        "token-gme-idle-secondary-stays",
        "token-gme",
        "and self.conflicts(site):\n            self.give_back(out)",
        "and self.conflicts(site):\n            pass",
        NO_DEADLOCK,
        n=3,
    ),
    Mutant(
        "token-gme-new-holder-looks-at-nobody",
        "token-gme",
        "for site in self.peers:\n                self.offer(site, out)",
        "for site in self.peers[:0]:\n                self.offer(site, out)",
        CONCURRENT_ENTRY,
        n=3,
    ),
    Mutant(
        "token-gme-lends-to-nobody",
        "token-gme",
        "if self.group in groups and not (len(groups) > 1 and self.conflict_waits()):",
        "if self.group in groups and self.n < 0:",
        CONCURRENT_ENTRY,
    ),
    Mutant(
        "token-gme-queues-twice",
        "token-gme",
        "if not self.pending(site) or self.queued(site):",
        "if not self.pending(site):",
        ASSERTION,
        n=3,
        scope=Scope(groups=3, requests=1),
    ),
    Mutant(
        "central-never-joins",
        "central",
        "            if slot.group in groups:\n                return place\n",
        "",
        CONCURRENT_ENTRY,
    ),
    Mutant(
        "central-one-group-two-slots",
        "central",
        "            if slot.group in groups:\n                return place\n",
        "",
        EXCLUSION,
        slots=2,
    ),
    Mutant(
        "central-leaves-no-slot-free",
        "central",
        "slot.group, slot.session = CLOSED, 0\n",
        "pass\n",
        SERVED,
    ),
    Mutant(
        "central-grants-what-was-withdrawn",
        "central",
        "        if rid in self.wanted:\n            self.wanted.remove(rid)\n",
        "",
        INTEGRITY,
        scope=WITHDRAWING,
    ),
    Mutant(
        "central-forgets-early-cancellations",
        "central",
        "            self.early.append((src, rid))",
        "            pass",
        NO_DEADLOCK,
        scope=WITHDRAWING,
    ),
    Mutant(
        "central-does-not-answer-a-withdrawal",
        "central",
        "        out.send(src, Cancelled(rid))\n",
        "",
        SERVED,
        scope=WITHDRAWING,
    ),
)
