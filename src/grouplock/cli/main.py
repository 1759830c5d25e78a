"""The command itself: which subcommands there are, and how any of them ends."""

from __future__ import annotations

import sys
from typing import Any

import typer

import grouplock
from grouplock.cli import algorithms, bench, check, compare, demo, live, quorum, replay, sim
from grouplock.cli.errors import BAD_USAGE, INTERRUPTED

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


@app.callback(invoke_without_command=True)
def root(version: bool = typer.Option(False, "--version", help="Print the version.")) -> None:
    if version:
        print(f"grouplock {grouplock.__version__}")
        raise typer.Exit


def main() -> None:
    """Runs a command; wrong usage is one line on stderr and status 2, never a traceback."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    try:
        status: Any = app(arguments or ["--help"], prog_name=app.info.name, standalone_mode=False)
        sys.stdout.flush()
    except typer.TyperException as fault:
        said = fault.format_message()
        print(f"grouplock: {' '.join(said.split())} (see grouplock --help)", file=sys.stderr)
        return BAD_USAGE
    except typer.Exit as end:
        status = end.exit_code
    except (typer.Abort, KeyboardInterrupt):
        status = INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has gone; that is their right.
        sys.stderr.close()
        return 0
    if status == INTERRUPTED:
        print("grouplock: interrupted", file=sys.stderr)
    return status if isinstance(status, int) else 0
