"""The papers' experiments from end to end: kept runs, failures, executors, the report."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from grouplock.lab import engine, spread
from grouplock.lab.cases import Case, run_case
from grouplock.lab.claims import CLAIMS
from grouplock.lab.engine import NoExecutor, attempt, carry_out
from grouplock.lab.experiments import EXPERIMENTS
from grouplock.lab.experiments.experiment import Scale
from grouplock.lab.reproduce import UnknownExperiment, plan, reproduce, tasks_of
from grouplock.lab.runs import Task, perform, simulated, task
from grouplock.lab.store import NAME, OtherCode, Store, digest
from grouplock.measure.workload import Workload
from grouplock.sim.run import Violation

QUICK = Scale(quick=True)
SMALL = ["001-counts", "003-scenes", "002-failures"]


def loop(seed: int) -> Task:
    return task(
        "scenes.loop", algorithm="ra1", n=3, requests=3, think=1.0, stay=1.0, seed=seed,
        clients_groups=2,
    )  # fmt: skip


RUNS = [loop(seed) for seed in range(4)]
WRONG = task("scenes.loop", algorithm="ra1", n=3, requests=3, think=1.0, stay=-1.0, seed=7)


def nothing() -> None:
    pass


def ignored(runs: int) -> object:
    return nothing


# What is kept.


def test_a_result_is_kept_and_not_made_again(tmp_path: Path) -> None:
    steps: list[int] = []
    for expected in (4, 4):  # the second time nothing is left to do
        store = Store(tmp_path, "abc")
        carry_out(RUNS, store, lambda: steps.append(1), jobs=1)
        store.close()
        assert len(steps) == expected
    again = Store(tmp_path, "abc")
    assert [again.kept[run] for run in RUNS] == [perform(run) for run in RUNS]
    again.close()


def test_a_line_that_was_cut_off_is_made_again(tmp_path: Path) -> None:
    store = Store(tmp_path, "abc")
    carry_out(RUNS, store, nothing, jobs=1)
    store.close()
    file = tmp_path / NAME
    file.write_bytes(file.read_bytes()[:-9])
    store = Store(tmp_path, "abc")
    assert sorted(store.kept) == sorted(RUNS[:3])
    carry_out(RUNS, store, nothing, jobs=1)
    store.close()
    whole = Store(tmp_path, "abc")
    assert sorted(whole.kept) == sorted(RUNS)
    whole.close()


def test_runs_of_other_code_are_refused(tmp_path: Path) -> None:
    Store(tmp_path, "abc").close()
    with pytest.raises(OtherCode, match="runs of other code \\(abc, this is xyz\\)"):
        Store(tmp_path, "xyz")


@pytest.mark.parametrize("text", ["no json\n", "[1]\n", '{"code": "abc"}\n', "\xff\n"])
def test_a_file_that_is_none_of_runs_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text, encoding="latin-1")
    with pytest.raises(OtherCode, match="is no file of runs \\(line 1\\)"):
        Store(tmp_path, "abc")


def test_an_interrupt_loses_what_was_under_way_alone(tmp_path: Path) -> None:
    store = Store(tmp_path, "abc")
    left = [2]

    def interrupt() -> None:
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        carry_out(RUNS, store, interrupt, jobs=1)
    store.close()
    store = Store(tmp_path, "abc")
    assert list(store.kept) == RUNS[:2]
    store.close()


def test_the_digest_is_of_the_sources() -> None:
    assert digest() == digest()
    assert len(digest()) == 16


# What fails.


def test_a_run_that_fails_is_named_and_the_rest_goes_on(tmp_path: Path) -> None:
    store = Store(tmp_path, "abc")
    failed = carry_out([RUNS[0], WRONG, RUNS[1]], store, nothing, jobs=1)
    store.close()
    assert sorted(store.kept) == sorted(RUNS[:2])
    [one] = failed
    assert one.told().startswith('scenes.loop {"algorithm": "ra1"')
    assert '"seed": 7' in one.told()
    assert "AssertionError" in one.told()


def test_a_violation_fails_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures of a run that broke a promise mean nothing."""
    given: dict[str, Any] = {"n": 3, "requests": 2, "seed": 3}
    run = task("simulated.run", algorithm="ra1", options={}, quorum=None, workload=given)
    whole = run_case(Case("ra1", {}, Workload(**given)))
    broken = whole._replace(violation=Violation("exclusion", "two are inside"))
    monkeypatch.setattr(simulated, "run_case", lambda case: broken)
    assert attempt(run) == "Broken: exclusion: two are inside"


def dies(number: int) -> int:
    """Work that kills the process that does it."""
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def test_a_worker_that_dies_is_named_and_the_rest_goes_on() -> None:
    found: dict[int, object] = {}
    spread.spread(dies, [0, 1, 2, 3, 4], found.__setitem__, jobs=2)
    assert found == {0: 0, 1: 1, 2: spread.Died(), 3: 9, 4: 16}


# Executors.


def test_dask_gives_the_same_numbers(tmp_path: Path) -> None:
    """On a real cluster of two workers."""
    stores = [Store(tmp_path / name, "abc") for name in ("local", "dask")]
    carry_out(RUNS, stores[0], nothing, engine.LOCAL, jobs=1)
    failed = carry_out([*RUNS, WRONG], stores[1], nothing, engine.DASK, jobs=2)
    for store in stores:
        store.close()
    assert stores[0].kept == stores[1].kept
    assert [one.task for one in failed] == [WRONG]


