"""The command itself: what exists, and that wrong use is one line and status 2."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import grouplock
from grouplock.catalog import ALGORITHMS
from grouplock.cli.main import run

Capture = pytest.CaptureFixture[str]


def test_algorithms_json(capsys: Capture) -> None:
    assert run(["algorithms", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [a.name for a in ALGORITHMS]
    for row in rows:
        assert set(row) == {
            "name", "family", "paper", "channels", "options", "slots", "sets", "promises",
            "messages", "hops", "crash_tolerant",
        }  # fmt: skip
        assert row["channels"] in ("fifo", "any")
        assert set(row["messages"]) == {"light", "worst"}
        assert set(row["hops"]) == {"waiting", "handover"}
    [token_gme] = [row for row in rows if row["name"] == "token-gme"]
    assert token_gme["options"] == {
        "policy": ["priority", "fifo"],
        "secondary": ["any", "once"],
        "numbers": ["plain", "bounded"],
        "smax": ["1000", "2"],
    }
    assert (token_gme["sets"], token_gme["slots"], token_gme["crash_tolerant"]) == (
        True,
        False,
        False,
    )


def test_algorithms_as_a_table(capsys: Capture) -> None:
    assert run(["algorithms"]) == 0
    printed = capsys.readouterr().out
    assert [a.name for a in ALGORITHMS if a.name not in printed] == []


def test_version_and_help(capsys: Capture) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"grouplock {grouplock.__version__}\n"
    for arguments in ([], ["--help"], ["algorithms", "--help"]):
        assert run(arguments) == 0
        assert "Usage: grouplock" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["dance"], "No such command 'dance'"),
        (["--dance"], "No such option: --dance"),
        (["algorithms", "--dance"], "No such option: --dance"),
        (["algorithms", "ra1"], "unexpected extra argument"),
        (["sim"], "Missing argument 'NAME'"),
        (["sim", "ra11"], "no algorithm 'ra11'; did you mean ra1? (there are: central"),
        (["sim", "ra1", "--n"], "requires an argument"),
        (["sim", "ra1", "--n", "few"], "Invalid value for '--n': Input should be a valid integer"),
        (["sim", "ra1", "--n", "0"], "n is 0; it must be at least 1"),
        (["sim", "ra1", "--groups", "0"], "groups is 0; it must be at least 1"),
        (["sim", "ra1", "--requests", "0"], "requests is 0; it must be at least 1"),
        (["sim", "ra1", "--delay", "-1"], "delay is -1.0; it must be a number of at least 0"),
        (["sim", "ra1", "--skew", "20"], "skew is two percentages, as in 20,80, not '20'"),
        (["sim", "ra1", "--slots", "2"], "ra1 has one slot; --slots 2 needs another"),
        (["sim", "ra1", "--sets", "2"], "ra1 takes one group a request; --sets 2 needs another"),
        (
            ["sim", "ra1", "--quorum", "gird"],
            "no quorum system is called 'gird': did you mean grid",
        ),
        (["sim", "ra1", "-o", "x=1"], "ra1 has no option 'x' (it has: none)"),
        (["sim", "token-gme", "-o", "policy"], "an option is written key=value, not 'policy'"),
        (["sim", "token-gme", "-o", "policy=x"], "policy=x is not one of priority, fifo"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], said: str, capsys: Capture) -> None:
    assert run(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("grouplock: ")
    assert said in printed.err
    assert printed.err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path, capsys: Capture) -> None:
    file = tmp_path / "nowhere" / "trace.jsonl"
    assert run(["sim", "ra1", "--requests", "1", "--trace", str(file)]) == 2
    printed = capsys.readouterr().err
    assert str(file) in printed
    assert printed.count("\n") == 1


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = Path(sys.executable).with_name("grouplock")
    return subprocess.run(
        [program, *arguments], capture_output=True, text=True, timeout=60, check=False
    )


def test_the_installed_command() -> None:
    good, bad = command("--version"), command("dance")
    assert (good.returncode, good.stdout) == (0, f"grouplock {grouplock.__version__}\n")
    assert (bad.returncode, bad.stdout, bad.stderr.count("\n")) == (2, "", 1)
    assert "Traceback" not in bad.stderr


COMMANDS = {
    "sim": ["sim", "ra1", "--n", "3", "--requests", "2"],
    "sim --json": ["sim", "ra1", "--n", "3", "--requests", "2", "--json"],
    "compare": ["compare", "ra1", "central", "--n", "3", "--requests", "2", "--runs", "2"],
    "check": ["check", "ra1", "--n", "2"],
    "quorum": ["quorum", "grid", "--n", "9"],
    "algorithms": ["algorithms"],
    "live": ["live", "ra1", "--n", "2", "--requests", "2"],
    "help": ["--help"],
}


def ended_with(stdout: str, arguments: list[str]) -> tuple[int, str]:
    """Status and standard error where the shell redirects the output so."""
    program = Path(sys.executable).with_name("grouplock")
    line = f"{shlex.join([str(program), *arguments])} {stdout}"
    done = subprocess.run(
        ["bash", "-c", f"{line}; exit ${{PIPESTATUS[0]}}"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stderr


@pytest.mark.parametrize("what", COMMANDS)
def test_output_that_nobody_takes(what: str) -> None:
    assert ended_with("| true", COMMANDS[what]) == (0, "")
    assert ended_with(">&-", COMMANDS[what]) == (0, "")
    status, said = ended_with(">/dev/full", COMMANDS[what])
    assert (status, said.count("\n")) == (2, 1)
    assert said.startswith("grouplock: ")
    assert "No space left on device" in said
