"""Work spread over processes: one for each core, that end with whoever started them."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, connection, get_context, parent_process
from typing import Any, NamedTuple, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")


class Died(NamedTuple):
    """What there is in place of a result where the process that was at it died."""

    why: str = "the process that ran it died"


def spread(
    work: Callable[[Item], Made],
    items: Sequence[Item],
    done: Callable[[int, Made | Died], None],
    jobs: int = 0,
) -> None:
    """Calls `done(i, result)` for each item as it ends; an exception of `work` ends it all.

    `jobs` is how many at once; 0 is one for each core.  Where a process dies, nobody knows whose
    fault it was: what was under way is tried again, one at a time, each in a process of its own.
    """
    jobs = min(jobs or os.cpu_count() or 1, len(items))
    if jobs == 1:
        for i, item in enumerate(items):
            done(i, work(item))
        return
    left = list(range(len(items)))
    while left:
        suspects = in_pool(work, items, left, done, jobs)
        for i in suspects:
            if in_pool(work, items, [i], done, 1):
                done(i, Died())
            left.remove(i)


def in_pool(
    work: Callable[[Item], Made],
    items: Sequence[Item],
    left: list[int],
    done: Callable[[int, Made | Died], None],
    jobs: int,
) -> list[int]:
    """Work on what is left, and take what is done out of it; what was under way at a death."""
    others = active_children()
    todo = iter(list(left))
    running: dict[Future[Any], int] = {}
    # Fresh processes: a fork would inherit whatever threads and locks the caller has.
    with ProcessPoolExecutor(jobs, get_context("spawn"), end_with_parent) as pool:
        try:
            while True:
                with without_interrupts():
                    for _, i in zip(range(2 * jobs - len(running)), todo, strict=False):
                        running[pool.submit(work, items[i])] = i
                if not running:
                    return []
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    result = future.result()
                    i = running.pop(future)
                    left.remove(i)
                    done(i, result)
        except BrokenProcessPool:
            return sorted(running.values())
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
