"""Shorten a failing run: leave out what the violation does not need.

What the exhaustive search finds is already shortest; this is for runs that were found by chance.
"""

from __future__ import annotations

from typing import NamedTuple

from grouplock.check.scope import Scope
from grouplock.check.world import Choice, Violated, World
from grouplock.measure.trace import Step
from grouplock.protocol.system import System


class Failure(NamedTuple):
    choices: list[Choice]
    steps: list[Step]
    reason: str


def minimise(
    system: System, scope: Scope, choices: list[Choice], properties: tuple[str, ...]
) -> Failure:
    """A run that breaks one of the same properties and of which no single step can be left out.

    Pieces are left out, at first large ones, then smaller ones.  A choice that has become
    impossible is left out too.
    """
    best = attempt(system, scope, choices, properties)
    assert best is not None, "a run that failed does not fail again: a handler is not deterministic"
    size = max(1, len(best.choices) // 2)
    while True:
        at = 0
        shorter = False
        while at < len(best.choices):
            kept = best.choices[:at] + best.choices[at + size :]
            found = attempt(system, scope, kept, properties)
            if found is None:
                at += size
            else:
                best, shorter = found, True
        if size > 1:
            size //= 2
        elif not shorter:
            return best


def attempt(
    system: System, scope: Scope, choices: list[Choice], properties: tuple[str, ...]
) -> Failure | None:
    """Do what can be done of it; what failed, if one of these properties did."""
    world = World(system, scope)
    done: list[Choice] = []
    for choice in choices:
        if not world.can_do(choice):
            continue
        there = world.undelivered(choice.site) if choice.lost else []
        choice = choice._replace(lost=tuple(m for m in choice.lost if m in there))
        done.append(choice)
        try:
            world.do(choice)
        except Violated as violated:
            if set(violated.properties) & set(properties):
                return Failure(done, world.steps, violated.reason)
            return None
    return None
