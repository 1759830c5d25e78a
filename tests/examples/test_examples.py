"""The examples run as they are; those that take an address also against a daemon."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_serve import serving
from tests.rules import rules

EXAMPLES = sorted((rules.ROOT / "examples").glob("*.py"))


def run(example: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, str(example), *arguments],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.name)
def test_it_runs_by_itself(example: Path) -> None:
    assert run(example)


@pytest.mark.parametrize("name", ["gpus.py", "test_bench.py"])
def test_it_runs_against_a_daemon(name: str, tmp_path: Path) -> None:
    with serving(tmp_path) as (address, _):
        assert run(rules.ROOT / "examples" / name, address)


def test_the_page_names_all_of_them() -> None:
    page = (rules.ROOT / "examples" / "README.md").read_text()
    assert [p.name for p in EXAMPLES if f"]({p.name})" not in page] == []
