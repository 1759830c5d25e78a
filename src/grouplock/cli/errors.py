"""How a command ends when it was used wrongly: one line on stderr, status 2, no traceback."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

VIOLATED = 1
BAD_USAGE = 2
NOT_FINISHED = 3  # a process of the run died, or could not go on
INTERRUPTED = 130  # what a shell reports for ctrl-C


def usage(message: str) -> NoReturn:
    print(f"grouplock: {message}", file=sys.stderr)
    raise typer.Exit(BAD_USAGE)
