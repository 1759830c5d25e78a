"""How a command ends when it was used wrongly: one line on stderr, status 2, no traceback."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NoReturn

import typer

from grouplock.catalog import BadOption, UnknownAlgorithm
from grouplock.measure.trace import BadTrace
from grouplock.measure.workload import BadWorkload

VIOLATED = 1
BAD_USAGE = 2
NOT_FINISHED = 3  # a process of the run died, or could not go on
INTERRUPTED = 130  # what a shell reports for ctrl-C

# The faults of whoever typed the command; everything else is ours and keeps its traceback.
USERS_FAULTS = (BadOption, BadTrace, BadWorkload, UnknownAlgorithm)


def usage(message: str) -> NoReturn:
    print(f"grouplock: {message}", file=sys.stderr)
    raise typer.Exit(BAD_USAGE)


@contextmanager
def users_faults() -> Iterator[None]:
    """Turns the rooms' exceptions for wrong input into one line and status 2."""
    try:
        yield
    except USERS_FAULTS as fault:
        usage(str(fault))
    except OSError as fault:
        where = f"{fault.filename}: " if fault.filename else ""
        usage(f"{where}{fault.strerror or fault}")
