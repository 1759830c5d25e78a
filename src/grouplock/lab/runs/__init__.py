"""What a worker runs: each a function of plain values that answers with named numbers.

Nothing here knows a claim or a figure: results are kept by their arguments and the digest of the
code, so what is here, and what it calls, is what a kept result depends on.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable
from typing import Any, Final, NamedTuple

Values = dict[str, Any]

ROOM: Final = "grouplock.lab.runs"


class Task(NamedTuple):
    """A run to be made: `module.function` of this room, and its arguments as JSON."""

    run: str
    given: str

    def arguments(self) -> dict[str, Any]:
        given: dict[str, Any] = json.loads(self.given)
        return given

    def told(self) -> str:
        """For a line that says what went wrong, with its parameters and seed."""
        return f"{self.run} {self.given}"


def task(run: str, **arguments: Any) -> Task:
    return Task(run, json.dumps(arguments, sort_keys=True))


def perform(todo: Task) -> Values:
    module, _, name = todo.run.partition(".")
    function: Callable[..., Values] = getattr(importlib.import_module(f"{ROOM}.{module}"), name)
    return function(**todo.arguments())
