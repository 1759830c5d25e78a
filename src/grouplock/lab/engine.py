"""Carries out runs: on the cores of this machine, or on several machines through Dask.

A run that fails is named with its parameters and its seed, and the rest goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, NamedTuple

from grouplock.lab.runs import Task, Values, perform
from grouplock.lab.spread import Died, spread
from grouplock.lab.store import Store

LOCAL: Final = "local"
DASK: Final = "dask"


class NoExecutor(ValueError):
    """An executor that there is not, or that is not installed."""


class Failed(NamedTuple):
    task: Task
    why: str

    def told(self) -> str:
        return f"{self.task.told()}: {self.why}"


def attempt(task: Task) -> Values | str:
    """In a worker: the values, or in a line why there are none."""
    try:
        return perform(task)
    except Exception as fault:  # noqa: BLE001  whatever it was: it is named and the rest goes on
        return f"{type(fault).__name__}: {fault}"


def carry_out(
    tasks: Sequence[Task],
    store: Store,
    step: Callable[[], None],
    executor: str = LOCAL,
    jobs: int = 0,
    address: str | None = None,
) -> list[Failed]:
    """Make the runs that the store does not have; which of them failed."""
    todo = [t for t in dict.fromkeys(tasks) if t not in store.kept]
    failed: list[Failed] = []

    def done(i: int, made: Values | str | Died) -> None:
        if isinstance(made, dict):
            store.keep(todo[i], made)
        else:
            failed.append(Failed(todo[i], made.why if isinstance(made, Died) else made))
        step()

    if not todo:
        return []
    if executor == LOCAL:
        spread(attempt, todo, done, jobs)
    elif executor == DASK:
        through_dask(todo, done, jobs, address)
    else:
        raise NoExecutor(f"there is no executor '{executor}' (there are: {LOCAL}, {DASK})")
    return failed


def numbered(i: int, task: Task) -> tuple[int, Values | str]:
    return i, attempt(task)


def through_dask(
    todo: Sequence[Task],
    done: Callable[[int, Values | str], None],
    jobs: int,
    address: str | None,
) -> None:
    """Through joblib's backend: the scheduler at the address, or workers on this machine."""
    try:
        from joblib import Parallel, delayed, parallel_config
    except ImportError:
        raise NoExecutor(NOT_INSTALLED) from None
    with cluster(jobs, address), parallel_config(backend="dask"):
        made: Iterator[Any] = Parallel(n_jobs=-1, return_as="generator_unordered")(
            delayed(numbered)(i, task) for i, task in enumerate(todo)
        )
        for i, values in made:
            done(i, values)


NOT_INSTALLED: Final = "the executor dask needs joblib and distributed: pip install grouplock[dask]"


@contextmanager
def cluster(jobs: int, address: str | None) -> Iterator[None]:
    try:
        import distributed
    except ImportError:
        raise NoExecutor(NOT_INSTALLED) from None
    Client: Any = distributed.Client
    LocalCluster: Any = distributed.LocalCluster
    if address is not None:
        try:
            client = Client(address, timeout=10)
        except (OSError, ValueError) as fault:
            raise NoExecutor(f"no Dask scheduler answers at {address}: {fault}") from None
        with client:
            yield
        return
    with (
        LocalCluster(n_workers=jobs or 2, threads_per_worker=1, dashboard_address=None) as local,
        Client(local),
    ):
        yield
