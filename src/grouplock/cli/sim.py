"""grouplock sim: one algorithm on virtual time."""

from __future__ import annotations

import json
import math
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from grouplock.cli import options as opt
from grouplock.cli.errors import VIOLATED, usage
from grouplock.cli.faults import names_file, users_faults
from grouplock.cli.progress import bar
from grouplock.lab.cases import Case, run_all, seeds
from grouplock.lab.summary import estimate
from grouplock.measure.figures import VARYING, Figures, value
from grouplock.measure.trace import Header, end_line, header_line
from grouplock.measure.workload import Workload
from grouplock.protocol.system import System
from grouplock.sim.recorder import TraceWriter
from grouplock.sim.run import Outcome, simulate
from grouplock.sim.trouble import Trouble

_D = Workload()

Channel = Annotated[
    str, typer.Option("--channel", help="fifo (as in the papers) or any: messages may overtake.")
]


def sim(
    name: opt.Name,
    given: opt.Given = None,
    n: opt.N = _D.n,
    groups: opt.Groups = _D.groups,
    sets: opt.Sets = _D.sets,
    slots: opt.Slots = _D.slots,
    requests: opt.Requests = _D.requests,
    think: opt.Think = _D.think,
    inside: opt.Inside = _D.inside,
    delay: opt.Delay = _D.delay,
    bandwidth: opt.Bandwidth = _D.bandwidth,
    skew: opt.Skew = None,
    quorum: opt.Quorum = None,
    seed: opt.Seed = _D.seed,
    runs: opt.Runs = 1,
    channel: Channel = "fifo",
    patience: Annotated[
        float, typer.Option("--patience", help="Mean time after which a request is withdrawn.")
    ] = 0.0,
    as_json: opt.Json = False,
    trace: Annotated[
        Path | None, typer.Option("--trace", metavar="FILE", help="Write every step to a file.")
    ] = None,
) -> None:
    """Simulate one algorithm on the papers' workload and print its figures."""
    with users_faults():
        workload = Workload(
            n, groups, sets, slots, requests, think, inside, delay, bandwidth,
            opt.parse_skew(skew), seed,
        ).checked()  # fmt: skip
        system = opt.system_for(name, given, workload, quorum)
        fifo = opt.parse_channel(channel, system)
        if runs < 1:
            usage(f"runs is {runs}; it must be at least 1")
        if runs > 1 and trace is not None:
            usage("a trace is of one run; leave out --runs or --trace")
        trouble = Trouble(patience=patience)
        if runs == 1:
            command = shlex.join(["grouplock", *sys.argv[1:]])
            outcomes = [_one(system, workload, trouble, fifo, trace, command)]
        else:
            cases = [
                Case(name, system.options, w, fifo, trouble, quorum) for w in seeds(workload, runs)
            ]
            with bar(f"{name}: runs", runs) as progress:
                outcomes = run_all(cases, lambda _: progress.step())
    shown = [outcome.figures for outcome in outcomes]
    if as_json:
        print(json.dumps(as_data(shown), indent=2))
    else:
        show(shown)
    raise typer.Exit(report(name, outcomes))


def _one(
    system: System,
    workload: Workload,
    trouble: Trouble,
    fifo: bool,
    trace: Path | None,
    command: str,
) -> Outcome:
    total = workload.n * workload.requests
    with bar(f"{system.name}: requests", total) as progress, names_file(trace):
        if trace is None:
            return simulate(
                system, workload, trouble, fifo=fifo, progress=lambda p: progress.at(p.served)
            )
        with trace.open("w") as file:
            header = Header(
                "sim", system.name, system.options, workload.n, workload.groups,
                workload.sets, workload.slots, workload.seed, system.quorum, command,
            )  # fmt: skip
            file.write(header_line(header) + "\n")
            outcome = simulate(
                system,
                workload,
                trouble,
                fifo=fifo,
                recorder=lambda kernel: TraceWriter(kernel, system.messages, file),
                progress=lambda p: progress.at(p.served),
            )
            broken = outcome.violation
            if broken is None:
                file.write(end_line("done") + "\n")
            else:
                end = end_line("violation", property=broken.property, reason=broken.reason)
                file.write(end + "\n")
        return outcome


