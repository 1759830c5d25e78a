"""Random walks find what is broken, the same way for the same seed, and what they find is short."""

from __future__ import annotations

import random

import pytest

from grouplock.catalog import find
from grouplock.check.checker import VIOLATED, check
from grouplock.check.minimise import attempt, minimise
from grouplock.check.random_walk import walk
from grouplock.check.replay import replay
from grouplock.check.scope import Scope
from grouplock.check.world import Choice, Violated, World
from grouplock.properties import EXCLUSION
from grouplock.protocol.channel import ANY_ORDER
from grouplock.protocol.system import System
from tests.algorithms.everything import everything
from tests.algorithms.toys import sender
from tests.mutants import MUTANTS

BROKEN = next(m for m in MUTANTS if m.name == "ra1-inside-lets-others-in")
SCOPE = Scope(groups=3, requests=5)


def larger(n: int = 5) -> System:
    """The mutant among more sites than can be explored."""
    return BROKEN.variant._replace(n=n).wrong()


def test_a_walk_finds_it_and_says_it_shortly() -> None:
    result = walk(larger(), SCOPE, seed=1)
    assert result.properties[EXCLUSION] == VIOLATED
    assert result.failed
    assert result.violation is not None
    assert len(result.violation.steps) < 20 < len(result.steps)
    again = list(replay(larger(), result.violation.steps))
    assert all(r.same for r in again)
    assert again[-1].wrong


def test_who_needs_no_short_run_gets_the_one_that_was_walked() -> None:
    result = walk(larger(), SCOPE, seed=1, shortest=False)
    assert result.properties[EXCLUSION] == VIOLATED
    assert result.violation is not None
    assert result.violation.steps == result.steps


def test_the_same_seed_walks_the_same_way() -> None:
    assert walk(larger(), SCOPE, seed=3).steps == walk(larger(), SCOPE, seed=3).steps
    assert walk(larger(), SCOPE, seed=3).steps != walk(larger(), SCOPE, seed=4).steps


def test_a_walk_of_a_right_one_ends_with_everybody_served() -> None:
    result = walk(find("token-gme").system(6, {}), Scope(groups=3, requests=10), seed=1)
    assert result.violation is None
    assert not result.complete
    assert sum(step.do[0] == "release" for step in result.steps) == 60


def test_walks_with_crashes_and_restarts() -> None:
    for seed in range(1, 30):
        system = everything(4, slots=2)
        scope = Scope(groups=3, sets=2, requests=4, events=("all",), faults=3)
        result = walk(system, scope.checked(system), seed)
        assert result.violation is None, (seed, result.violation)


def test_no_step_of_a_minimised_run_can_be_left_out() -> None:
    system = larger(4)
    failing = failing_choices(system)
    least = minimise(system, SCOPE, failing, (EXCLUSION,))
    assert len(least.choices) < len(failing)
    for at in range(len(least.choices)):
        without = least.choices[:at] + least.choices[at + 1 :]
        assert attempt(system, SCOPE, without, (EXCLUSION,)) is None


def test_a_minimised_run_is_as_short_as_the_shortest() -> None:
    """For this mutant; breadth-first knows the shortest."""
    system = larger(2)
    least = minimise(system, SCOPE, failing_choices(system), (EXCLUSION,))
    shortest = check(system, Scope(groups=3)).violation
    assert shortest is not None
    assert len(least.steps) == len(shortest.steps)


def failing_choices(system: System) -> list[Choice]:
    """Whatever is drawn, until it goes wrong."""
    rng = random.Random(1)
    while True:
        world = World(system, SCOPE)
        done: list[Choice] = []
        while choices := world.choices():
            done.append(rng.choice(choices))
            try:
                world.do(done[-1])
            except Violated:
                return done


def test_what_a_crash_loses_may_be_gone_in_a_shorter_run() -> None:
    system = sender(ANY_ORDER)
    scope = Scope(groups=1, requests=1, events=("crash",)).checked(system)
    lost = (1, ("deliver", 0, (0, 1)))
    choices = [
        Choice(0, ("request", 1, (0,))),
        Choice(0, ("release", 1)),
        Choice(0, ("crash",), lost=(lost,)),
        Choice(1, ("deliver", 0, (0, 3))),
    ]
    least = minimise(system, scope, choices, ("assertion",))
    assert [choice.do[0] for choice in least.choices] == ["request", "deliver"]


@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_systems(n: int) -> None:
    assert walk(find("ra1").system(n, {}), Scope(), seed=1).violation is None
