"""What a deep run explores is written down: one line a result, for docs/checked.md."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from grouplock.check.checker import VIOLATED, Result, check
from grouplock.check.scope import Scope
from grouplock.protocol.system import System

RESULTS = Path(__file__).parents[2] / "build" / "deep.jsonl"

Explore = Callable[[System, Scope, int], Result]


@pytest.fixture
def explore() -> Explore:
    """Check within a number of states; nothing may be violated.  Complete or not is kept."""

    def explored(system: System, scope: Scope, limit: int) -> Result:
        result = check(system, scope, limit)
        row = {
            "algorithm": system.name,
            "options": system.options,
            "n": system.n,
            "slots": system.slots,
            "quorum": system.quorum,
            "scope": scope._asdict(),
            "states": result.states,
            "transitions": result.transitions,
            "complete": result.complete,
            "seconds": round(result.wall_s, 1),
        }
        RESULTS.parent.mkdir(exist_ok=True)
        with RESULTS.open("a") as file:
            file.write(json.dumps(row) + "\n")
        assert VIOLATED not in result.properties.values(), result.violation
        return result

    return explored
