"""grouplock check and grouplock replay, as they are typed."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from grouplock.cli import check as command
from grouplock.cli.main import run
from tests.mutants import MUTANTS
from tests.mutants.mutant import Mutant

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch
TRACES = Path(__file__).parent.parent / "traces"


def mutant(name: str) -> Mutant:
    return next(m for m in MUTANTS if m.name == name)


def put_in_place_of(patch: Patch, broken: Mutant) -> None:
    """What the command finds under the algorithm's name is the mutant."""
    patch.setattr("grouplock.cli.options.system_for", lambda *_: broken.variant.wrong())


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: Patch) -> None:
    monkeypatch.chdir(tmp_path)


def as_json(capsys: Capture, *arguments: str) -> tuple[int, Any]:
    status = run([*arguments, "--json"])
    return status, json.loads(capsys.readouterr().out)


def test_json_of_a_check(capsys: Capture) -> None:
    status, data = as_json(capsys, "check", "token-gme", "--n", "2", "--requests", "2")
    assert status == 0
    assert set(data) == {
        "algorithm", "options", "n", "groups", "sets", "slots", "requests", "with", "states",
        "transitions", "depth", "complete", "properties", "reason", "counterexample", "wall_s",
        "states_per_s",
    }  # fmt: skip
    assert (data["algorithm"], data["n"], data["groups"]) == ("token-gme", 2, 2)
    assert data["complete"] is True
    assert set(data["properties"].values()) == {"holds"}
    assert data["counterexample"] is None
    assert list(Path().iterdir()) == []


def test_a_check_with_everything_that_is_supported(capsys: Capture) -> None:
    status, data = as_json(capsys, "check", "central", "--n", "2", "--slots", "2", "--with", "all")
    assert status == 0
    assert data["with"] == ["many", "withdraw"]


def test_defaults_are_small(capsys: Capture) -> None:
    status, data = as_json(capsys, "check", "central")
    assert status == 0
    assert (data["n"], data["groups"], data["requests"], data["slots"]) == (3, 2, 1, 1)


def test_a_limit_ends_it_without_a_verdict(capsys: Capture) -> None:
    assert run(["check", "ra1", "--limit", "100"]) == 0
    out = capsys.readouterr().out
    assert "not all" in out
    assert " holds" not in out
    assert "not-violated" in out


def test_a_counterexample_is_saved_and_replayed(capsys: Capture, monkeypatch: Patch) -> None:
    broken = mutant("ra1-inside-lets-others-in")
    put_in_place_of(monkeypatch, broken)
    status, data = as_json(capsys, "check", "ra1", "--n", "2", "--trace", "found.jsonl")
    assert status == 1
    assert data["properties"]["exclusion"] == "violated"
    assert data["counterexample"] == "found.jsonl"
    assert "a slot has two groups" in data["reason"]
    status = run(["replay", "found.jsonl"])
    told = capsys.readouterr().out
    assert status == 1
    assert "site 1 receives Ask(stamp=1, group=0) from 0" in told
    assert "wrong: a slot has two groups" in told
    assert "ends with a violation of exclusion" in told
    assert "otherwise" not in told


def test_the_right_one_takes_another_way_than_the_counterexample(capsys: Capture) -> None:
    kept = str(TRACES / "ra1-inside-lets-others-in.jsonl")
    status, data = as_json(capsys, "replay", kept)
    assert status == 1
    assert data["different"] > 0
    assert set(data) == {
        "algorithm", "options", "n", "driver", "command", "steps", "different", "end",
    }  # fmt: skip
    assert set(data["steps"][0]) == {
        "step", "at", "site", "do", "said", "out", "same", "wrong", "failure",
    }  # fmt: skip


def test_a_simulated_run_replays(capsys: Capture) -> None:
    assert run(["sim", "token-gme", "--n", "4", "--requests", "3", "--trace", "run.jsonl"]) == 0
    assert run(["replay", "run.jsonl"]) == 0
    assert "inside: nobody" in capsys.readouterr().out


def test_a_failing_step_is_shown(capsys: Capture, monkeypatch: Patch) -> None:
    broken = mutant("token-gme-queues-twice")
    monkeypatch.setattr("grouplock.cli.options.system_for", lambda *_: broken.variant.wrong())
    assert run(["replay", str(TRACES / f"{broken.name}.jsonl")]) == 1
    assert "fails: AssertionError: a second token" in capsys.readouterr().out


