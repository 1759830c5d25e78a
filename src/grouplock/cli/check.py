"""grouplock check: all interleavings of a small system, or random walks through a larger one."""

from __future__ import annotations

import json
import os
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.status import Status

from grouplock.check import checker
from grouplock.check.checker import HOLDS, UNREACHED, VIOLATED, Progress, Result, Violation
from grouplock.check.random_walk import walk
from grouplock.check.scope import NEEDS, BadScope, Scope
from grouplock.cli import options as opt
from grouplock.cli.errors import VIOLATED as FAILED
from grouplock.cli.faults import names_file, users_faults
from grouplock.measure.trace import Header, end_line, header_line, step_line
from grouplock.measure.workload import Workload
from grouplock.protocol.system import System

_D = Scope()
SITES = 3
LIMIT = 50_000_000
DEFAULT_FILE = Path("counterexample.jsonl")

With = Annotated[
    str,
    typer.Option(
        "--with", metavar="EVENTS", help=f"What may happen beside: {', '.join(NEEDS)}, all."
    ),
]


def check(
    name: opt.Name,
    given: opt.Given = None,
    n: opt.N = SITES,
    groups: opt.Groups = _D.groups,
    sets: opt.Sets = _D.sets,
    slots: opt.Slots = 1,
    requests: opt.Requests = _D.requests,
    quorum: opt.Quorum = None,
    events: With = "",
    faults: Annotated[
        int, typer.Option("--faults", help="Crashes, restarts and renewed views in one run.")
    ] = _D.faults,
    limit: Annotated[
        int, typer.Option("--limit", help="Stop after so many states; 40 bytes each.")
    ] = LIMIT,
    walks: Annotated[
        int, typer.Option("--walks", help="Take so many random walks instead of every way.")
    ] = 0,
    seed: opt.Seed = 1,
    trace: Annotated[
        Path, typer.Option("--trace", metavar="FILE", help="Where a counterexample is saved.")
    ] = DEFAULT_FILE,
    as_json: opt.Json = False,
) -> None:
    """Explore all interleavings of a small system and give a verdict on each promise.

    Every choice of groups is explored.  Keep it small: each site, request and group multiplies
    the states.  Ctrl-C ends it with what was found so far.
    """
    with users_faults():
        workload = Workload(n, groups, sets, slots, requests, seed=seed).checked()
        system = opt.system_for(name, given, workload, quorum)
        named = tuple(e for e in events.replace(" ", "").split(",") if e)
        scope = Scope(groups, sets, requests, named, faults).checked(system, walking=walks > 0)
        if limit < 1:
            raise BadScope(f"limit is {limit}; it must be at least 1")
        if walks < 0:
            raise BadScope(f"walks is {walks}; it must be at least 0")
        with names_file(trace):
            must_be_writable(trace)
        if walks:
            result = take_walks(system, scope, walks, seed)
        else:
            with telling() as tell:
                result = checker.check(system, scope, limit, tell)
        if result.violation is not None:
            with names_file(trace):
                save(trace, header_for(system, scope, seed), result.violation)
    saved = str(trace) if result.violation is not None else None
    if as_json:
        print(json.dumps(as_data(system, scope, result, saved), indent=2))
    else:
        show(system, result, saved, walks)
    raise typer.Exit(FAILED if result.failed else 0)


def take_walks(system: System, scope: Scope, walks: int, seed: int) -> Result:
    """Walk by walk, each with the next seed, until one goes wrong; says how to walk it again."""
    results = []
    for at in range(seed, seed + walks):
        results.append(walk(system, scope, at))
        if results[-1].violation is not None:
            again = [*without(sys.argv[1:], "--walks", "--seed"), "--walks", "1"]
            print(
                f"walk it again: {shlex.join(['grouplock', *again, '--seed', str(at)])}",
                file=sys.stderr,
            )
            break
    return checker.together(results)


def without(arguments: list[str], *names: str) -> list[str]:
    """The arguments without these options and their values."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument in names:
            next(rest, "")
        elif not argument.startswith(tuple(f"{name}=" for name in names)):
            kept.append(argument)
    return kept


def must_be_writable(path: Path) -> None:
    """Better said before an hour of exploring than after it."""
    if path.is_dir():
        raise IsADirectoryError(21, os.strerror(21), str(path))
    with path.open("a"):
        fresh = path.stat().st_size == 0
    if fresh:
        path.unlink()


def header_for(system: System, scope: Scope, seed: int) -> Header:
    return Header(
        "check", system.name, system.options, system.n, scope.groups, scope.sets, system.slots,
        seed, system.quorum, shlex.join(["grouplock", *sys.argv[1:]]),
    )  # fmt: skip


def save(path: Path, header: Header, violation: Violation) -> None:
    lines = [header_line(header), *[step_line(step) for step in violation.steps]]
    names = ", ".join(violation.properties)
    lines.append(end_line("violation", property=names, reason=violation.reason))
    path.write_text("\n".join(lines) + "\n")


def as_data(system: System, scope: Scope, result: Result, saved: str | None) -> dict[str, Any]:
    return {
        "algorithm": system.name,
        "options": system.options,
        "n": system.n,
        "groups": scope.groups,
        "sets": scope.sets,
        "slots": system.slots,
        "requests": scope.requests,
        "with": list(scope.events),
        "states": result.states,
        "transitions": result.transitions,
        "depth": result.depth,
        "complete": result.complete,
        "properties": result.properties,
        "reason": result.violation.reason if result.violation else None,
        "counterexample": saved,
        "wall_s": result.wall_s,
        "states_per_s": result.states / result.wall_s if result.wall_s else 0.0,
    }


def show(system: System, result: Result, saved: str | None, walks: int) -> None:
    console = Console(highlight=False)
    marks = {HOLDS: "green", VIOLATED: "bold red", UNREACHED: "bold red"}
    for name, verdict in result.properties.items():
        style = marks.get(verdict, "")
        if verdict == UNREACHED and not result.complete:
            style = ""
        console.print(f"  {name:<18}{verdict}", style=style)
    if result.violation is not None:
        steps = len(result.violation.steps)
        console.print(f"{result.violation.reason}", soft_wrap=True, style="bold")
        console.print(f"{steps} steps lead there: grouplock replay {saved}", soft_wrap=True)
    if walks:
        how_much = f"{result.transitions:,} steps of {walks} random walks"
    else:
        all_or = "all" if result.complete else "not all"
        how_much = f"{all_or}: {result.states:,} states, {result.transitions:,} transitions"
    rate = result.transitions if walks else result.states
    speed = f"{result.wall_s:.1f} s ({rate / max(result.wall_s, 1e-9):,.0f} a second)"
    console.print(f"{system.name}, {how_much}, {speed}", soft_wrap=True)


@contextmanager
def telling() -> Iterator[Any]:
    """A line on a terminal that says how far it is."""
    console = Console(stderr=True)
    if not sys.stderr.isatty():
        yield lambda progress: None
        return
    with Status("exploring", console=console) as status:
        yield Line(status)


class Line:
    def __init__(self, status: Status) -> None:
        self.status = status
        self.began = time.monotonic()

    def __call__(self, p: Progress) -> None:
        seconds = max(time.monotonic() - self.began, 1e-9)
        self.status.update(
            f"{p.doing}: {p.states:,} states, {p.frontier:,} to expand, depth {p.depth}, "
            f"{p.states / seconds:,.0f} states/s"
        )
