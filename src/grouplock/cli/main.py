"""The command itself: which subcommands there are, and how any of them ends."""

from __future__ import annotations

import errno
import os
import sys
from typing import Any

import typer

import grouplock
from grouplock.cli import (
    algorithms,
    bench,
    check,
    compare,
    demo,
    live,
    quorum,
    replay,
    serve,
    sim,
    twin,
)
from grouplock.cli.errors import BAD_USAGE, INTERRUPTED

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)

app = typer.Typer(
    name="grouplock",
    help="A distributed group lock, and the algorithms behind it: simulated, checked, run.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("sim")(sim.sim)
app.command("compare")(compare.compare)
app.command("check")(check.check)
app.command("replay")(replay.replay)
app.command("algorithms")(algorithms.algorithms)
app.command("quorum")(quorum.quorum)
app.command("demo")(demo.demo)
app.command("live")(live.live)
app.command("bench")(bench.bench)
app.command("serve")(serve.serve)
app.command("twin")(twin.twin)


@app.callback(invoke_without_command=True)
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
    try:
        status: Any = app(arguments or ["--help"], prog_name=app.info.name, standalone_mode=False)
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
