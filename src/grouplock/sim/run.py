"""One run of the simulator from beginning to end, and what came of it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple

from grouplock.measure.figures import Figures, figures
from grouplock.measure.workload import BadWorkload, Workload
from grouplock.protocol.system import CANCEL, CRASH, LEASES, VIEWS, System
from grouplock.sim.delays import MOST_ADDRESSEES
from grouplock.sim.kernel import Kernel, Recorder, Violated
from grouplock.sim.trouble import NO_TROUBLE, Trouble

SLICE = 200_000  # events between two looks at the progress


class Violation(NamedTuple):
    property: str
    reason: str


class Outcome(NamedTuple):
    figures: Figures
    violation: Violation | None


class Progress(NamedTuple):
    served: int
    of: int
    in_flight: int


def simulate(
    system: System,
    workload: Workload,
    trouble: Trouble = NO_TROUBLE,
    *,
    fifo: bool = True,
    watched: bool = True,
    recorder: Callable[[Kernel], Recorder] | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Runs until every site has made its requests and nothing is on its way any more.

    A violated promise ends the run at once; an assertion inside a handler counts as one.
    """
    refuse_impossible(system, workload, trouble)
    kernel = Kernel(system, workload, trouble, fifo, watched)
    if recorder is not None:
        kernel.recorder = recorder(kernel)
        kernel.out = kernel.recorder
    violation = None
    asked = workload.n * workload.requests
    began = time.perf_counter()
    try:
        with uncollected():
            while kernel.run(SLICE):
                if progress is not None:
                    done = kernel.meter.served + kernel.meter.withdrawn
                    progress(Progress(done, asked, int(kernel.in_flight)))
        kernel.judge_the_end()
    except Violated as broken:
        violation = Violation(broken.name, broken.reason)
    except AssertionError as broken:
        violation = Violation("assertion", f"site {kernel.me}: {str(broken) or 'it failed'}")
    wall = time.perf_counter() - began
    return Outcome(
        figures(
            system.name,
            system.options,
            workload,
            kernel.meter,
            violations=0 if violation is None else 1,
            messages=int(kernel.messages),
            integers=int(kernel.integers),
            events=int(kernel.events),
            wall_s=wall,
        ),
        violation,
    )


@contextmanager
def uncollected() -> Iterator[None]:
    """No search for circles of objects meanwhile: a run makes none, and has much to search."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def refuse_impossible(system: System, workload: Workload, trouble: Trouble) -> None:
    workload.checked()
    assert (system.n, system.slots) == (workload.n, workload.slots)
    if workload.n > MOST_ADDRESSEES:
        raise BadWorkload(f"n is {workload.n}; the simulator takes at most {MOST_ADDRESSEES} sites")
    if system.groups and workload.groups > system.groups:
        raise BadWorkload(
            f"{system.name} was made for {system.groups} groups and cannot take {workload.groups}; "
            f"its quorums are made group by group"
        )
    for wanted, needs in (
        (trouble.patience, CANCEL),
        (trouble.lease, LEASES),
    ):
        if wanted and needs not in system.supports:
            raise BadWorkload(f"{system.name} does not support '{needs}'")
    if trouble.crashes and not {CRASH, VIEWS} & set(system.supports):
        raise BadWorkload(f"{system.name} does not survive crashes; run it without")
    channel = system.channel
    if (trouble.duplicated and not channel.duplicates) or (trouble.lost and not channel.lossy):
        raise BadWorkload(f"{system.name} needs channels that neither lose nor repeat messages")
