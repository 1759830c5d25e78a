"""What is to be reached, and the ratios of a run.  Nothing here runs anything.

A ratio is ours to theirs, better is above 1: their time to ours, our rate to theirs.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable
from typing import Final, NamedTuple

from bench.locks.crew import Result
from bench.locks.records import jain
from bench.locks.scenarios import HANDOVER, LOWER_IS_BETTER, PAIR, SCENARIOS
from bench.locks.systems import SYSTEMS

HERE, OURS, FIFO = "ours-here", "ours", "ours-fifo"
FAMILIES: Final = ("redis-py", "redis-raw", "PostgreSQL", "etcd", "ZooKeeper")


class Target(NamedTuple):
    """The least ratio to each of `FAMILIES`."""

    scenario: str
    ours: str
    least: tuple[float, float, float, float, float]


TARGETS: Final = (
    Target("A1", HERE, (40, 12, 20, 350, 400)),
    Target("A1", OURS, (1.8, 0.4, 1.4, 12, 15)),
    Target("A16", OURS, (4, 0.6, 2.7, 30, 45)),
    Target("B0", OURS, (2.5, 1.4, 1.7, 20, 28)),
    Target("C2", OURS, (1.25, 0.9, 3, 8, 4.8)),
    Target("C8", OURS, (1.05, 0.9, 1.65, 2.6, 2.7)),
    Target("S2", OURS, (2, 0.8, 4.8, 30, 14)),
)
HERE_US: Final = 3.0
OF_ASYNCIO: Final = 0.97
JAIN: Final = 0.995
CPU_OF_POSTGRESQL: Final = 0.25


class Measured(NamedTuple):
    """A system in a scenario: the median over rounds of what is compared, and beside it."""

    system: str
    scenario: str
    value: float
    noise: float  # half of what the rounds spread over, of the median
    entries: int
    jain: float  # of all rounds together
    longest_ms: float
    sessions: int
    together: int
    conflicts: int
    cpu_us: float  # of the servers, an entry


class Verdict(NamedTuple):
    scenario: str
    ours: str
    against: str  # a family; or what the demand is
    other: str  # the system that stands for it
    ratio: float
    least: float

    @property
    def met(self) -> bool:
        return self.ratio >= self.least


def measured(result: Result) -> Measured:
    scenario = SCENARIOS[result.scenario]
    figures = [one.figures for one in result.rounds]
    field = {PAIR: "pair_p50_us", HANDOVER: "handover_p50_us"}.get(scenario.figure, "per_s")
    values = [v for v in (float(getattr(f, field)) for f in figures) if not math.isnan(v)]
    middle = statistics.median(values) if values else math.nan
    shares = [sum(counts) for counts in zip(*(one.entries for one in result.rounds), strict=True)]
    return Measured(
        result.system,
        result.scenario,
        middle,
        (max(values) - min(values)) / 2 / middle if values and middle else math.nan,
        sum(f.entries for f in figures),
        jain(shares),
        max(f.longest_wait_ms for f in figures),
        max(f.longest_wait_sessions for f in figures),
        max(f.together for f in figures),
        sum(f.conflicts for f in figures),
        statistics.median(one.cpu_ns for one in result.rounds) / 1e3,
    )


def ratio(ours: Measured, theirs: Measured) -> float:
    if SCENARIOS[ours.scenario].figure in LOWER_IS_BETTER:
        return theirs.value / ours.value if ours.value else math.inf
    return ours.value / theirs.value if theirs.value else math.inf


def fastest(found: Iterable[Measured], scenario: str, family: str) -> Measured | None:
    """Of a family the system that is hardest to beat here."""
    able = [
        one
        for one in found
        if one.scenario == scenario
        and SYSTEMS[one.system].family == family
        and not math.isnan(one.value)
    ]
    lower = SCENARIOS[scenario].figure in LOWER_IS_BETTER
    return min(able, key=lambda one: one.value if lower else -one.value, default=None)


def verdicts(found: list[Measured]) -> list[Verdict]:
    """One for each cell of the table of targets that was measured, then the demands beside it."""
    out = []
    for target in TARGETS:
        ours = fastest(found, target.scenario, target.ours)
        for family, least in zip(FAMILIES, target.least, strict=True):
            theirs = fastest(found, target.scenario, family)
            if ours is not None and theirs is not None:
                name, against = ours.system, theirs.system
                out.append(
                    Verdict(target.scenario, name, family, against, ratio(ours, theirs), least)
                )
    return out + demands(found)


def demands(found: list[Measured]) -> list[Verdict]:
    """Each written as a ratio that has to be at least something."""
    by = {(one.system, one.scenario): one for one in found}
    out = []
    here = fastest(found, "A1", HERE)
    if here is not None:
        most = f"at most {HERE_US:g} µs"
        out.append(Verdict("A1", here.system, most, "", HERE_US / here.value, 1.0))
    ours = fastest(found, "B5", OURS)
    reference = by.get(("asyncio.Lock", "B5"))
    if ours is not None and reference is not None:
        part = ratio(ours, reference)
        out.append(Verdict("B5", ours.system, "asyncio.Lock", "asyncio.Lock", part, OF_ASYNCIO))
    for one in found:
        if SYSTEMS[one.system].family == OURS and not SCENARIOS[one.scenario].own:
            out.append(Verdict(one.scenario, one.system, "Jain index", "", one.jain, JAIN))
    for one in found:
        groups = SCENARIOS[one.scenario].groups
        if SYSTEMS[one.system].family == FIFO:
            # Seen from the client, whose request takes a moment to arrive: one session more.
            bound = 2 * (groups - 1) + 1
            said = f"at most {bound} sessions waited"
            ratio_to_it = bound / max(one.sessions, 1)
            out.append(Verdict(one.scenario, one.system, said, "", ratio_to_it, 1.0))
    mine, theirs = fastest(found, "A16", OURS), fastest(found, "A16", "PostgreSQL")
    if mine is not None and theirs is not None and mine.cpu_us:
        part = theirs.cpu_us / mine.cpu_us
        least = 1 / CPU_OF_POSTGRESQL
        out.append(Verdict("A16", mine.system, "PostgreSQL's CPU", theirs.system, part, least))
    return out


def broken(found: Iterable[Measured]) -> list[Measured]:
    """Systems that let two groups in together, and the control where it was not caught at it."""
    return [
        one
        for one in found
        if not SCENARIOS[one.scenario].own and bool(one.conflicts) != (one.system == "no lock")
    ]