def test_there_is_no_other_executor(tmp_path: Path) -> None:
    store = Store(tmp_path, "abc")
    with pytest.raises(NoExecutor, match="no executor 'fork' \\(there are: local, dask\\)"):
        carry_out(RUNS, store, nothing, "fork")
    store.close()


# Plans.


def test_ids_of_papers_experiments_and_claims() -> None:
    everything = plan([])
    assert len(everything.claims) == len(CLAIMS)
    assert [e.id for e in everything.experiments if e.id.endswith("large")] == []
    assert {e.paper for e in plan(["003"]).experiments} == {"003"}
    assert [e.id for e in plan(["004-fig6a"]).experiments] == ["004-fig6a"]
    one = plan(["004.25a"])
    assert [e.id for e in one.experiments] == ["004-fig6a"]
    assert [c.id for c in one.claims] == ["004.25a"]
    assert [c.id for c in plan(["004.25"]).claims] == ["004.25a", "004.25b"]
    assert "004-large" in [e.id for e in plan([], large=True).experiments]
    with pytest.raises(UnknownExperiment, match="did you mean 004-fig6a"):
        plan(["004-fig6aa"])


@pytest.mark.parametrize("scale", [Scale(), QUICK, Scale(full=True)])
def test_every_experiment_says_what_it_runs(scale: Scale) -> None:
    for experiment in EXPERIMENTS:
        tasks = experiment.tasks(scale)
        assert tasks, experiment.id
        assert all([json.loads(t.given) == t.arguments() for t in tasks])


def test_each_scale_has_more_runs_than_the_last() -> None:
    scales = (QUICK, Scale(), Scale(full=True))
    runs = [len(tasks_of(plan([]), scale)) for scale in scales]
    assert runs == sorted(runs)
    assert runs[0] < runs[-1] / 1.5


@pytest.mark.parametrize("id", ["004-fig6a", "004-fig7b", "000-fig5c"])
def test_the_axes_are_the_same_at_every_scale(id: str) -> None:
    """A point is a workload but for how many requests and which seed."""
    points = []
    for scale in (QUICK, Scale(), Scale(full=True)):
        found: dict[str, None] = {}
        for t in tasks_of(plan([id]), scale):
            given = t.arguments()
            for varying in ("requests", "seed"):
                del given["workload"][varying]
            found[json.dumps(given)] = None
        points.append(list(found))
    assert points[0] == points[1] == points[2]


# The report.


def test_the_folder(tmp_path: Path) -> None:
    outcome = reproduce(plan(SMALL), QUICK, tmp_path, lambda runs: nothing, jobs=1)
    assert outcome.failed == []
    page = (tmp_path / "report.html").read_text()
    rows = json.loads((tmp_path / "results.json").read_text())
    assert [row["id"] for row in rows] == [row.claim.id for row in outcome.rows]
    for row in rows:
        assert set(row) == {
            "paper", "id", "place", "claim", "measured", "ci95", "verdict", "note",
        }  # fmt: skip
        assert f"id='c{row['id']}'" in page
    assert "http" not in page.replace("http://www.w3.org", "")  # nothing is fetched
    counts = [row for row in rows if row["id"] in ("001.1a", "001.2a", "001.3")]
    assert [(row["measured"], row["verdict"]) for row in counts] == [
        (6.0, "agrees"),
        (3.0, "agrees"),
        (9.0, "agrees"),
    ]
    assert "| 001.3 | 4.4 |" in (tmp_path / "report.md").read_text()


def test_figures_are_drawn_and_embedded(tmp_path: Path) -> None:
    outcome = reproduce(plan(["001-blocking"]), QUICK, tmp_path, lambda runs: nothing, jobs=1)
    assert [figure.name for figure in outcome.figures] == ["001-blocking"]
    drawn = tmp_path / "figures"
    assert (drawn / "001-blocking.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (drawn / "001-blocking.svg").read_text()
    assert "data:image/svg+xml;base64," in (tmp_path / "report.html").read_text()
    header, *lines = (tmp_path / "figures.csv").read_text().splitlines()
    assert header == "figure,panel,line,x,mean,ci95"
    assert len(lines) == 5


def test_claims_of_a_failed_run_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other experiments are told all the same."""
    broken = next(t for t in tasks_of(plan(["001-counts"]), QUICK) if "worst" in t.run)

    def sometimes(todo: Task) -> object:
        return "it broke" if todo == broken else perform(todo)

    monkeypatch.setattr(engine, "attempt", sometimes)
    outcome = reproduce(
        plan(["001-counts", "003-scenes"]), QUICK, tmp_path, lambda runs: nothing, jobs=1
    )
    assert [one.task for one in outcome.failed] == [broken]
    verdicts = {row.claim.by: row.verdict for row in outcome.rows}
    assert verdicts["001-counts"] == "not-run"
    assert verdicts["003-scenes"] != "not-run"
    assert all([broken.run in r.note for r in outcome.rows if r.claim.by == "001-counts"])
    assert "it broke" in (tmp_path / "report.html").read_text()
