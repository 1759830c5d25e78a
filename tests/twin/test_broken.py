"""The service with one mistake, in a simulated world: each is found, and made smaller."""

from __future__ import annotations

import pytest

from grouplock._build import compiled
from grouplock.twin.judge import ANSWERS, PROPERTIES
from grouplock.twin.minimise import minimised, smaller_ones
from grouplock.twin.scenario import drawn
from grouplock.twin.world import run
from tests.twin.broken import BROKEN, SESSION, Broken, replayed

# A compiled request knows its own session alone: mistakes there are tried where nothing is.
TRIED = [broken for broken in BROKEN if broken.file != SESSION or not compiled()]


@pytest.mark.parametrize("broken", TRIED, ids=lambda b: b.name)
def test_a_broken_service_is_caught(broken: Broken) -> None:
    verdict = run(drawn(broken.seed), broken.parts())
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
