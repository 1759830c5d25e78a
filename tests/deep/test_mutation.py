"""A mutation run over algorithms/: is every line there held by something that can fail?

A sample of each algorithm's mutants, drawn by a fixed seed, is judged by schedules, message bounds
and the checker.  At least nine of ten that are not equivalent must be noticed; what is equivalent
is listed with its reason in equivalents.py.  GROUPLOCK_MUTANTS=N samples N of each (0: all).
"""

from __future__ import annotations

import json
import os
import random
import time
from pathlib import Path

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm
from tests.deep.equivalents import EQUIVALENT
from tests.deep.judge import SURVIVED, judge
from tests.deep.operators import Mutation, mutations

SAMPLE = int(os.environ.get("GROUPLOCK_MUTANTS", "40"))
SHARE = 0.9
FOLDER = Path(__file__).parents[2]
RESULTS = FOLDER / "build" / "mutation.jsonl"


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_nine_of_ten_mutants_are_noticed(algorithm: Algorithm) -> None:
    rows = [judged(algorithm, mutation) for mutation in sample(algorithm)]
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a") as file:
        file.writelines(json.dumps(row) + "\n" for row in rows)
    alive = [row for row in rows if row["by"] == SURVIVED]
    wrong = [row for row in alive if not row["reason"]]
    assert len(wrong) <= (1 - SHARE) * (len(rows) - len(alive) + len(wrong)), wrong


def judged(algorithm: Algorithm, mutation: Mutation) -> dict[str, object]:
    began = time.monotonic()
    verdict = judge(algorithm, mutation.source)
    return {
        "algorithm": algorithm.name,
        "operator": mutation.operator,
        "line": mutation.line,
        "text": mutation.before,
        "by": verdict.by,
        "what": verdict.what[:120],
        "reason": EQUIVALENT.get((algorithm.name, mutation.name), ""),
        "seconds": round(time.monotonic() - began, 2),
    }


def sample(algorithm: Algorithm) -> list[Mutation]:
    found = list(mutations(source_of(algorithm)))
    if SAMPLE == 0 or len(found) <= SAMPLE:
        return found
    return sorted(random.Random(1).sample(found, SAMPLE), key=lambda m: (m.line, m.operator))


def source_of(algorithm: Algorithm) -> str:
    module = algorithm.make.__module__.rpartition(".")[2]
    return (FOLDER / "src" / "grouplock" / "algorithms" / f"{module}.py").read_text()


def test_a_mutant_that_is_called_equivalent_exists() -> None:
    names = {(a.name, m.name) for a in ALGORITHMS for m in mutations(source_of(a))}
    assert [key for key in EQUIVALENT if key not in names] == []
