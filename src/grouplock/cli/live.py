"""grouplock live: the same algorithm over real TCP, one process for each site."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import Progress, TaskID
from rich.table import Table

from grouplock.cli import site
from grouplock.cli.errors import INTERRUPTED, NOT_FINISHED, VIOLATED, usage
from grouplock.cli.faults import names_file, users_faults
from grouplock.cli.options import (
    Bandwidth,
    Delay,
    Given,
    Groups,
    Inside,
    Json,
    N,
    Name,
    Quorum,
    Requests,
    Seed,
    Sets,
    Skew,
    Slots,
    Think,
    parse_skew,
    system_for,
)
from grouplock.measure.trace import Header
from grouplock.measure.workload import Workload
from grouplock.net import launcher
from grouplock.net.launcher import Outcome, Plan, Watcher, launch
from grouplock.net.verdict import Verdict

_D = Workload()
MOST_SITES = 64  # processes of one machine, each with a connection to each other

Trace = Annotated[
    Path | None, typer.Option("--trace", metavar="FILE", help="Keep every step, as JSON lines.")
]
Patience = Annotated[
    float,
    typer.Option("--patience", metavar="SECONDS", help="Without any progress, the run is ended."),
]


def live(
    name: Name,
    n: N = _D.n,
    given: Given = None,
    groups: Groups = _D.groups,
    sets: Sets = _D.sets,
    slots: Slots = _D.slots,
    requests: Requests = _D.requests,
    think: Think = _D.think,
    inside: Inside = _D.inside,
    delay: Delay = _D.delay,
    bandwidth: Bandwidth = _D.bandwidth,
    skew: Skew = None,
    quorum: Quorum = None,
    seed: Seed = _D.seed,
    patience: Patience = 10.0,
    trace: Trace = None,
    as_json: Json = False,
) -> int:
    """Run an algorithm over TCP, one process for each site; a unit of time is a millisecond."""
    with users_faults():
        workload = Workload(
            n=n,
            groups=groups,
            sets=sets,
            slots=slots,
            requests=requests,
            think=think,
            inside=inside,
            delay=delay,
            bandwidth=bandwidth,
            skew=parse_skew(skew),
            seed=seed,
        ).checked()
        if n > MOST_SITES:
            usage(f"--n {n} would start as many processes; live takes at most {MOST_SITES}")
        if not patience > 0:
            usage(f"--patience is {patience:g}; it must be more than 0 seconds")
        system = system_for(name, given, workload, quorum)
        if trace is not None:
            trace.open("w").close()  # now, not after the run
        header = Header(
            driver="live",
            algorithm=system.name,
            options=system.options,
            n=n,
            groups=groups,
            sets=sets,
            slots=slots,
            seed=seed,
            quorum=system.quorum,
            command=shlex.join(["grouplock", *sys.argv[1:]]),
        )
    plan = Plan(
        system=system,
        workload=workload,
        argv=site.argv(system, groups),
        patience_s=patience,
        header=header,
        trace=trace,
    )
    err = Console(stderr=True)
    with (
        users_faults(),
        names_file(trace),
        Progress(transient=True, console=err, disable=not err.is_terminal) as bar,
    ):
        task = bar.add_task(system.name, total=n * requests)
        outcome = launch(plan._replace(watcher=_Bar(bar, task)))
    return tell(outcome, as_json)


class _Bar(Watcher):
    def __init__(self, bar: Progress, task: TaskID) -> None:
        self.bar = bar
        self.task = task

    def tick(self, verdict: Verdict, messages: int, upto: int) -> None:
        self.bar.update(self.task, completed=verdict.meter.served)


def tell(outcome: Outcome, as_json: bool) -> int:
    """Prints the figures, says on stderr what went wrong, answers with the exit status."""
    for trouble in outcome.troubles:
        print(f"grouplock: {trouble}", file=sys.stderr)
    if as_json:
        print(json.dumps(outcome.figures._asdict()))
    else:
        _print_figures(outcome)
    return how_it_ended(outcome)


def how_it_ended(outcome: Outcome) -> int:
    if outcome.violation is not None:
        print(
            f"grouplock: violated {outcome.violation.property}: {outcome.violation.reason}",
            file=sys.stderr,
        )
        _print_last_lines(outcome)
        return VIOLATED
    if outcome.ended == launcher.FAILED:
        print(f"grouplock: the run could not be finished: {outcome.failure}", file=sys.stderr)
        _print_last_lines(outcome)
        return NOT_FINISHED
    if outcome.ended == launcher.INTERRUPTED:
        return INTERRUPTED
    return 0


def _print_last_lines(outcome: Outcome) -> None:
    for line in outcome.last_lines:
        print(f"  {line}", file=sys.stderr)


def _print_figures(outcome: Outcome) -> None:
    f = outcome.figures
    table = Table(show_header=False, title=f"{f.algorithm}, {f.n} processes, {f.wall_s:.1f} s")
    table.add_column(style="bold")
    table.add_column()
    w = f.waiting
    rows = (
        ("served", f"{f.served} of {f.n * f.requests}"),
        ("violations", str(f.violations)),
        ("messages", f"{f.messages}, {f.messages_per_request:.2f} a request"),
        ("integers a message", f"{f.integers_per_message:.2f}"),
        (
            "waiting, ms",
            f"mean {w['mean']:.1f}, median {w['p50']:.1f}, 99% {w['p99']:.1f}, max {w['max']:.1f}",
        ),
        ("served a second", f"{f.throughput * 1000:.0f}"),
        ("inside together", f"mean {f.concurrency['mean']:.2f}, max {f.concurrency['max']:.0f}"),
        ("between sessions, ms", f"{f.sync_delay['mean']:.2f}"),
        ("sessions", str(f.sessions)),
    )
    for row in rows:
        table.add_row(*row)
    Console().print(table)
