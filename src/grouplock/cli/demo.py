"""grouplock demo: a jukebox.  Workers of three processes ask for discs; one disc is on at a time.

Whoever wants the disc that is on listens along; another disc has to wait until all have left.
"""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from grouplock.catalog import find
from grouplock.cli import site
from grouplock.cli.errors import usage
from grouplock.cli.jukebox import Lines, View, screen
from grouplock.cli.live import how_it_ended
from grouplock.cli.options import Json
from grouplock.measure.workload import Workload
from grouplock.net import launcher
from grouplock.net.launcher import Outcome, Plan, launch

ALGORITHM = "token-gme"
NODES = 3
WORKERS = 3  # of each node
DISCS = 4
FAVOURITE = (25.0, 50.0)  # a quarter of the discs is asked for half of the time
FOR_EVER = 1 << 40

Seconds = Annotated[
    float | None, typer.Option("--seconds", help="End after so long; otherwise at ctrl-C.")
]


def demo(seconds: Seconds = None, as_json: Json = False) -> int:
    """Three processes on this machine, workers that ask for discs, and a live view of it."""
    if seconds is not None and not seconds > 0:
        usage(f"--seconds is {seconds:g}; it must be more than 0")
    workload = Workload(
        n=NODES,
        groups=DISCS,
        requests=FOR_EVER,
        think=600,
        inside=300,
        delay=5,
        skew=FAVOURITE,
    ).checked()
    system = find(ALGORITHM).system(NODES, {})
    plan = Plan(
        system=system,
        workload=workload,
        argv=site.argv(system),
        clients=WORKERS,
        seconds=seconds,
    )
    if as_json:
        outcome = launch(plan)
        print(json.dumps(summary(outcome)))
    else:
        outcome = show(plan)
        print(told(outcome))
    if outcome.ended == launcher.INTERRUPTED:
        return 0  # ctrl-C is how this ends
    return how_it_ended(outcome)


def show(plan: Plan) -> Outcome:
    if not sys.stdout.isatty():
        return launch(plan._replace(watcher=Lines(NODES, WORKERS)))
    view = View(f"{plan.system.name}, {NODES} nodes", NODES, WORKERS, DISCS)
    with screen(view):
        return launch(plan._replace(watcher=view))


def summary(outcome: Outcome) -> dict[str, Any]:
    """Waiting is in milliseconds, throughput in entries a second."""
    f = outcome.figures
    entries = outcome.entries
    return {
        "nodes": f.n,
        "entries": entries,
        "violations": f.violations,
        "switches": outcome.switches,
        "messages": f.messages,
        "throughput": entries / f.wall_s if f.wall_s else 0.0,
        "waiting": f.waiting,
    }


def told(outcome: Outcome) -> str:
    s = summary(outcome)
    w = s["waiting"]
    verdict = "two discs were on at once!" if s["violations"] else "never were two discs on at once"
    return (
        f"{s['nodes']} nodes, {s['entries']} entries, {s['switches']} switches of the disc, "
        f"{s['messages']} messages\n"
        f"{s['throughput']:.1f} entries a second, after {w['mean']:.0f} ms in the mean, "
        f"{w['max']:.0f} ms at most\n"
        f"{verdict}"
    )
