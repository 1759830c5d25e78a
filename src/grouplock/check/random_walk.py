"""Random walks: one long interleaving after another, for systems too large to explore.

A walk starves channels and sites for a while, one after another, because most errors need
a message that is very late.  The same seed walks the same way.
"""

from __future__ import annotations

import random
import time
from typing import Final

from grouplock.check.checker import Result, Violation, judged
from grouplock.check.minimise import minimise
from grouplock.check.scope import Scope
from grouplock.check.world import Choice, Violated, World
from grouplock.protocol.system import System

NEGLECT: Final = 40  # steps for which the same channels are starved
STARVED: Final = 0.003  # their weight against 1
RARE: Final = 0.02  # that of a fault
MOST_STEPS: Final = 1_000_000


def walk(
    system: System, scope: Scope, seed: int, most: int = MOST_STEPS, *, shortest: bool = True
) -> Result:
    """Until nothing can happen any more, or something is wrong: that, as the `shortest` run."""
    began = time.monotonic()
    rng = random.Random(seed)
    world = World(system, scope)
    done: list[Choice] = []
    violation = None
    try:
        while len(done) < most:
            if len(done) % NEGLECT == 0:
                hungry = _starve(rng, system.n)
            choices = world.choices()
            if not choices:
                break
            weights = [_weight(choice, hungry) for choice in choices]
            choice = rng.choices(choices, weights)[0]
            if choice.do[0] in ("crash", "restart"):
                lost = [m for m in world.undelivered(choice.site) if rng.random() < 0.5]
                choice = choice._replace(lost=tuple(lost))
            done.append(choice)
            world.do(choice)
    except Violated as violated:
        violation = Violation(violated.properties, violated.reason, tuple(world.steps))
        if shortest:
            found = minimise(system, scope, done, violated.properties)
            violation = Violation(violated.properties, found.reason, tuple(found.steps))
    states = len(done) + 1
    verdicts = judged(system, scope, violation, complete=False, met=world.met)
    wall_s = time.monotonic() - began
    steps = tuple(world.steps)
    return Result(states, len(done), len(done), False, verdicts, violation, wall_s, steps)


def _starve(rng: random.Random, n: int) -> set[tuple[int, int]]:
    """Some channels, as (from, to); (site, site) is the site's own clients."""
    share = rng.choice((0.0, 0.2, 0.5))
    return {(a, b) for a in range(n) for b in range(n) if rng.random() < share}


def _weight(choice: Choice, hungry: set[tuple[int, int]]) -> float:
    kind = choice.do[0]
    if kind in ("crash", "restart", "renew"):
        return RARE
    src = choice.do[1] if kind == "deliver" else choice.site
    return STARVED if (src, choice.site) in hungry else 1.0
