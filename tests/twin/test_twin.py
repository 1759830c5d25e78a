"""The service in a simulated world: what must hold does, and what is broken is found."""

from __future__ import annotations

import pytest

from grouplock.twin.judge import ANSWERS, PROPERTIES
from grouplock.twin.minimise import minimised, smaller_ones
from grouplock.twin.scenario import BOUND, KINDS, Scenario, drawn
from grouplock.twin.world import Verdict, run
from tests.twin.broken import BROKEN, Broken
from tests.twin.kept import KEPT


def replayed(verdict: Verdict) -> str:
    return f"grouplock twin --seed {verdict.seed}: {verdict.violated}: {verdict.reason}"


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


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b.name)
def test_a_broken_service_is_caught(broken: Broken) -> None:
    parts = broken.parts()
    verdict = run(drawn(broken.seed), parts)
    assert verdict.violated in broken.caught_by, replayed(verdict)
    assert run(drawn(broken.seed)).violated == "", "it is the mistake that is caught"


def test_a_failing_scenario_is_made_smaller() -> None:
    [broken] = [b for b in BROKEN if b.name == "leave-past-what-is-parked"]
    parts, before = broken.parts(), drawn(broken.seed)
    after = minimised(before, parts)
    assert run(after, parts).violated == run(before, parts).violated == ANSWERS
    assert len(after.faults) < len(before.faults)
    assert all([run(s, parts).violated != ANSWERS for s in smaller_ones(after)])


def test_each_property_is_one_that_some_mistake_violates() -> None:
    caught = {name for broken in BROKEN for name in broken.caught_by}
    # Of writes that interleave nothing is left where fences grow: that is what they are for.
    assert caught | {"interleaving"} == set(PROPERTIES)
