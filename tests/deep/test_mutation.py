"""A mutation run over algorithms/: is every line there held by something that can fail?

A sample of each algorithm's mutants, drawn by a fixed seed, is judged by schedules, message bounds
and the checker.  At least nine of ten that are not equivalent must be noticed; what is equivalent
is listed with its reason in equivalents.py.  GROUPLOCK_MUTANTS=N samples N of each (0: all).
"""

from __future__ import annotations

import os
import random
import time

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm, find
from tests.deep.broken import source_of
from tests.deep.equivalents import EQUIVALENT, reason
from tests.deep.judge import SURVIVED, judge
from tests.deep.operators import Mutation, mutant, mutations
from tests.deep.results import Row, keep

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
    missed = [row for row in alive if not reason(algorithm.name, row["name"])]
    assert len(missed) <= (1 - SHARE) * (len(rows) - len(alive) + len(missed)), missed
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


def test_a_mutant_that_is_called_equivalent_exists() -> None:
    for name, reasons in EQUIVALENT.items():
        found = [mutation.name for mutation in mutations(source_of(find(name)))]
        assert [mutant for mutant in reasons if mutant not in found] == []
