"""Which exceptions of other rooms are the user's own, and how they become one line."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from grouplock.catalog import BadOption, UnknownAlgorithm
from grouplock.check.scope import BadScope
from grouplock.cli.errors import usage
from grouplock.lab.engine import NoExecutor
from grouplock.lab.plots import BadPlot
from grouplock.lab.reproduce import UnknownExperiment
from grouplock.lab.store import OtherCode
from grouplock.measure.trace import BadTrace
from grouplock.measure.workload import BadWorkload
from grouplock.quorums import QuorumError

# The faults of whoever typed the command; everything else is ours and keeps its traceback.
USERS_FAULTS = (
    BadOption,
    BadPlot,
    BadScope,
    BadTrace,
    BadWorkload,
    NoExecutor,
    OtherCode,
    QuorumError,
    UnknownAlgorithm,
    UnknownExperiment,
)


@contextmanager
def users_faults() -> Iterator[None]:
    """Turns the rooms' exceptions for wrong input into one line and status 2."""
    try:
        yield
    except USERS_FAULTS as fault:
        usage(str(fault))
    except BrokenPipeError:
        raise  # nobody's fault
    except OSError as fault:
        where = f"{fault.filename}: " if fault.filename else ""
        usage(f"{where}{fault.strerror or fault}")


@contextmanager
def names_file(path: Path | None) -> Iterator[None]:
    """Adds the file's name to what goes wrong while it is written: a full disk says no name."""
    try:
        yield
    except OSError as fault:
        if path is not None and fault.filename is None:
            fault.filename = str(path)
        raise
