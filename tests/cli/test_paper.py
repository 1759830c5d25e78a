"""grouplock paper: what it prints, wrong use, and ctrl-C."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path

import pytest

from grouplock.cli.main import run
from grouplock.lab.claims import CLAIMS
from grouplock.lab.experiments import EXPERIMENTS
from grouplock.lab.store import NAME
from tests.cli.test_interrupted import begun, until
from tests.net.processes import WITHIN_S, Watched, children_of

Capture = pytest.CaptureFixture[str]
SMALL = ("001-counts", "--quick", "--jobs", "1")


def test_list(capsys: Capture) -> None:
    assert run(["paper", "list", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [e.id for e in EXPERIMENTS]
    assert sum([row["claims"] for row in rows]) == len([c for c in CLAIMS if c.by])
    assert run(["paper", "list"]) == 0
    printed = capsys.readouterr().out
    assert all([e.id in printed for e in EXPERIMENTS])


def test_json_has_a_row_for_each_claim(capsys: Capture, tmp_path: Path) -> None:
    assert run(["paper", *SMALL, "--out", str(tmp_path), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["id"] for row in rows] == [c.id for c in CLAIMS if c.by == "001-counts"]
    assert {row["verdict"] for row in rows} <= {"agrees", "disagrees", "not-run"}
    assert rows == json.loads((tmp_path / "results.json").read_text())


def test_the_table(capsys: Capture, tmp_path: Path) -> None:
    """`disagrees` is a verdict: the status is 0."""
    assert run(["paper", "003-scenes", "--quick", "--jobs", "1", "--out", str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "disagrees" in printed
    assert "report.html" in printed


def wrong(capsys: Capture, *arguments: str) -> str:
    assert run(["paper", *arguments]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    [line] = said.err.splitlines()
    return line


def test_an_unknown_id_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    line = wrong(capsys, "005", "--out", str(tmp_path))
    assert line.startswith("grouplock: '005' is no paper, experiment or claim")


def test_a_folder_that_cannot_be_written_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("")
    assert "file" in wrong(capsys, *SMALL, "--out", str(file))
    assert "Not a directory" in wrong(capsys, *SMALL, "--out", str(file / "within"))


def test_runs_of_other_code_are_one_line(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / NAME).write_text('{"grouplock-runs":1,"code":"abc"}\n')
    line = wrong(capsys, *SMALL, "--out", str(tmp_path))
    assert "has runs of other code (abc, this is" in line
    assert "take another folder" in line


def test_an_unknown_executor_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    line = wrong(capsys, *SMALL, "--out", str(tmp_path), "--executor", "cloud")
    assert line == "grouplock: there is no executor 'cloud' (there are: local, dask)"
    assert "quick or full" in wrong(capsys, "001", "--quick", "--full")
    assert "--executor dask" in wrong(capsys, "001", "--scheduler", "tcp://127.0.0.1:9")
    assert "runs at once" in wrong(capsys, "001", "--jobs", "-1", "--out", str(tmp_path))


def test_a_scheduler_that_does_not_answer_is_one_line(capsys: Capture, tmp_path: Path) -> None:
    address = "tcp://127.0.0.1:9"
    line = wrong(
        capsys, *SMALL, "--out", str(tmp_path), "--executor", "dask", "--scheduler", address
    )
    assert f"no Dask scheduler answers at {address}" in line


def test_ctrl_c_keeps_what_was_done(tmp_path: Path) -> None:
    process = begun("paper", "004-fig6a", "--out", str(tmp_path), "--jobs", "2")
    kept = tmp_path / NAME
    until(lambda: kept.exists() and kept.read_text().count("\n") > 2, process)
    with Watched(children_of(process.pid)) as children:
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=WITHIN_S)
        assert (process.returncode, out, err) == (130, "", "grouplock: interrupted\n")
        assert children.all_end()
    assert kept.read_text().count("\n") > 2
