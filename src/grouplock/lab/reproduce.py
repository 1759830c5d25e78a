"""The papers' experiments from end to end: which are meant, their runs, verdicts, a folder."""

from __future__ import annotations

import difflib
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from grouplock.lab import charts, engine, report
from grouplock.lab.claims import CLAIMS
from grouplock.lab.claims.claim import Claim, Measured, Row, judge
from grouplock.lab.experiments import EXPERIMENTS
from grouplock.lab.experiments.experiment import Experiment, Figure, Missing, Results, Scale
from grouplock.lab.runs import Task, Values
from grouplock.lab.store import Store, digest

LARGE: Final = "large"  # what experiments that are run only when they are asked for end with


class UnknownExperiment(ValueError):
    """An id of no paper, experiment or claim; the message says which there are."""


class Plan(NamedTuple):
    experiments: list[Experiment]
    claims: list[Claim]  # those that are to be shown


class Outcome(NamedTuple):
    rows: list[Row]
    figures: list[Figure]
    failed: list[engine.Failed]


def plan(ids: Sequence[str], large: bool = False) -> Plan:
    """Papers, experiments and claims by their ids; everything without any."""
    by_id = {experiment.id: experiment for experiment in EXPERIMENTS}
    if not ids:
        chosen = [e for e in EXPERIMENTS if large or not e.id.endswith(LARGE)]
        return Plan(chosen, list(CLAIMS))
    experiments: dict[str, None] = {}
    claims: dict[Claim, None] = {}
    for id in ids:
        mine = [e.id for e in EXPERIMENTS if id in (e.id, e.paper)]
        if id not in by_id and not large:
            mine = [e for e in mine if not e.endswith(LARGE)]
        said = [c for c in CLAIMS if id in (c.id, c.paper, f"{c.paper}.{c.line}") or c.by == id]
        if not mine and not said:
            raise UnknownExperiment(unknown(id))
        experiments |= dict.fromkeys([*mine, *[c.by for c in said if c.by and not mine]])
        claims |= dict.fromkeys(said)
    return Plan([by_id[id] for id in experiments], list(claims))


def unknown(id: str) -> str:
    known = [*sorted({c.paper for c in CLAIMS}), *[e.id for e in EXPERIMENTS]]
    near = difflib.get_close_matches(id, [*known, *[c.id for c in CLAIMS]], n=1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"'{id}' is no paper, experiment or claim{hint} (`grouplock paper list` shows them)"


class Found(Mapping[Task, Values]):
    """The store's results; asking for one that failed says which it was."""

    def __init__(self, kept: dict[Task, Values]) -> None:
        self.kept = kept

    def __getitem__(self, task: Task) -> Values:
        if task not in self.kept:
            raise Missing(task.told())
        return self.kept[task]

    def __iter__(self) -> Iterator[Task]:
        return iter(self.kept)

    def __len__(self) -> int:
        return len(self.kept)


def tasks_of(planned: Plan, scale: Scale) -> list[Task]:
    found = [task for experiment in planned.experiments for task in experiment.tasks(scale)]
    return list(dict.fromkeys(found))


def judged(planned: Plan, scale: Scale, results: Results) -> tuple[list[Row], list[Figure]]:
    """A row for each claim, in the papers' order, and the figures that could be made."""
    measured: dict[str, Measured] = {}
    missing: dict[str, str] = {}
    figures: list[Figure] = []
    for experiment in planned.experiments:
        try:
            found = experiment.measure(results, scale)
            figures += experiment.figures(results, scale)
        except Missing as lost:
            missing[experiment.id] = f"a run of {experiment.id} failed: {lost}"
            continue
        for id in found:
            assert id not in measured, f"{id} is measured twice"
        measured |= found
    ran = {experiment.id for experiment in planned.experiments}
    rows = []
    for claim in planned.claims:
        if claim.by and claim.id not in measured:
            assert claim.by not in ran or claim.by in missing, f"{claim.by}: {claim.id}?"
            why = missing.get(claim.by, f"ask for it: {claim.by}")
            claim = claim._replace(why=why)
        rows.append(judge(claim, measured.get(claim.id)))
    return rows, figures


def reproduce(
    planned: Plan,
    scale: Scale,
    folder: Path,
    step: Callable[[int], Callable[[], None]],
    executor: str = engine.LOCAL,
    jobs: int = 0,
    address: str | None = None,
) -> Outcome:
    """All of it; `step(runs)` is told how many runs there are, and gives what to call for each."""
    code = digest()
    tasks = tasks_of(planned, scale)
    store = Store(folder, code)
    try:
        todo = [t for t in tasks if t not in store.kept]
        failed = engine.carry_out(todo, store, step(len(todo)), executor, jobs, address)
    finally:
        store.close()
    rows, figures = judged(planned, scale, Found(store.kept))
    drawn = folder / "figures"
    drawn.mkdir(exist_ok=True)
    for figure in figures:
        charts.draw(figure, drawn)
    charts.write_csv(figures, folder / "figures.csv")
    (folder / "results.json").write_text(json.dumps(as_data(rows), indent=2) + "\n")
    told = report.Told(rows, figures, planned.experiments, scale, code, len(tasks), failed)
    (folder / "report.html").write_text(report.page(told, drawn))
    (folder / "report.md").write_text(report.table(told))
    return Outcome(rows, figures, failed)


def as_data(rows: Sequence[Row]) -> list[dict[str, Any]]:
    return [
        {
            "paper": row.claim.paper,
            "id": row.claim.id,
            "place": row.claim.place,
            "claim": f"{row.claim.says}: {report.claimed(row.claim)}",
            "measured": None if row.measured is None else finite(row.measured.value),
            "ci95": None if row.measured is None else finite(row.measured.half),
            "verdict": row.verdict,
            "note": row.note,
        }
        for row in rows
    ]


def finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
