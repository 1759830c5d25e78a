"""grouplock sim and compare, as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grouplock.cli.main import run

Capture = pytest.CaptureFixture[str]

KEYS = {
    "algorithm", "options", "n", "groups", "slots", "requests", "seed", "served", "violations",
    "messages", "messages_per_request", "integers_per_message", "waiting", "throughput",
    "concurrency", "sync_delay", "sessions", "virtual_time", "events", "wall_s", "events_per_s",
}  # fmt: skip


def test_one_run_as_json(capsys: Capture) -> None:
    assert run(["sim", "token-gme", "--requests", "20", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) == KEYS
    assert (data["n"], data["groups"], data["served"], data["violations"]) == (9, 3, 180, 0)
    assert set(data["waiting"]) == {"mean", "p50", "p99", "max"}
    assert set(data["concurrency"]) == {"mean", "max"}
    assert set(data["sync_delay"]) == {"mean", "hops"}
    assert data["options"]["policy"] == "priority"


def test_several_runs_have_intervals(capsys: Capture) -> None:
    assert run(["sim", "ra1", "--requests", "10", "--runs", "3", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) == {*KEYS, "ci95", "runs"}
    assert data["served"] == 3 * 90
    assert data["ci95"]["messages_per_request"] == 0  # always 2(n-1)
    assert 0 < data["ci95"]["waiting.mean"] < data["waiting"]["mean"]


def test_a_table_for_people(capsys: Capture) -> None:
    assert run(["sim", "ra1", "--requests", "10"]) == 0
    printed = capsys.readouterr().out
    assert "messages a request" in printed
    assert "16" in printed


def test_a_trace_is_replayed(tmp_path: Path, capsys: Capture) -> None:
    trace = tmp_path / "run.jsonl"
    command = ["sim", "token-gme", "--n", "4", "--requests", "5", "--trace", str(trace)]
    assert run(command) == 0
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    assert lines[0]["driver"] == "sim"
    assert lines[-1] == {"end": "done"}
    capsys.readouterr()
    assert run(["replay", str(trace)]) == 0
    assert "otherwise" not in capsys.readouterr().out


def test_compare_as_json(capsys: Capture) -> None:
    command = ["compare", "ra1", "token-gme:policy=fifo", "--requests", "5", "--runs", "3"]
    assert run([*command, "--sweep", "n=3,5", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [(row["algorithm"], row["n"]) for row in rows] == [
        ("ra1", 3), ("ra1", 5), ("token-gme", 3), ("token-gme", 5)
    ]  # fmt: skip
    assert rows[0]["messages_per_request"] == {
        "mean": 4.0, "ci95": 0.0, "ratio": {"mean": 1.0, "ci95": 0.0}
    }  # fmt: skip
    assert rows[2]["options"]["policy"] == "fifo"
    assert 0 < rows[2]["waiting.mean"]["ratio"]["mean"] < 1


@pytest.mark.parametrize(("suffix", "begins"), [(".png", b"\x89PNG"), (".svg", b"<?xml")])
def test_compare_draws(tmp_path: Path, suffix: str, begins: bytes) -> None:
    plot = tmp_path / f"plot{suffix}"
    assert run(["compare", "ra1", "--requests", "3", "--runs", "2", "--plot", str(plot)]) == 0
    assert plot.read_bytes().startswith(begins)


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("sim nosuch", "no algorithm 'nosuch'"),
        ("sim ra1 --n 0", "n is 0"),
        ("sim ra1 --n 70000", "at most 65535"),
        ("sim ra1 -o policy=fifo", "no option 'policy'"),
        ("sim token-gme -o policy=best", "not one of priority, fifo"),
        ("sim ra1 -o policy", "key=value"),
        ("sim ra1 --slots 2", "one slot"),
        ("sim ra1 --sets 2", "one group"),
        ("sim ra1 --trace /nowhere/at/all", "/nowhere/at/all"),
        ("sim ra1 --trace /dev/full", "/dev/full: No space left"),
        ("sim ra1 --runs 2 --trace t", "one run"),
        ("sim ra1 --runs 0", "runs is 0"),
        ("sim ra1 --skew 20", "two percentages"),
        ("sim ra1 --channel slow", "fifo or any"),
        ("sim ra1 --patience 3", "does not support 'cancel'"),
        ("sim ra1 --n three", "'--n'"),
        ("compare nosuch", "no algorithm"),
        ("compare ra1 --sweep colour=1,2", "a sweep is key=a,b,c"),
        ("compare ra1 --sweep n=2,x", "no value of n"),
        ("compare ra1 --sweep n=2,0", "n is 0"),
        ("compare ra1 --plot p.gif", ".png or .svg"),
        ("compare ra1 --plot /nowhere/p.png", "/nowhere/p.png"),
    ],
)
def test_wrong_use_is_one_line(command: str, says: str, capsys: Capture) -> None:
    assert run(command.split()) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("grouplock: ")
    assert says in err
