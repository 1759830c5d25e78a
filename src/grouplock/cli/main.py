"""The command itself: which subcommands there are, and how any of them ends."""

from __future__ import annotations

import errno
import importlib
import os
import sys
from typing import Any, Final

import typer

import grouplock
from grouplock.cli.errors import BAD_USAGE, INTERRUPTED

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

# The subcommands, each in the module of its name or in the one that is named here.  Only the one
# that is asked for is imported: who holds a lock does not wait for a library of statistics.
COMMANDS: Final = {
    "demo": "demo",
    "serve": "serve",
    "lock": "lock",
    "ls": "locks",
    "show": "locks",
    "watch": "locks",
    "release": "locks",
    "algorithms": "algorithms",
    "sim": "sim",
    "compare": "compare",
    "check": "check",
    "replay": "replay",
    "quorum": "quorum",
    "live": "live",
    "paper": "paper",
    "twin": "twin",
    "bench": "bench",
}
RUNS_ANOTHER = ("lock",)  # whose own options end with its first argument


def app(names: list[str]) -> typer.Typer:
    """The command with these subcommands."""
    made = typer.Typer(
        name="grouplock",
        help="A distributed group lock, and the algorithms behind it: simulated, checked, run.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    made.callback(invoke_without_command=True)(root)
    for name in names:
        module = importlib.import_module(f"grouplock.cli.{COMMANDS[name]}")
        settings = {"allow_interspersed_args": name not in RUNS_ANOTHER}
        made.command(name, context_settings=settings)(getattr(module, name))
    return made


def root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        print(f"grouplock {grouplock.__version__}")
        raise typer.Exit


def main() -> None:
    """Runs a command; wrong usage is one line on stderr and status 2, never a traceback."""
    open_standard_files()
    sys.exit(run(sys.argv[1:]))


def open_standard_files() -> None:
    """Where one was closed, whatever is opened next would get its place, and its output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
    sys.stdout = sys.stdout or open(1, "w")  # noqa: SIM115  for as long as the process lives
    sys.stderr = sys.stderr or open(2, "w")  # noqa: SIM115


def run(arguments: list[str]) -> int:
    try:
        status = ended(arguments)
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit):  # rich and typer make the one of the other
        # Whoever read our output has gone; that is their right.
        write_nowhere()
        return 0
    except OSError as fault:
        if fault.errno not in NO_ROOM:
            raise
        write_nowhere()
        print(f"grouplock: the output: {fault.strerror}", file=sys.stderr)
        return BAD_USAGE
    return status


def ended(arguments: list[str]) -> int:
    """The status with which the command ended."""
    asked = arguments[0] if arguments else ""
    made = app([asked] if asked in COMMANDS else list(COMMANDS))
    try:
        status: Any = made(arguments or ["--help"], prog_name="grouplock", standalone_mode=False)
    except typer.TyperException as fault:
        said = fault.format_message()
        print(f"grouplock: {' '.join(said.split())} (see grouplock --help)", file=sys.stderr)
        return BAD_USAGE
    except typer.Exit as end:
        status = end.exit_code
    except (typer.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    if status == INTERRUPTED:
        print("grouplock: interrupted", file=sys.stderr)
    return status if isinstance(status, int) else 0


def write_nowhere() -> None:
    """What is still to be written has no place to go; Python would complain at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