def as_data(runs: list[Figures]) -> dict[str, Any]:
    """One run's figures; of several, their means with `ci95`, the half width of each interval."""
    if len(runs) == 1:
        return runs[0]._asdict()
    data: dict[str, Any] = {
        k: dict(v) if isinstance(v, dict) else v for k, v in runs[0]._asdict().items()
    }
    data["ci95"] = {}
    data["runs"] = len(runs)
    for name in VARYING:
        e = estimate(runs, name)
        head, _, inner = name.partition(".")
        if inner:
            data[head][inner] = e.mean
        else:
            data[head] = e.mean
        data["ci95"][name] = e.half
    for name in ("waiting.p50", "waiting.max", "concurrency.max", "virtual_time"):
        head, _, inner = name.partition(".")
        mean = estimate(runs, name).mean
        if inner:
            data[head][inner] = mean
        else:
            data[head] = mean
    for name in ("served", "violations", "messages", "events", "wall_s"):
        data[name] = sum(getattr(run, name) for run in runs)
    data["events_per_s"] = data["events"] / data["wall_s"]
    return data


ROWS = (
    ("messages_per_request", "messages a request", ""),
    ("integers_per_message", "integers a message", ""),
    ("waiting.mean", "waiting, mean", "time"),
    ("waiting.p50", "waiting, half of all", "time"),
    ("waiting.p99", "waiting, 99 of 100", "time"),
    ("waiting.max", "waiting, longest", "time"),
    ("throughput", "requests served", "/time"),
    ("concurrency.mean", "inside at once, mean", ""),
    ("concurrency.max", "inside at once, most", ""),
    ("sync_delay.mean", "synchronisation delay", "time"),
    ("sync_delay.hops", "synchronisation delay", "hops"),
    ("sessions", "sessions", ""),
    ("virtual_time", "virtual time", "time"),
)


def show(runs: list[Figures]) -> None:
    first = runs[0]
    many = len(runs) > 1
    options = "".join([f" {k}={v}" for k, v in first.options.items()])
    seeds_shown = f"seeds {first.seed}-{runs[-1].seed}" if many else f"seed {first.seed}"
    served = sum(run.served for run in runs)
    wall = sum(run.wall_s for run in runs)
    messages = sum(run.messages for run in runs)
    rate = messages / wall if wall else 0.0
    shown = Table(box=box.SIMPLE_HEAD)
    shown.add_column("figure")
    shown.add_column("mean" if many else "value", justify="right")
    if many:
        shown.add_column("±95%", justify="right")
    shown.add_column("unit")
    for name, label, unit in ROWS:
        e = estimate(runs, name) if many else None
        mean = e.mean if e else value(first, name)
        cells = [label, f"{mean:,.4g}" if abs(mean) < 10_000 else f"{mean:,.0f}"]
        if e:
            cells.append(f"{e.half:,.2g}" if math.isfinite(e.half) else "")
        shown.add_row(*cells, unit)
    console = Console()
    title = f"{first.algorithm}{options}: {first.n} sites, {first.groups} groups, {seeds_shown}"
    console.print(title, style="bold", soft_wrap=True)
    console.print(shown)
    speed = f"{wall:.2f} s ({rate / 1e6:.2f} million a second)"
    console.print(
        f"{served:,} requests served with {messages:,} messages in {speed}", soft_wrap=True
    )


def report(name: str, outcomes: list[Outcome]) -> int:
    """Says on stderr which promise was broken and how to see it again; the exit status."""
    for outcome in outcomes:
        broken = outcome.violation
        if broken is not None:
            f = outcome.figures
            print(f"grouplock: {name} violates {broken.property}: {broken.reason}", file=sys.stderr)
            print(f"see it again: {_again(f)}", file=sys.stderr)
            return VIOLATED
    return 0


def _again(f: Figures) -> str:
    """The present command for one seed, with a trace."""
    kept: list[str] = []
    arguments = iter(sys.argv[1:])
    for argument in arguments:
        if argument in ("--seed", "--runs", "--trace"):
            next(arguments, "")
        elif argument != "--json" and not argument.startswith(("--seed=", "--runs=", "--trace=")):
            kept.append(argument)
    return shlex.join(["grouplock", *kept, "--seed", str(f.seed), "--trace", "violation.jsonl"])
