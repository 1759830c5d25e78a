"""Every algorithm of the catalog in every driver, and the habits of its author."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from grouplock._build import compiled
from grouplock.check.checker import HOLDS, check
from grouplock.check.replay import replay
from grouplock.check.scope import Scope
from grouplock.measure.trace import Header, Step, header_line, read
from grouplock.measure.workload import Workload
from grouplock.protocol.system import SETS, System
from grouplock.sim.recorder import TraceWriter
from grouplock.sim.run import Outcome, simulate
from tests.conformance.author import (
    calm_scope,
    digest,
    every_system,
    examine,
    label,
    messages_of,
    requests_made,
    scope_of,
    transmissions,
    walked,
)
from tests.conformance.digests import SEED, digests

SYSTEMS = every_system()
CATALOG = [system for system in SYSTEMS if system.name != "everything"]
SEEDS = range(1, 6)

each = pytest.mark.parametrize("system", SYSTEMS, ids=[label(s) for s in SYSTEMS])
each_of_the_catalog = pytest.mark.parametrize("system", CATALOG, ids=[label(s) for s in CATALOG])


# In the checker.


@each
def test_all_interleavings_of_two_sites(system: System) -> None:
    small = next(s for s in every_system(2) if label(s) == label(system))
    sets = 2 if SETS in system.supports else 1
    result = check(small, Scope(groups=2, sets=sets, requests=1))
    assert result.complete
    assert HOLDS in result.properties.values()
    assert result.violation is None


@each
def test_random_walks_with_everything_that_it_supports(system: System) -> None:
    for seed in SEEDS:
        steps = walked(system, scope_of(system), seed)
        assert requests_made(steps) > 0


@each
def test_the_author_is_deterministic_and_the_state_is_whole(system: System) -> None:
    for seed in SEEDS:
        steps = walked(system, scope_of(system, requests=4), seed)
        assert examine(system, steps) > 10


@each
def test_messages_survive_packing_and_json(system: System) -> None:
    kinds = set()
    for seed in SEEDS:
        for packed in messages_of(walked(system, calm_scope(system), seed)):
            kinds.add(packed[0])
            again = system.messages.unpack(json.loads(json.dumps(packed)), system.n)
            assert system.messages.pack(again) == packed
            assert system.messages.integers(again) >= 0
    assert kinds, "a walk without a message"


# What the catalog says.


@each_of_the_catalog
def test_a_walk_costs_no_more_messages_than_claimed(system: System) -> None:
    for seed in SEEDS:
        steps = walked(system, calm_scope(system), seed)
        assert transmissions(steps) <= system.worst * requests_made(steps)


@each_of_the_catalog
def test_a_simulated_run_costs_no_more_messages_than_claimed(system: System) -> None:
    for seed in SEEDS:
        figures = simulated(system, seed)[0].figures
        assert figures.served == system.n * 20
        assert figures.messages <= system.worst * figures.served


@each_of_the_catalog
def test_an_undisturbed_request_costs_about_what_is_claimed(system: System) -> None:
    """Long thinking: requests hardly ever meet.  Two for a hundred is for those that do."""
    workload = Workload(n=system.n, slots=system.slots, requests=200, think=10_000.0)
    figures = simulate(system, workload).figures
    assert figures.messages <= 1.02 * system.light * figures.served


@each_of_the_catalog
def test_what_is_claimed_of_an_undisturbed_request_is_no_more_than_at_worst(system: System) -> None:
    assert 0 < system.light <= system.worst


# In the simulator, and replayed.


CHANNELS = [(s, fifo) for s in SYSTEMS for fifo in (True, False) if fifo or not s.channel.fifo]


@pytest.mark.parametrize(
    ("system", "fifo"),
    CHANNELS,
    ids=[f"{label(system)}-{'fifo' if fifo else 'any'}" for system, fifo in CHANNELS],
)
def test_a_simulated_run_is_right_and_replays(system: System, fifo: bool) -> None:
    outcome, steps = simulated(system, SEED, fifo)
    assert outcome.violation is None
    again = list(replay(system, steps))
    assert len(again) == len(steps) > 0
    assert all(r.same and not r.wrong and not r.failure for r in again)
    assert again[-1].inside == ""


def simulated(system: System, seed: int, fifo: bool = True) -> tuple[Outcome, list[Step]]:
    file = io.StringIO()
    sets = 2 if SETS in system.supports else 1
    workload = Workload(n=system.n, groups=4, sets=sets, slots=system.slots, requests=20, seed=seed)
    outcome = simulate(
        system,
        workload,
        fifo=fifo,
        recorder=lambda kernel: TraceWriter(kernel, system.messages, file),
    )
    header = Header(
        "sim", system.name, system.options, system.n, 4, sets, system.slots, seed, "", ""
    )
    lines = io.StringIO(header_line(header) + "\n" + file.getvalue())
    return outcome, [row for row in read(lines) if isinstance(row, Step)]


# Compiled and interpreted.


def test_the_same_seed_gives_the_same_run_however_it_is_built() -> None:
    """In the other build where there is one; where nothing is compiled, twice interpreted."""
    interpreted = "0" if os.environ.get("GROUPLOCK_INTERPRETED") == "1" else "1"
    done = subprocess.run(
        [sys.executable, "-m", "tests.conformance.digests"],
        env={**os.environ, "GROUPLOCK_INTERPRETED": interpreted},
        capture_output=True,
        text=True,
        check=True,
    )
    other = json.loads(done.stdout)
    if compiled():
        assert not other["compiled"]
    assert other["digests"] == digests()


@each
def test_another_seed_gives_another_run(system: System) -> None:
    assert digest(system, SEED) != digest(system, SEED + 1)