def test_walks(capsys: Capture, monkeypatch: Patch) -> None:
    arguments = ["check", "ra1", "--n", "2", "--requests", "40", "--walks", "3", "--seed", "5"]
    assert run(arguments) == 0
    assert "random walks" in capsys.readouterr().out
    put_in_place_of(monkeypatch, mutant("ra1-inside-lets-others-in"))
    monkeypatch.setattr("sys.argv", ["grouplock", *arguments])
    assert run(arguments) == 1
    again = "walk it again: grouplock check ra1 --n 2 --requests 40 --walks 1 --seed 5"
    assert again in capsys.readouterr().err


def test_an_interrupt_ends_it_with_what_was_found(capsys: Capture, monkeypatch: Patch) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command.Line, "__call__", interrupt)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    status, data = as_json(capsys, "check", "token-gme", "--n", "3")
    assert status == 0
    assert data["complete"] is False
    assert data["states"] > 1
    assert "holds" not in {data["properties"][p] for p in data["properties"] if p != "together"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "ra1", "--n", "0"], "n is 0; it must be at least 1"),
        (["check", "ra11"], "no algorithm 'ra11'; did you mean ra1?"),
        (["check", "ra1", "-o", "speed=high"], "ra1 has no option 'speed'"),
        (["check", "ra1", "--slots", "2"], "ra1 has one slot"),
        (["check", "ra1", "--sets", "2"], "ra1 takes one group a request"),
        (["check", "ra1", "--with", "crash"], "ra1 does not support 'crash'"),
        (["check", "ra1", "--with", "rain"], "there is no event 'rain' to explore"),
        (["check", "ra1", "--n", "4", "--requests", "16"], "--walks takes them"),
        (["check", "ra1", "--limit", "0"], "limit is 0; it must be at least 1"),
        (["check", "ra1", "--walks", "-1"], "walks is -1; it must be at least 0"),
        (["check", "ra1", "--faults", "0"], "faults is 0; it must be at least 1"),
        (["check", "ra1", "--trace", "none/file"], "none/file: No such file or directory"),
        (["check", "ra1", "--trace", "."], ".: Is a directory"),
        (["replay", "none"], "none: No such file or directory"),
    ],
)
def test_wrong_use_is_one_line(capsys: Capture, arguments: list[str], said: str) -> None:
    assert run(arguments) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1


HEADER = {
    "grouplock": 1, "driver": "sim", "algorithm": "ra1", "options": {}, "n": 2, "groups": 1,
    "sets": 1, "slots": 1, "seed": 1, "quorum": "", "command": "",
}  # fmt: skip
STEP = {"at": 1, "site": 0, "do": ["request", 1, [0]], "out": []}


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([HEADER | {"n": "two"}], "no whole numbers for n"),
        ([HEADER | {"n": 0}], "n is 0"),
        ([HEADER | {"options": []}], "no whole numbers for n"),
        ([HEADER | {"algorithm": 7}], "names no algorithm"),
        ([HEADER | {"algorithm": "ra11"}], "no algorithm 'ra11'"),
        ([HEADER | {"options": {"a": "b"}}], "ra1 has no option 'a'"),
        ([HEADER, STEP | {"site": 2}], "step 1 is of site 2; the sites are 0 to 1"),
        ([HEADER, STEP | {"site": "a"}], "step 1 is of site a"),
        ([HEADER, STEP | {"do": []}], "step 1 is no input that a site has"),
        ([HEADER, STEP | {"do": ["jump"]}], "step 1 is no input that a site has"),
        ([HEADER, STEP | {"do": ["request", 1]}], "step 1 is no input that a site has"),
        ([HEADER, STEP | {"do": 5}], "step 1 is no input that a site has"),
        ([HEADER, STEP | {"do": [[]]}], "step 1 is no input that a site has"),
        ([HEADER, STEP | {"do": ["request", "1", [0]]}], "step 1 is no input that a site has"),
        ([HEADER, STEP | {"do": ["deliver", 1, [9]]}], "step 1 is not of this algorithm: 9 is not"),
        ([HEADER, STEP | {"out": [["send", 1, [9]]]}], "step 1 is not of this algorithm: 9 is not"),
        ([HEADER, STEP | {"out": [["send", 1]]}], "is no effect"),
        ([HEADER, STEP | {"out": [[]]}], "step 1 is not of this algorithm"),
        ([HEADER, STEP | {"out": 5}], "step 1 is not of this algorithm"),
        ([HEADER, STEP | {"at": "noon"}], "step 1 is at 'noon', which is no time"),
    ],
)
def test_what_is_no_trace_is_refused(capsys: Capture, rows: list[Any], said: str) -> None:
    Path("bad.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    assert run(["replay", "bad.jsonl"]) == 2
    err = capsys.readouterr().err
    assert said in err
    assert err.count("\n") == 1
