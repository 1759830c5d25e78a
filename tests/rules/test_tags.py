"""The tagged lines of an algorithm are those of its page, and each of them runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm
from tests.rules import rules


def source_of(algorithm: Algorithm) -> str:
    return (rules.PACKAGE / "algorithms" / f"{rules.file_of(algorithm)}.py").read_text()


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_code_and_page_have_the_same_lines(algorithm: Algorithm) -> None:
    """The page named like the file has them; one of another algorithm of that file says where."""
    page = (rules.ROOT / "docs" / "algorithms" / f"{algorithm.name}.md").read_text()
    main = rules.file_of(algorithm).replace("_", "-")
    if algorithm.name == main:
        assert rules.tag_mismatch(source_of(algorithm), page) == []
    else:
        assert f"({main}.md#pseudo-code)" in page
        assert rules.pseudo_code(page) == []


@pytest.fixture(scope="module")
def lines_that_ran() -> dict[str, list[int]]:
    """By algorithm; from the sources, in a process of its own, because a tracer sees no other."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.rules.trace_lines"],
        cwd=rules.ROOT,
        env={**os.environ, "GROUPLOCK_INTERPRETED": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    ran: dict[str, list[int]] = json.loads(done.stdout)
    return ran


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_every_tagged_line_runs(algorithm: Algorithm, lines_that_ran: dict[str, list[int]]) -> None:
    file = rules.file_of(algorithm)
    ran = {line for a in ALGORITHMS if rules.file_of(a) == file for line in lines_that_ran[a.name]}
    idle = [f"L{tag}" for tag, line in rules.tags(source_of(algorithm)) if line not in ran]
    assert idle == []
