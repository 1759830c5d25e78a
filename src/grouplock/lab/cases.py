"""A case is one run to be made, by names and numbers alone: it can be sent to another process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from grouplock.catalog import find
from grouplock.lab.spread import Died, spread
from grouplock.measure.workload import Workload
from grouplock.sim.run import Outcome, simulate
from grouplock.sim.trouble import NO_TROUBLE, Trouble


class Case(NamedTuple):
    algorithm: str
    options: dict[str, str]
    workload: Workload
    fifo: bool = True
    trouble: Trouble = NO_TROUBLE
    quorum: str | None = None


def run_case(case: Case) -> Outcome:
    w = case.workload
    system = find(case.algorithm).system(w.n, case.options, w.slots, case.quorum, w.groups)
    return simulate(system, w, case.trouble, fifo=case.fifo)


def run_all(cases: Sequence[Case], done: Callable[[int], None], jobs: int = 0) -> list[Outcome]:
    """The outcomes in the order of the cases; `done(i)` is called as each ends."""
    found: dict[int, Outcome] = {}

    def keep(i: int, outcome: Outcome | Died) -> None:
        if isinstance(outcome, Died):
            raise RuntimeError(f"{outcome.why}: {cases[i]}")
        found[i] = outcome
        done(i)

    spread(run_case, cases, keep, jobs)
    return [found[i] for i in range(len(cases))]


def seeds(workload: Workload, runs: int) -> list[Workload]:
    """The workload under as many seeds: its own and the ones after it."""
    return [workload._replace(seed=workload.seed + i) for i in range(runs)]
