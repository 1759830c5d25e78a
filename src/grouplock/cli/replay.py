"""grouplock replay: a saved trace, step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated, Any

import typer
from rich.console import Console

from grouplock.check.replay import (
    Replayed,
    effect_in_words,
    input_in_words,
)
from grouplock.check.replay import (
    replay as run_again,
)
from grouplock.cli import options as opt
from grouplock.cli.errors import VIOLATED
from grouplock.cli.faults import names_file, users_faults
from grouplock.lab import spacetime
from grouplock.measure.trace import BadTrace, Header, Step, read
from grouplock.measure.workload import Workload
from grouplock.protocol.system import System

MOST_DRAWN = 2_000  # steps


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A trace: sim, check, live.")],
    diagram: Annotated[
        Path | None,
        typer.Option("--diagram", metavar="FILE", help="Draw it: sites, messages, who is inside."),
    ] = None,
    as_json: opt.Json = False,
) -> None:
    """Run a saved trace again, step by step, and compare the effects.

    Ends with status 1 where a promise is broken or a step went otherwise than in the trace.
    """
    with users_faults(), open_text(file) as lines:
        rows = read(lines)
        header = next(rows, None)
        if not isinstance(header, Header):
            raise BadTrace(f"{file} is empty; a trace begins with a header")
        system = system_of(header)
        ends: list[dict[str, Any]] = []
        steps = run_again(system, drawing(only_steps(rows, ends), diagram, system, ends))
        if as_json:
            status = tell_as_data(header, system, steps, ends)
        else:
            status = tell(header, system, steps, ends)
    raise typer.Exit(status)


@contextmanager
def open_text(path: Path) -> Iterator[IO[str]]:
    try:
        with path.open(encoding="utf-8") as file:
            yield file
    except UnicodeDecodeError:
        raise BadTrace(f"{path} is not text, so it is no trace") from None


def only_steps(
    rows: Iterator[Header | Step | dict[str, Any]], ends: list[dict[str, Any]]
) -> Iterator[Step]:
    for row in rows:
        if isinstance(row, Step):
            yield row
        elif isinstance(row, dict):
            ends.append(row)


def drawing(
    steps: Iterator[Step], path: Path | None, system: System, ends: list[dict[str, Any]]
) -> Iterator[Step]:
    """The same steps; they are drawn when the last one was taken."""
    if path is None:
        yield from steps
        return
    if path.suffix != ".svg":
        raise BadTrace(f"a diagram is an .svg file, not '{path.name}'")
    drawn = []
    for step in steps:
        drawn.append(step)
        if len(drawn) > MOST_DRAWN:
            raise BadTrace(f"more than {MOST_DRAWN} steps are too many to draw")
        yield step
    end = ends[-1] if ends else {}
    broken = end.get("end") == "violation"
    ending = f"{end.get('property')}: {end.get('reason')}" if broken else ""
    with names_file(path):
        path.write_text(spacetime.diagram(drawn, system.n, system.messages, ending))


def system_of(header: Header) -> System:
    """The sites that the trace is of."""
    numbers = (header.n, header.groups, header.sets, header.slots)
    options = header.options
    if not all(type(number) is int for number in numbers) or not isinstance(options, dict):
        raise BadTrace("the trace's header has no whole numbers for n, groups, sets and slots")
    if not isinstance(header.algorithm, str):
        raise BadTrace("the trace's header names no algorithm")
    workload = Workload(header.n, header.groups, header.sets, header.slots).checked()
    given = [f"{name}={value}" for name, value in options.items()]
    return opt.system_for(header.algorithm, given, workload, header.quorum or None)


def tell_as_data(
    header: Header, system: System, steps: Iterator[Replayed], ends: list[dict[str, Any]]
) -> int:
    rows = []
    verdict = Verdict()
    for number, replayed in enumerate(steps, 1):
        verdict.look_at(replayed)
        step = replayed.step
        rows.append(
            {
                "step": number,
                "at": step.at,
                "site": step.site,
                "do": step.do,
                "said": input_in_words(step, system.messages),
                "out": [effect_in_words(e, system.messages) for e in replayed.effects],
                "same": replayed.same,
                "wrong": replayed.wrong or None,
                "failure": replayed.failure or None,
            }
        )
    end = ends[-1] if ends else None
    data = {
        "algorithm": header.algorithm,
        "options": header.options,
        "n": header.n,
        "driver": header.driver,
        "command": header.command,
        "steps": rows,
        "different": verdict.different,
        "end": end,
    }
    print(json.dumps(data, indent=2))
    return verdict.status(end)


def tell(
    header: Header, system: System, steps: Iterator[Replayed], ends: list[dict[str, Any]]
) -> int:
    console = Console(highlight=False, markup=False, soft_wrap=True)
    options = "".join(f" {name}={value}" for name, value in header.options.items())
    console.print(f"{header.algorithm}{options}, {header.n} sites: {header.command}", style="bold")
    verdict = Verdict()
    inside = ""
    for number, replayed in enumerate(steps, 1):
        verdict.look_at(replayed)
        step = replayed.step
        console.print(
            f"{number:>4}  at {step.at:g}  site {step.site} {input_in_words(step, system.messages)}"
        )
        for effect in replayed.effects:
            console.print(f"            {effect_in_words(effect, system.messages)}")
        if replayed.inside != inside:
            inside = replayed.inside
            console.print(f"            inside: {inside or 'nobody'}", style="cyan")
        if replayed.failure:
            console.print(f"            fails: {replayed.failure}", style="bold red")
        if replayed.wrong:
            console.print(f"            wrong: {replayed.wrong}", style="bold red")
        if not replayed.same:
            before = [effect_in_words(e, system.messages) for e in step.out]
            console.print(
                f"            the trace had: {'; '.join(before) or 'nothing'}", style="red"
            )
    end = ends[-1] if ends else None
    if end is not None and end["end"] == "violation":
        said = f"the trace ends with a violation of {end.get('property')}: {end.get('reason')}"
        console.print(said, style="bold")
    if verdict.different:
        console.print(
            f"{verdict.different} steps went otherwise than in the trace", style="bold red"
        )
    return verdict.status(end)


class Verdict:
    """Whether the run was right, and went as it did when the trace was written."""

    def __init__(self) -> None:
        self.different = 0
        self.wrong = 0

    def look_at(self, replayed: Replayed) -> None:
        self.different += not replayed.same
        self.wrong += bool(replayed.wrong or replayed.failure)

    def status(self, end: dict[str, Any] | None) -> int:
        violated = end is not None and end["end"] == "violation"
        return VIOLATED if violated or self.different or self.wrong else 0
