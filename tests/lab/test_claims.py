"""The papers' claims as data: nothing is left out, nothing is measured twice or by nobody."""

from __future__ import annotations

from collections import Counter
from math import inf, nan

import pytest

from grouplock.lab.claims import CLAIMS, LINES
from grouplock.lab.claims.claim import (
    AGREES,
    DISAGREES,
    NOT_RUN,
    Claim,
    Measured,
    at_least,
    at_most,
    claim,
    exactly,
    judge,
    near,
)
from grouplock.lab.experiments import EXPERIMENTS


def test_every_line_of_the_claims_has_an_entry() -> None:
    """157 lines, numbered within each paper."""
    assert sum(LINES.values()) == 157
    for paper, lines in LINES.items():
        entered = {c.line for c in CLAIMS if c.paper == paper}
        assert entered == set(range(1, lines + 1))


def test_ids_are_unique() -> None:
    assert [id for id, many in Counter([c.id for c in CLAIMS]).items() if many > 1] == []
    assert len({e.id for e in EXPERIMENTS}) == len(EXPERIMENTS)


def test_each_claim_has_an_experiment_or_a_reason() -> None:
    known = {e.id for e in EXPERIMENTS}
    for entry in CLAIMS:
        assert entry.by in known or (not entry.by and len(entry.why) > 10), entry.id
        assert entry.low <= entry.high
        assert entry.says
        assert entry.place


def test_each_experiment_is_for_a_claim() -> None:
    assert {e.id for e in EXPERIMENTS} == {c.by for c in CLAIMS if c.by}


def test_a_claim_without_an_experiment_needs_a_reason() -> None:
    with pytest.raises(AssertionError, match="either"):
        claim("004.99", "1", "nothing", exactly(1))


def entry(range: tuple[float, float]) -> Claim:
    return claim("004.99", "1", "something", range, "004-costs")


@pytest.mark.parametrize(
    ("range", "value", "half", "verdict"),
    [
        (exactly(2), 2.0, 0.0, AGREES),
        (exactly(2), 2.001, 0.0, DISAGREES),
        (near(48, 0.5), 47.2, 0.4, AGREES),
        (near(48, 0.5), 47.0, 0.4, DISAGREES),
        (near(48, 0.5), 30.0, 40.0, DISAGREES),  # an interval that says nothing
        (near(48, 0.5), 48.1, inf, AGREES),
        (near(48, 0.5), nan, 0.0, DISAGREES),
        (at_most(1), 0.2, 0.0, AGREES),
        (at_most(1), 1.2, 0.1, DISAGREES),
        (at_least(3), 2.9, 0.2, AGREES),
    ],
)
def test_when_a_measurement_agrees(
    range: tuple[float, float], value: float, half: float, verdict: str
) -> None:
    assert judge(entry(range), Measured(value, half)).verdict == verdict


def test_what_was_not_measured_is_not_run() -> None:
    row = judge(claim("004.99", "1", "something", exactly(1), why="it has no name"), None)
    assert (row.verdict, row.note) == (NOT_RUN, "it has no name")
