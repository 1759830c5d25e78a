"""Whether anything notices that an algorithm was broken: its schedules, its bounds, the checker.

A mutant is judged with every setting of the algorithm's options, cheapest judge first.
"""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, ModuleType
from typing import Final, NamedTuple

from grouplock.catalog import Algorithm
from grouplock.check.checker import UNREACHED, VIOLATED, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import NEEDS, Scope
from grouplock.protocol.system import MANY, SETS, SLOTS, System
from tests.schedule import Schedule

GROUPS: Final = 3
SEEDS: Final = range(8)
CALM: Final = 4  # of them without withdrawals, which the bounds do not count
PATIENCE_S: Final = 60  # for one judge of one setting: a handler that never ends is noticed too
STATES: Final = 20_000
SURVIVED: Final = ""


class Judged(NamedTuple):
    by: str  # the judge that noticed, or SURVIVED
    what: str


class TooLong(Exception):
    """A judge did not come to an end."""


def judge(algorithm: Algorithm, source: str) -> Judged:
    module = ModuleType("mutated")
    sys.modules["mutated"] = module
    try:
        exec(compile(source, "mutated", "exec"), module.__dict__)
    except Exception as wrong:  # noqa: BLE001  whatever is wrong with it
        return Judged("import", str(wrong))
    broken = algorithm._replace(make=module.make, messages=module.MESSAGES)
    for options in algorithm.settings():
        slots = 2 if SLOTS in algorithm.supports else 1
        for by in (by_schedules, by_cost, by_checker, by_walks):
            try:
                with at_most(PATIENCE_S):
                    problem = by(algorithm, broken, options, slots)
            except TooLong:
                problem = "it does not come to an end"
            except Exception as wrong:  # noqa: BLE001  whatever a broken handler does
                problem = f"{type(wrong).__name__}: {wrong}"
            if problem:
                return Judged(by.__name__.removeprefix("by_"), problem)
    return Judged(SURVIVED, "")


@contextmanager
def at_most(seconds: int) -> Iterator[None]:
    def ring(_: int, __: FrameType | None) -> None:
        raise TooLong

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def by_schedules(right: Algorithm, broken: Algorithm, options: dict[str, str], slots: int) -> str:
    """Random orders of things: exclusion, everybody served, messages within the bound."""
    for seed in SEEDS:
        system = broken.system(max(slots, 1 + seed % 5), options, slots, groups=GROUPS)
        schedule = Schedule(system)
        calm = seed < CALM
        fifo = system.channel.fifo or seed % 2 == 0
        schedule.run(seed, 4, GROUPS, fifo=fifo, withdrawals=not calm)
        if calm and schedule.sent > system.worst * len(schedule.granted):
            return f"{schedule.sent} messages for {len(schedule.granted)} requests"
    return ""


def by_cost(right: Algorithm, broken: Algorithm, options: dict[str, str], slots: int) -> str:
    """One request at a time, and the same group at every other site: what the catalog claims."""
    system = broken.system(4, options, slots, groups=GROUPS)
    schedule = Schedule(system)
    for turn in range(6):
        for site in range(4):
            schedule.ask(site, (turn + site) % GROUPS)
            schedule.settle()
            schedule.leave(site)
            schedule.settle()
    if schedule.sent > system.light * len(schedule.granted):
        return f"{schedule.sent} messages for {len(schedule.granted)} undisturbed requests"
    return ""


def by_checker(right: Algorithm, broken: Algorithm, options: dict[str, str], slots: int) -> str:
    """All interleavings of small systems, and as many states as the right one has."""
    for n, requests in ((2, 1), (3, 1), (2, 2)):
        scope = scope_of(broken.system(n, options, slots, groups=2), requests)
        found = [
            check(entry.system(n, options, slots, groups=2), scope, STATES)
            for entry in (broken, right)
        ]
        verdicts = found[0].properties
        wrong = [name for name, verdict in verdicts.items() if verdict == VIOLATED]
        if found[0].complete:
            wrong += [name for name, verdict in verdicts.items() if verdict == UNREACHED]
        if wrong:
            return ", ".join(wrong)
        counts = [(f.states, f.transitions, f.complete) for f in found]
        if counts[0] != counts[1] and found[1].complete:
            return f"count: {counts[0][0]} states instead of {counts[1][0]}"
    return ""


def by_walks(right: Algorithm, broken: Algorithm, options: dict[str, str], slots: int) -> str:
    for seed in range(4):
        system = broken.system(4, options, slots, groups=GROUPS)
        result = walk(system, scope_of(system, 4), seed)
        if result.violation is not None:
            return ", ".join(result.violation.properties)
    return ""


def scope_of(system: System, requests: int) -> Scope:
    """With everything that the algorithm supports, but several requests at once: too many."""
    sets = 2 if SETS in system.supports else 1
    events = [
        event
        for event, needs in NEEDS.items()
        if any(need in system.supports for need in needs) and needs != (MANY,)
    ]
    groups = 3 if sets > 1 else 2
    return Scope(groups=groups, sets=sets, requests=requests, events=tuple(events)).checked(
        system, walking=True
    )
