"""Whether anything notices that an algorithm was broken: by what it costs, does, promises.

The cheapest judge comes first, with every setting of the algorithm's options, and the first
verdict ends it.  Last come exact numbers, as the ordinary suite pins them: of messages in an
undisturbed run, of states and transitions.
"""

from __future__ import annotations

import functools
from typing import Final, NamedTuple

from grouplock.catalog import Algorithm, find
from grouplock.check.checker import UNREACHED, VIOLATED, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import FAIL, NEEDS, OVERLAP, Scope
from grouplock.protocol.effects import Effect
from grouplock.protocol.message import Message
from grouplock.protocol.system import SETS, SLOTS, System
from tests.conformance.author import examine
from tests.deep.broken import made_of, watched
from tests.schedule import Schedule

GROUPS: Final = 3
SEEDS: Final = range(60)
CALM: Final = 30  # of them without withdrawals, which the bounds do not count
WALKS: Final = 60
AUTHORS: Final = 10
STATES: Final = 40_000  # of one setting
STATES_IN_ALL: Final = 360_000  # of all settings
LEVELS: Final = (
    (2, 1, 2),
    (2, 2, 2),
    (3, 1, 2),
    (3, 1, 4),
    (3, 2, 2),
    (4, 1, 2),
)  # n, requests, groups
RESTLESS: Final = 20  # times the messages, or the steps, that the right one may take
SURVIVED: Final = ""


class Judged(NamedTuple):
    by: str  # the judge that noticed, or SURVIVED
    what: str


class Setting(NamedTuple):
    name: str
    options: tuple[tuple[str, str], ...]
    slots: int

    def system(self, entry: Algorithm, n: int, groups: int = GROUPS) -> System:
        return entry.system(n, dict(self.options), self.slots, groups=groups)


def judge(algorithm: Algorithm, source: str) -> Judged:
    broken = made_of(algorithm, source)
    for name, by, rounds in JUDGES:
        for at in range(rounds):
            for setting in settings(algorithm):
                try:
                    with watched():
                        problem = by(setting, broken, at)
                except Exception as wrong:  # noqa: BLE001  whatever a broken handler does
                    problem = f"{type(wrong).__name__}: {wrong}"
                if problem:
                    return Judged(name, problem)
    return Judged(SURVIVED, "")


def settings(algorithm: Algorithm) -> list[Setting]:
    several = (1, 2) if SLOTS in algorithm.supports else (1,)
    return [
        Setting(algorithm.name, tuple(options.items()), slots)
        for options in algorithm.settings()
        for slots in several
    ]


class Limited(Schedule):
    """A schedule that does come to rest."""

    def __init__(self, system: System, requests: int) -> None:
        super().__init__(system)
        self.steps_left = int(RESTLESS * requests * (system.worst + 10))

    def hand(self, src: int, dst: int, msg: Message) -> list[Effect]:
        self.steps_left -= 1
        assert self.steps_left, "there is no end to its messages"
        return super().hand(src, dst, msg)


def by_bounds(setting: Setting, broken: Algorithm, _: int) -> str:
    """One request at a time, each site as often as the others: the claim for light load."""
    schedule = undisturbed(setting.system(broken, 4))
    if schedule.sent > schedule.system.light * len(schedule.granted):
        return f"{schedule.sent} messages for {len(schedule.granted)} undisturbed requests"
    return ""


def undisturbed(system: System) -> Schedule:
    schedule = Limited(system, 6 * system.n)
    for turn in range(6):
        for site in range(system.n):
            schedule.ask(site, (turn + site) % GROUPS)
            schedule.settle()
            assert schedule.inside, "nobody disturbs it, and it is not served"
            schedule.leave(site)
            schedule.settle()
    return schedule


