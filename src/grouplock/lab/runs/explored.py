"""Runs of the checker: all interleavings of a small system."""

from __future__ import annotations

from typing import Any

from grouplock.catalog import find
from grouplock.check.checker import NOT_VIOLATED, VIOLATED, check
from grouplock.check.scope import Scope
from grouplock.lab.runs import Values


def explored(
    algorithm: str,
    n: int,
    options: dict[str, str] | None = None,
    slots: int = 1,
    quorum: str | None = None,
    limit: int = 400_000,
    **scope: Any,
) -> Values:
    """How many states there are, whether these are all, and which properties are violated."""
    within = Scope(**scope)
    system = find(algorithm).system(n, options or {}, slots, quorum, within.groups)
    result = check(system, within, limit)
    return {
        "states": result.states,
        "complete": result.complete,
        "violated": sorted([p for p, v in result.properties.items() if v == VIOLATED]),
        "open": sorted([p for p, v in result.properties.items() if v == NOT_VIOLATED]),
    }
