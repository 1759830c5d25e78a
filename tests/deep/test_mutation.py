"""A mutation run over algorithms/: is every line there held by something that can fail?

A sample of each algorithm's mutants, drawn by a fixed seed, is judged by schedules, message bounds
and the checker.  At least nine of ten that are not equivalent must be noticed; what is equivalent
is listed with its reason in survivors.py.  GROUPLOCK_MUTANTS=N samples N of each (0: all).
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm, find
from tests.deep.broken import SOURCES, module_of, source_of
from tests.deep.judge import SURVIVED, judge
from tests.deep.operators import Mutation, mutant, mutations
from tests.deep.results import Row, keep
from tests.deep.survivors import EQUIVALENT, NOTICED, reason, test_of

SAMPLE = int(os.environ.get("GROUPLOCK_MUTANTS", "30"))
SHARE = 0.9
each = pytest.mark.parametrize("algorithm", ALGORITHMS, ids=[a.name for a in ALGORITHMS])


@each
def test_the_right_one_is_let_pass(algorithm: Algorithm) -> None:
    """Also when it is made of its text in the way that a mutant is."""
    assert judge(algorithm, source_of(algorithm)) == (SURVIVED, "")


@each
def test_nine_of_ten_mutants_are_noticed(algorithm: Algorithm) -> None:
    source = source_of(algorithm)
    found = mutations(source)
    rows = [judged(algorithm, source, mutation) for mutation in sample(found)]
    keep("mutants", algorithm.name, {"mutants": len(found), "sampled": rows})
    alive = [row for row in rows if row["by"] == SURVIVED]
    different = [row for row in alive if not reason(algorithm.name, row["name"])]
    missed = [row for row in different if not test_of(algorithm.name, row["name"])]
    assert len(missed) <= (1 - SHARE) * (len(rows) - len(alive) + len(different)), missed
    noticed = [
        row["name"] for row in rows if row not in alive and reason(algorithm.name, row["name"])
    ]
    assert not noticed, "these are called equivalent"


def judged(algorithm: Algorithm, source: str, mutation: Mutation) -> Row:
    began = time.process_time()
    verdict = judge(algorithm, mutant(source, mutation))
    return {
        "name": mutation.name,
        "line": mutation.line,
        "by": verdict.by,
        "what": verdict.what[:200],
        "seconds": round(time.process_time() - began, 2),
    }


def sample(found: list[Mutation]) -> list[Mutation]:
    if SAMPLE == 0 or len(found) <= SAMPLE:
        return found
    return sorted(random.Random(1).sample(found, SAMPLE))


def test_a_mutant_that_has_a_reason_exists() -> None:
    for listed in (EQUIVALENT, NOTICED):
        for name, mutants in listed.items():
            found = [mutation.name for mutation in mutations(source_of(find(name)))]
            assert [mutant for mutant in mutants if mutant not in found] == []


NAMED = [(name, *item) for name, mutants in NOTICED.items() for item in mutants.items()]


@pytest.mark.parametrize(("name", "text", "test"), NAMED, ids=[test for _, _, test in NAMED])
def test_the_test_that_is_said_to_notice_a_mutant_does(
    name: str, text: str, test: str, tmp_path: Path
) -> None:
    """Against a copy of the package, interpreted: right, then with the one file changed."""
    package = tmp_path / "grouplock"
    shutil.copytree(SOURCES.parent, package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    source = source_of(find(name))
    mutation = next(m for m in mutations(source) if m.name == text)
    file = package / "algorithms" / module_of(find(name))
    command = [sys.executable, "-B", "-m", "pytest", "-p", "no:cacheprovider", test]
    given = {**os.environ, "PYTHONPATH": str(tmp_path)}
    for content, status in ((source, 0), (mutant(source, mutation), 1)):
        file.write_text(content)
        run = subprocess.run(command, env=given, capture_output=True, text=True, check=False)
        assert run.returncode == status, run.stdout
