"""A case is one run to be made, by names and numbers alone: it can be sent to another process."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from typing import NamedTuple

from grouplock.catalog import find
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
    """The outcomes in the order of the cases; `done(i)` is called as each ends.

    `jobs` is how many at once; 0 is one for each core.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(cases))
    if jobs == 1:
        outcomes = []
        for i, case in enumerate(cases):
            outcomes.append(run_case(case))
            done(i)
        return outcomes
    found: dict[int, Outcome] = {}
    others = active_children()
    # Fresh processes: a fork would inherit whatever threads and locks the caller has.
    with ProcessPoolExecutor(jobs, get_context("spawn"), end_with_parent) as pool:
        running: dict[Future[Outcome], int] = {}
        todo = iter(enumerate(cases))
        try:
            while True:
                with without_interrupts():
                    for i, case in _some(todo, 2 * jobs - len(running)):
                        running[pool.submit(run_case, case)] = i
                if not running:
                    return [found[i] for i in range(len(cases))]
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    i = running.pop(future)
                    found[i] = future.result()
                    done(i)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in active_children():
                if worker not in others:
                    worker.kill()  # what it is at is not wanted any more
            raise


@contextmanager
def without_interrupts() -> Iterator[None]:
    """Processes that are started here never see ctrl-C, which is for whoever started them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def end_with_parent() -> None:
    """In a worker: it does not outlive the process that started it, however that ended."""
    parent = parent_process()
    assert parent is not None
    alive = parent.sentinel

    def watch() -> None:
        connection.wait([alive])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def _some(todo: Iterator[tuple[int, Case]], most: int) -> Iterator[tuple[int, Case]]:
    for _, item in zip(range(most), todo, strict=False):
        yield item


def seeds(workload: Workload, runs: int) -> list[Workload]:
    """The workload under as many seeds: its own and the ones after it."""
    return [workload._replace(seed=workload.seed + i) for i in range(runs)]
