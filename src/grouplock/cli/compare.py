"""grouplock compare: several algorithms on the same requests."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from grouplock.cli import options as opt
from grouplock.cli.errors import VIOLATED, usage
from grouplock.cli.faults import users_faults
from grouplock.cli.progress import bar
from grouplock.cli.sim import report
from grouplock.lab import plots
from grouplock.lab.cases import Case, run_all, seeds
from grouplock.lab.summary import Estimate, estimate, ratio
from grouplock.measure.figures import VARYING, Figures
from grouplock.measure.workload import BadWorkload, Workload
from grouplock.sim.run import Outcome

_D = Workload()

SHOWN = (
    ("messages_per_request", "msgs per request"),
    ("integers_per_message", "ints per message"),
    ("waiting.mean", "waiting"),
    ("throughput", "served per unit"),
    ("concurrency.mean", "inside, mean"),
    ("sync_delay.hops", "delay, hops"),
)


def compare(
    names: Annotated[
        list[str],
        typer.Argument(metavar="NAME...", help="Algorithms, options behind a colon: a:key=value."),
    ],
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
    runs: opt.Runs = 10,
    sweep: Annotated[
        str | None,
        typer.Option("--sweep", metavar="KEY=A,B,C", help="Vary one value of the workload."),
    ] = None,
    as_json: opt.Json = False,
    plot: Annotated[
        Path | None, typer.Option("--plot", metavar="FILE", help="Draw a .png or .svg.")
    ] = None,
) -> None:
    """Run several algorithms on the same requests; the ratio is to the first, seed by seed."""
    with users_faults():
        base = Workload(
            n, groups, sets, slots, requests, think, inside, delay, bandwidth,
            opt.parse_skew(skew), seed,
        )  # fmt: skip
        key, points = parse_sweep(sweep, base)
        if runs < 1:
            usage(f"runs is {runs}; it must be at least 1")
        if plot is not None:
            plots.checked(plot)
            plot.open("ab").close()  # before the work, not after it
        labels, cases = make_cases(names, points, runs, quorum)
        with bar(f"{len(names)} algorithms, {len(cases)} runs", len(cases)) as progress:
            outcomes = run_all(cases, lambda _: progress.step())
        curves = gather(labels, points, runs, outcomes)
        if plot is not None:
            title = f"{base.n if key != 'n' else 'n'} sites, {runs} seeds, bars: 95% intervals"
            plots.draw(curves, key, title, plot)
    if as_json:
        print(json.dumps(as_data(curves, key), indent=2))
    else:
        show(curves, key, runs)
    if any(report(case.algorithm, [o]) for case, o in zip(cases, outcomes, strict=True)):
        raise typer.Exit(VIOLATED)


def parse_sweep(text: str | None, base: Workload) -> tuple[str, dict[str, Workload]]:
    """The swept key, and the workload at each of its values; one without a name where none is."""
    if text is None:
        return "", {"": base.checked()}
    key, equals, values = text.partition("=")
    sweepable = [
        name
        for name in Workload._fields
        if isinstance(getattr(base, name), (int, float)) and name != "seed"
    ]
    if not equals or key not in sweepable:
        raise BadWorkload(f"a sweep is key=a,b,c with a key of {', '.join(sweepable)}")
    points = {}
    for value in values.split(","):
        kind = type(getattr(base, key))
        try:
            number = kind(value)
        except ValueError:
            raise BadWorkload(f"'{value}' is no value of {key}") from None
        points[value] = base._replace(**{key: number}).checked()
    return key, points


def make_cases(
    names: list[str], points: dict[str, Workload], runs: int, quorum: str | None
) -> tuple[list[str], list[Case]]:
    cases = []
    labels = []
    for text in names:
        name, colon, rest = text.partition(":")
        given = rest.split(",") if colon else []
        for workload in points.values():
            system = opt.system_for(name, given, workload, quorum)
            cases += [Case(name, system.options, w, quorum=quorum) for w in seeds(workload, runs)]
        labels.append(text)
    return labels, cases


def gather(
    labels: list[str], points: dict[str, Workload], runs: int, outcomes: list[Outcome]
) -> list[plots.Curve]:
    rest = iter([outcome.figures for outcome in outcomes])
    return [
        plots.Curve(label, {at: [next(rest) for _ in range(runs)] for at in points})
        for label in labels
    ]


def as_data(curves: list[plots.Curve], key: str) -> list[dict[str, Any]]:
    """One row for each algorithm and point: `mean` and `ci95` (half width) of each figure, and
    `ratio` to the first algorithm under the same seeds."""
    rows = []
    for curve in curves:
        for at, runs in curve.points.items():
            row: dict[str, Any] = {"algorithm": runs[0].algorithm, "options": runs[0].options}
            if key:
                row[key] = type(getattr(_D, key))(at)
            row["runs"] = len(runs)
            for name in VARYING:
                e = estimate(runs, name)
                r = ratio(runs, curves[0].points[at], name)
                row[name] = {
                    "mean": e.mean,
                    "ci95": _finite(e.half),
                    "ratio": None if r is None else {"mean": r.mean, "ci95": _finite(r.half)},
                }
            rows.append(row)
    return rows


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def show(curves: list[plots.Curve], key: str, runs: int) -> None:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 0, 0, 1), pad_edge=False)
    if key:
        shown.add_column(key, justify="right", no_wrap=True)
    shown.add_column("algorithm", overflow="fold", min_width=10)
    for _, label in SHOWN:
        shown.add_column(label, justify="right", min_width=8)
    for at in curves[0].points:
        for curve in curves:
            base = curves[0].points[at] if curve is not curves[0] else None
            cells = [_cell(curve.points[at], base, name) for name, _ in SHOWN]
            shown.add_row(*([at] if key else []), curve.label, *cells)
        if key:
            shown.add_section()
    console = Console()
    console.print(shown)
    pairs = f"; × is the ratio to {curves[0].label}, seed by seed" if len(curves) > 1 else ""
    console.print(f"mean ± half the 95% interval over {runs} seeds{pairs}", soft_wrap=True)


def _cell(runs: list[Figures] | Any, base: list[Figures] | Any, name: str) -> str:
    e: Estimate = estimate(runs, name)
    text = f"{e.mean:.4g}"
    if math.isfinite(e.half):
        text += f"\n±{e.half:.2g}"
    r = ratio(runs, base, name) if base else None
    return f"{text}\n×{r.mean:.3g}" if r else text
