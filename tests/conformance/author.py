"""What every algorithm is run through here, and the checks of its author."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from grouplock.catalog import ALGORITHMS
from grouplock.check.perform import perform
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.measure.trace import Step
from grouplock.protocol.effects import SEND
from grouplock.protocol.system import MANY, SETS, SLOTS, System
from tests.algorithms.everything import everything

N = 4
GROUPS = 4


def every_system(n: int = N) -> list[System]:
    """Each algorithm of the catalog with each combination of its options, and the test one."""
    found = []
    for algorithm in ALGORITHMS:
        slots = 2 if SLOTS in algorithm.supports else 1
        for options in algorithm.settings():
            found.append(algorithm.system(n, options, slots, groups=GROUPS))
    return [*found, everything(n, slots=2, own=False)]


def label(system: System) -> str:
    return "-".join([system.name, *system.options.values()])


def scope_of(system: System, requests: int = 6) -> Scope:
    """Everything that the algorithm supports, with sets of groups where it takes them."""
    sets = 2 if SETS in system.supports else 1
    return Scope(groups=3, sets=sets, requests=requests, events=("all",)).checked(
        system, walking=True
    )


def calm_scope(system: System, requests: int = 6) -> Scope:
    """Requests, exits and messages alone."""
    return scope_of(system, requests)._replace(events=("many",) if MANY in system.supports else ())


def walked(system: System, scope: Scope, seed: int) -> tuple[Step, ...]:
    result = walk(system, scope, seed)
    assert result.violation is None, f"seed {seed}: {result.violation}"
    return result.steps


def digest(system: System, seed: int) -> str:
    """Of every step of a walk, with all effects."""
    text = json.dumps(walked(system, scope_of(system), seed))
    return hashlib.sha256(text.encode()).hexdigest()


# The author.


def examine(system: System, steps: tuple[Step, ...]) -> int:
    """Runs every step three times: on a site that has lived through the run, on a fresh one with
    the state loaded, and on one that was another site's state before.  All must do the same and
    end in the same state.  Returns how many steps there were.
    """
    lived = system.sites()
    used = system.sites()
    examined = 0
    for step in steps:
        me, do = step.site, step.do
        if do[0] == "crash":
            continue
        if do[0] == "restart":
            lived[me] = system.make(me)
        before = lived[me].save()
        assert lived[me].save() == before, "save changes the site"
        hash(before)
        fresh = system.make(me)
        for site in (fresh, used[me]):
            site.load(before)
            assert site.save() == before, f"{do}: a state does not survive load and save"
        effects = [perform(system, site, do) for site in (lived[me], fresh, used[me])]
        assert effects[0] == step.out, f"{do}: not deterministic"
        assert effects[0] == effects[1] == effects[2], f"{do}: the state misses something"
        after = [site.save() for site in (lived[me], fresh, used[me])]
        assert after[0] == after[1] == after[2], f"{do}: the state misses something"
        check_numbers(after[0])
        examined += 1
    return examined


def check_numbers(value: Any) -> None:
    """A saved state is tuples of numbers: nothing that can change, nothing with an identity."""
    if isinstance(value, tuple):
        for inner in value:
            check_numbers(inner)
    else:
        assert value is None or isinstance(value, (int, float, str)), f"{value!r} in a state"


def messages_of(steps: tuple[Step, ...]) -> Iterator[Any]:
    for step in steps:
        for effect in step.out:
            if effect[0] == SEND:
                yield effect[2]


def transmissions(steps: tuple[Step, ...]) -> int:
    """Messages between different sites."""
    return sum(e[0] == SEND and e[1] != step.site for step in steps for e in step.out)


def requests_made(steps: tuple[Step, ...]) -> int:
    return sum(step.do[0] == "request" for step in steps)
