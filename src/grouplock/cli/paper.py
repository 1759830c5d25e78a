"""grouplock paper: the experiments of five papers, run again."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from grouplock.cli import options as opt
from grouplock.cli.errors import NOT_FINISHED, usage
from grouplock.cli.faults import users_faults
from grouplock.cli.progress import bar
from grouplock.lab import engine, report
from grouplock.lab.claims import CLAIMS
from grouplock.lab.claims.claim import Row
from grouplock.lab.experiments import EXPERIMENTS
from grouplock.lab.experiments.experiment import Scale
from grouplock.lab.reproduce import Outcome, as_data, plan, reproduce

LIST = "list"


def paper(
    ids: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[list | ID...]",
            help="Papers (004), experiments (004-fig6a) or claims (004.25a); all without any.",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Every experiment with fewer runs.")
    ] = False,
    full: Annotated[
        bool, typer.Option("--full", help="Longer and more runs: half an hour on two cores.")
    ] = False,
    large: Annotated[bool, typer.Option("--large", help="The points at n = 500 too.")] = False,
    out: Annotated[
        Path, typer.Option("--out", metavar="DIR", help="Where report, figures and runs go.")
    ] = Path("out/paper"),
    executor: Annotated[
        str, typer.Option("--executor", help="local: this machine's cores; dask: a cluster.")
    ] = engine.LOCAL,
    scheduler: Annotated[
        str | None,
        typer.Option("--scheduler", metavar="ADDRESS", help="Of Dask; without, it is made here."),
    ] = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Runs at once; 0: one for each core.")] = 0,
    as_json: opt.Json = False,
) -> None:
    """Run the papers' experiments again; claim, measurement and verdict side by side."""
    if ids == [LIST]:
        show_list(as_json)
        return
    with users_faults():
        planned = plan(ids or [], large)
        if executor not in (engine.LOCAL, engine.DASK):
            raise engine.NoExecutor(
                f"there is no executor '{executor}' (there are: {engine.LOCAL}, {engine.DASK})"
            )
        if quick and full:
            usage("a run is quick or full; leave out one of them")
        if jobs < 0:
            usage(f"jobs is {jobs}; it is how many runs at once, and 0 is one for each core")
        if scheduler is not None and executor != engine.DASK:
            usage("a scheduler is Dask's; say --executor dask too")
        with stepping(f"{len(planned.experiments)} experiments") as step:
            outcome = reproduce(planned, Scale(quick, full), out, step, executor, jobs, scheduler)
    if as_json:
        print(json.dumps(as_data(outcome.rows), indent=2))
    else:
        show(outcome, out)
    for failed in outcome.failed:
        Console(stderr=True, soft_wrap=True, markup=False).print(f"grouplock: {failed.told()}")
    if outcome.failed:
        raise typer.Exit(NOT_FINISHED)


@contextmanager
def stepping(what: str) -> Iterator[Callable[[int], Callable[[], None]]]:
    """A bar whose length is known only when the kept runs have been looked through."""
    with bar(what, 0) as progress:

        def begin(runs: int) -> Callable[[], None]:
            progress.progress.update(progress.task, total=runs)
            return progress.step

        yield begin


def show_list(as_json: bool) -> None:
    claims = Counter([claim.by for claim in CLAIMS])
    rows = [
        {"id": e.id, "paper": e.paper, "title": e.title, "claims": claims[e.id]}
        for e in EXPERIMENTS
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
        return
    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("id", "experiment", "claims"):
        shown.add_column(heading)
    for row in rows:
        shown.add_row(str(row["id"]), str(row["title"]), str(row["claims"]))
    console = Console()
    console.print(shown)
    console.print(f"{len(CLAIMS)} claims; {claims['']} of them are not measured", soft_wrap=True)


def show(outcome: Outcome, out: Path) -> None:
    shown = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for heading in ("id", "claim", "claimed", "measured", "verdict"):
        shown.add_column(heading, overflow="fold", no_wrap=heading == "id")
    for row in outcome.rows:
        shown.add_row(*cells(row))
    console = Console()
    console.print(shown)
    console.print(f"{report.counted(outcome.rows)}", soft_wrap=True)
    console.print(f"the report: {out / 'report.html'}", soft_wrap=True)


def cells(row: Row) -> tuple[str, ...]:
    claim = row.claim
    return (claim.id, claim.says, report.claimed(claim), report.measured(row), row.verdict)
