"""The trace format: JSON lines, the same for simulator, checker, live runs and replay.

The first line is a header: what ran.  Then one line for each step of a site: when, where, the
input (`do`) and all its effects (`out`).  Because an algorithm is a pure state machine, the
inputs alone determine everything: `grouplock replay` runs them again and compares the effects.
The last line says how it ended.

    {"grouplock": 1, "driver": "sim", "algorithm": "ra1", "options": {}, "n": 3, ...}
    {"at": 0.5, "site": 1, "do": ["request", 4294967297, [0]], "out": [["send", 0, [0, 1, 0]]]}
    {"at": 1.5, "site": 0, "do": ["deliver", 1, [0, 1, 0]], "out": [["send", 1, [1]]]}
    {"end": "violation", "property": "exclusion", "reason": "..."}

Inputs: request(rid, groups) release(rid) withdraw(rid) deliver(src, message) timer(tag)
crash() notice(peer) setup(session, ok) report(epoch) view(...) expire(rid) force(rid)
persisted(record) restart(records).  A message is packed: its place in the algorithm's table, then
its fields.  What a site sends itself is part of the step that sent it: one line has the effects
of both.  Several effects of a step stand in the order in which they happened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

FORMAT = 1


class Header(NamedTuple):
    """What is needed to make the same sites again, and what made them."""

    driver: str  # sim, check, live
    algorithm: str
    options: dict[str, str]
    n: int
    groups: int
    sets: int
    slots: int
    seed: int
    quorum: str
    command: str  # the line that produces this run again


class Step(NamedTuple):
    at: float
    site: int
    do: tuple[Any, ...]
    out: tuple[tuple[Any, ...], ...]


class BadTrace(ValueError):
    """A file that is no trace, or not of this version; the message says which line and why."""


def header_line(header: Header) -> str:
    return json.dumps({"grouplock": FORMAT, **header._asdict()}, separators=(",", ":"))


def step_line(step: Step) -> str:
    return json.dumps(step._asdict(), separators=(",", ":"))


def end_line(end: str, **details: Any) -> str:
    """`end` is `done`, `violation` or `interrupted`; a violation names property and reason."""
    return json.dumps({"end": end, **details}, separators=(",", ":"))


def read(lines: IO[str]) -> Iterator[Header | Step | dict[str, Any]]:
    """The header, the steps, and the end line (a dict; missing where a run was cut off)."""
    number = 0
    try:
        for number, line in enumerate(lines, 1):
            yield _row(number, json.loads(line))
    except BadTrace:
        raise
    except UnicodeDecodeError as e:
        raise BadTrace(f"line {number + 1} is not part of a trace: it is no text") from e
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as e:
        raise BadTrace(f"line {number} is not part of a trace: {e}") from e
    if number == 0:
        raise BadTrace("line 1 is not part of a trace: the file is empty")


def _row(number: int, row: Any) -> Header | Step | dict[str, Any]:
    if number == 1:
        if row.pop("grouplock") != FORMAT:
            raise BadTrace("this trace is of another version of grouplock")
        return Header(**row)
    if "end" in row:
        ended: dict[str, Any] = row
        return ended
    return Step(row["at"], row["site"], _tuples(row["do"]), _tuples(row["out"]))


def _tuples(value: Any) -> Any:
    return tuple([_tuples(v) for v in value]) if isinstance(value, list) else value
