"""What the catalog claims of an algorithm's costs, beside what comes out when it runs."""

from __future__ import annotations

import statistics
from typing import Any, Final, NamedTuple

from grouplock.catalog import ALGORITHMS, Algorithm
from grouplock.lab.rounds import Rounds
from grouplock.measure.workload import Workload
from grouplock.properties import TOGETHER
from grouplock.protocol.system import System
from grouplock.sim.run import simulate

SITES: Final = 9
GROUPS: Final = 3
TURNS: Final = 6  # of every site, where nobody draws anything
REQUESTS: Final = 60  # of every site, in the simulator
SEEDS: Final = 5  # until most are together


class Pair(NamedTuple):
    claimed: float | None  # None where nothing is claimed
    measured: float


class Measured(NamedTuple):
    algorithm: str
    options: dict[str, str]  # those that differ from the defaults
    light: Pair  # messages a request while nobody else asks; at most, amortised
    heavy: Pair  # messages a request while all ask; claimed is the most there may be
    waiting: Pair  # hops to enter while nobody else asks, at most
    handover: Pair  # hops from one session to the next while all wait, the mean
    together: Pair  # how many can be inside, and how many were
    integers_light: float  # a message
    integers_heavy: float

    def as_json(self) -> dict[str, Any]:
        return {
            "options": self.options,
            "messages": {"light": self.light._asdict(), "heavy": self.heavy._asdict()},
            "hops": {"waiting": self.waiting._asdict(), "handover": self.handover._asdict()},
            "together": self.together._asdict(),
            "integers": {"light": self.integers_light, "heavy": self.integers_heavy},
        }


def settings() -> list[tuple[Algorithm, dict[str, str]]]:
    """Of each algorithm its defaults, and one setting for each other set of claims that it has."""
    found = []
    for entry in ALGORITHMS:
        seen: list[Any] = []
        defaults = entry.settle({})
        for settled in [defaults, *entry.settings()]:
            with_them = entry.with_options(settled)
            claims = (with_them.bounds, with_them.hops, with_them.promises, with_them.family)
            if claims not in seen:
                seen.append(claims)
                found.append((entry, {k: v for k, v in settled.items() if v != defaults[k]}))
    return found


def measure(entry: Algorithm, options: dict[str, str]) -> Measured:
    system = entry.system(SITES, options, groups=GROUPS)
    to_enter, to_hand_over = entry.hops_among(SITES, options, GROUPS)
    alone, waiting = one_at_a_time(system)
    heavy = simulate(system, Workload(n=SITES, groups=GROUPS, requests=REQUESTS)).figures
    return Measured(
        entry.name,
        options,
        light=Pair(system.light, alone.messages / alone.granted),
        heavy=Pair(system.worst, heavy.messages_per_request),
        waiting=Pair(to_enter, waiting),
        handover=Pair(to_hand_over, statistics.fmean(handovers(system))),
        together=Pair(together(system), most_together(system)),
        integers_light=alone.integers / alone.messages if alone.messages else 0.0,
        integers_heavy=heavy.integers_per_message,
    )


def one_at_a_time(system: System) -> tuple[Rounds, int]:
    """Every site in turn asks, is inside and leaves; and the most hops that one waited."""
    run, most = Rounds(system), 0
    for turn in range(TURNS):
        for site in range(system.n):
            run.ask(site, turn % GROUPS)
            if site not in run.inside:
                most = max(most, run.hops_to_an_entry())
            run.settle()
            run.leave(site)
            run.settle()
    return run, most


def handovers(system: System) -> list[int]:
    """All ask, and whoever is inside leaves, once nothing is on its way: hops to the next entry."""
    run = Rounds(system)
    hops = []
    for turn in range(TURNS):
        for site in range(system.n):
            run.ask(site, (site + turn) % GROUPS)
        run.settle()
        while run.inside:
            run.leave(run.inside[0])
            if run.waiting and not run.inside:
                hops.append(run.hops_to_an_entry())
            run.settle()
    return hops


def together(system: System) -> int | None:
    """All sites, where it is promised that holders of one group meet."""
    if not system.shared:
        return system.slots
    return system.n if TOGETHER in system.promises else None


def most_together(system: System) -> int:
    """All want the same group, and stay for long."""
    most = 0.0
    for seed in range(1, 1 + SEEDS):
        workload = Workload(
            n=system.n, groups=1, requests=REQUESTS, think=0.1, inside=50.0, seed=seed
        )
        most = max(most, simulate(system, workload).figures.concurrency["max"])
    return int(most)
