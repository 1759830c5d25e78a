"""The service in a simulated world: what must hold does."""

from __future__ import annotations

import pytest

from grouplock.twin.scenario import BOUND, KINDS, Scenario, drawn
from grouplock.twin.world import run
from tests.twin.broken import replayed
from tests.twin.kept import KEPT


@pytest.mark.parametrize("first", range(1, 61, 10))
def test_nothing_that_must_hold_is_violated(first: int) -> None:
    verdicts = [run(drawn(seed)) for seed in range(first, first + 10)]
    assert [replayed(v) for v in verdicts if v.violated] == []


def test_what_is_to_be_survived_does_happen() -> None:
    """A world in which nothing happens would be a good one by itself."""
    verdicts = [run(drawn(seed)) for seed in range(1, 41)]
    assert sum([v.held for v in verdicts]) > 1000
    assert sum([v.shared for v in verdicts]) > 1000
    for what in ("lost", "gave_up", "failed", "refused", "written"):
        assert sum([getattr(v, what) for v in verdicts]) > 0, what


def test_seeds_differ_in_every_respect() -> None:
    scenarios = [drawn(seed) for seed in range(1, 200)]
    assert {f.kind for s in scenarios for f in s.faults} == set(KINDS)
    assert {s.within_bound for s in scenarios} == {True, False}
    for field in ("nodes", "clients", "tasks", "locks", "slots", "lease", "delay"):
        assert len({getattr(s, field) for s in scenarios}) > 2, field


def test_a_scenario_gives_the_same_run_again() -> None:
    for seed in (1, 7, 23):
        assert run(drawn(seed)) == run(drawn(seed))


def test_without_faults_nothing_is_lost_or_refused_as_old_by_mistake() -> None:
    verdict = run(Scenario(3, requests=20))
    assert verdict.violated == ""
    assert verdict.lost == 0


def test_clocks_beyond_the_bound_may_make_two_believe_but_no_two_write() -> None:
    """The fences do not rest on clocks: what they guard is checked whatever the drift."""
    wild = [s for s in map(drawn, range(1, 400)) if s.drift > BOUND][:40]
    assert [replayed(v) for v in map(run, wild) if v.violated] == []


@pytest.mark.parametrize("scenario", KEPT, ids=lambda s: f"seed-{s.seed}")
def test_what_once_went_wrong_does_not_again(scenario: Scenario) -> None:
    verdict = run(scenario)
    assert (verdict.violated, verdict.reason) == ("", "")
