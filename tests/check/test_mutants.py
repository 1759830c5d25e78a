"""Every broken variant is caught by the property that is named for it; its run is kept.

The runs in tests/traces are replayed for ever.  After a change that moves them on purpose:
GROUPLOCK_REWRITE=1 pytest tests/check/test_mutants.py
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from grouplock.check.checker import HOLDS, NOT_VIOLATED, UNREACHED, VIOLATED, check
from grouplock.check.replay import replay
from grouplock.cli.check import save
from grouplock.measure.trace import Header, Step, read
from grouplock.properties import (
    ASSERTION,
    EXCLUSION,
    INTEGRITY,
    NO_DEADLOCK,
    SERVED,
    TOGETHER,
)
from tests.mutants import MUTANTS
from tests.mutants.mutant import Mutant

TRACES = Path(__file__).parent.parent / "traces"
each = pytest.mark.parametrize("mutant", MUTANTS, ids=[m.name for m in MUTANTS])


@each
def test_is_caught(mutant: Mutant) -> None:
    result = check(mutant.variant.wrong(), mutant.scope)
    assert result.properties[mutant.caught_by] == VIOLATED
    assert result.failed
    assert not result.complete
    assert result.violation is not None
    if os.environ.get("GROUPLOCK_REWRITE") == "1":
        right = mutant.variant.right()
        scope = mutant.scope
        header = Header(
            "check", right.name, right.options, right.n, scope.groups, scope.sets, right.slots,
            1, "", f"the mutant {mutant.name}",
        )  # fmt: skip
        save(TRACES / f"{mutant.name}.jsonl", header, result.violation)
    assert list(result.violation.steps) == kept(mutant)[0]


@each
def test_the_right_one_holds_in_the_same_scope(mutant: Mutant) -> None:
    result = check(mutant.variant.right(), mutant.scope)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}


@each
def test_its_run_is_replayed(mutant: Mutant) -> None:
    steps, end = kept(mutant)
    assert end["end"] == "violation"
    assert mutant.caught_by in end["property"]
    again = list(replay(mutant.variant.wrong(), steps))
    assert all(r.same for r in again)
    assert [bool(r.wrong) for r in again[:-1]] == [False] * (len(again) - 1)
    assert bool(again[-1].wrong) == (mutant.caught_by == EXCLUSION)
    assert bool(again[-1].failure) == (mutant.caught_by == ASSERTION)


BY_WHAT_THEY_DO = [m for m in MUTANTS if m.caught_by in (ASSERTION, EXCLUSION, INTEGRITY)]


@pytest.mark.parametrize("mutant", BY_WHAT_THEY_DO, ids=[m.name for m in BY_WHAT_THEY_DO])
def test_the_right_one_goes_another_way(mutant: Mutant) -> None:
    """Other mutants differ by what they leave undone."""
    steps, _ = kept(mutant)
    assert any(not r.same or r.failure for r in replay(mutant.variant.right(), steps))


def kept(mutant: Mutant) -> tuple[list[Step], dict[str, Any]]:
    with (TRACES / f"{mutant.name}.jsonl").open() as file:
        rows = list(read(file))
    assert isinstance(rows[0], Header)
    end = rows[-1]
    assert isinstance(end, dict)
    return [row for row in rows if isinstance(row, Step)], end


def test_no_trace_is_kept_of_a_mutant_that_is_gone() -> None:
    assert {path.stem for path in TRACES.glob("*.jsonl")} == {m.name for m in MUTANTS}


def test_safety_alone_does_not_see_that_nobody_shares() -> None:
    """Without 'same group may pass' RA1 is safe, live, and useless: nobody is ever together."""
    mutant = next(m for m in MUTANTS if m.name == "ra1-same-group-waits")
    safe = mutant.variant.wrong()._replace(promises=(EXCLUSION, SERVED, NO_DEADLOCK))
    assert set(check(safe, mutant.scope).properties.values()) == {HOLDS}
    together = mutant.variant.wrong()._replace(promises=(TOGETHER,))
    result = check(together, mutant.scope)
    assert result.complete
    assert result.properties[TOGETHER] == UNREACHED
    assert result.failed


def test_what_was_not_reached_yet_is_no_failure() -> None:
    mutant = MUTANTS[0]
    result = check(mutant.variant.wrong()._replace(promises=(TOGETHER,)), mutant.scope, limit=5)
    assert result.properties[TOGETHER] == UNREACHED
    assert NOT_VIOLATED in result.properties.values()
    assert not result.failed