def by_schedules(setting: Setting, broken: Algorithm, seed: int) -> str:
    """Random orders of things: exclusion, everybody served, messages within the bound."""
    n = max(setting.slots, 1 + seed % 5)
    system = setting.system(broken, n)
    schedule = Limited(system, 4 * n)
    calm = seed < CALM
    fifo = system.channel.fifo or seed % 2 == 0
    schedule.run(seed, 4, GROUPS, fifo=fifo, withdrawals=not calm)
    if calm and schedule.sent > system.worst * len(schedule.granted):
        return f"{schedule.sent} messages for {len(schedule.granted)} requests"
    return ""


def by_walks(setting: Setting, broken: Algorithm, seed: int) -> str:
    """Long interleavings with starved channels, withdrawals, crashes."""
    system, scope = strolling(setting, broken, seed)
    most = steps_of_a_walk(setting, seed) * RESTLESS
    result = walk(system, scope, seed, most, shortest=False)
    if result.violation is not None:
        return ", ".join(result.violation.properties)
    return "it does not come to rest" if result.transitions == most else ""


@functools.cache
def steps_of_a_walk(setting: Setting, seed: int) -> int:
    return walk(*strolling(setting, find(setting.name), seed), seed).transitions


def strolling(setting: Setting, entry: Algorithm, seed: int) -> tuple[System, Scope]:
    system = setting.system(entry, max(setting.slots, 3 + seed % 3))
    return system, scope_of(system, 4, GROUPS, overlap=True)


def by_author(setting: Setting, broken: Algorithm, seed: int) -> str:
    """A site that was loaded does as one that lived through it all."""
    system, scope = strolling(setting, broken, seed)
    examine(system, walk(system, scope, seed).steps)
    return ""


def by_checker(setting: Setting, broken: Algorithm, level: int) -> str:
    """All interleavings of small systems, or as many as there is patience for."""
    verdicts, _ = explored(setting, broken, level)
    return ", ".join(verdicts)


def by_numbers(setting: Setting, broken: Algorithm, level: int) -> str:
    """As the right one: messages, states, transitions."""
    sent = undisturbed(setting.system(broken, 4)).sent
    if sent != messages_of(setting):
        return f"{sent} messages instead of {messages_of(setting)}"
    _, counts = explored(setting, broken, level)
    if counts != counts_of(setting, level):
        return f"{counts[0]} states instead of {counts_of(setting, level)[0]}"
    return ""


@functools.cache
def messages_of(setting: Setting) -> int:
    return undisturbed(setting.system(find(setting.name), 4)).sent


@functools.cache
def counts_of(setting: Setting, level: int) -> tuple[int, int, bool]:
    return explored(setting, find(setting.name), level)[1]


@functools.lru_cache(maxsize=100)  # two judges in turn look at the same
def explored(
    setting: Setting, entry: Algorithm, level: int
) -> tuple[list[str], tuple[int, int, bool]]:
    """What is wrong, and the numbers."""
    n, requests, groups = LEVELS[level]
    system = setting.system(entry, n, groups)
    most = min(STATES, STATES_IN_ALL // len(settings(entry)))
    result = check(system, scope_of(system, requests, groups), most)
    bad = [VIOLATED, UNREACHED] if result.complete else [VIOLATED]
    wrong = [name for name, verdict in result.properties.items() if verdict in bad]
    return wrong, (result.states, result.transitions, result.complete)


def scope_of(system: System, requests: int, groups: int, overlap: bool = False) -> Scope:
    """With everything that the algorithm supports; several requests at once are for walks."""
    sets = 2 if SETS in system.supports and groups > 2 else 1
    left_out = set() if overlap else {OVERLAP}
    if system.n < 3:
        left_out.add(FAIL)  # no quorum may be left
    events = [
        event
        for event, needs in NEEDS.items()
        if any(need in system.supports for need in needs) and event not in left_out
    ]
    return Scope(groups, sets, requests, tuple(events)).checked(system, walking=True)


# The name of a judge, what it does, how many rounds it goes.
JUDGES: Final = (
    ("bounds", by_bounds, 1),
    ("schedules", by_schedules, len(SEEDS)),
    ("walks", by_walks, WALKS),
    ("author", by_author, AUTHORS),
    ("checker", by_checker, len(LEVELS)),
    ("numbers", by_numbers, len(LEVELS)),
)
