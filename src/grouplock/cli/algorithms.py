"""grouplock algorithms: the catalog with its claims, and what is measured beside them."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from grouplock.catalog import ALGORITHMS, Algorithm
from grouplock.cli.options import Json
from grouplock.cli.progress import bar
from grouplock.lab import measured as lab
from grouplock.protocol.system import CRASH, SETS, SLOTS


def row(a: Algorithm) -> dict[str, Any]:
    return {
        "name": a.name,
        "family": a.family,
        "paper": a.paper,
        "channels": a.channel.name,
        "options": {o.name: list(o.values) for o in a.options},
        "slots": SLOTS in a.supports,
        "sets": SETS in a.supports,
        "promises": list(a.promises),
        "messages": {"light": a.bounds.light, "worst": a.bounds.worst},
        "hops": {"waiting": a.hops.waiting, "handover": a.hops.handover},
        "crash_tolerant": CRASH in a.supports,
    }


Measure = Annotated[
    bool,
    typer.Option("--measured", help="Run each, and show what it costs beside what is claimed."),
]


def algorithms(measured: Measure = False, as_json: Json = False) -> None:
    """List the algorithms, with what each promises and what it costs."""
    if measured:
        show_measured(as_json)
        return
    if as_json:
        print(json.dumps([row(a) for a in ALGORITHMS], indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("name", no_wrap=True)
    table.add_column("messages", overflow="fold")
    table.add_column("hops", no_wrap=True)
    table.add_column("takes", overflow="fold")
    table.add_column("options and source", overflow="fold")
    for a in ALGORITHMS:
        takes = [what for what in (SLOTS, SETS, CRASH) if what in a.supports]
        options = [f"{o.name}={'|'.join(o.values)}" for o in a.options]
        light, worst = a.bounds.light, a.bounds.worst
        table.add_row(
            a.name,
            light if light == worst else f"{light} .. {worst}",
            f"{a.hops.waiting}, {a.hops.handover}",
            ", ".join(takes) or "-",
            "\n".join([*options, a.paper]),
        )
    console = Console()
    console.print(table)
    console.print(
        "messages a request, amortised, when nobody else asks .. at worst; hops to enter, to hand"
        " over",
        soft_wrap=True,
    )


def show_measured(as_json: bool) -> None:
    settings = lab.settings()
    found: list[lab.Measured] = []
    with bar("measuring", len(settings)) as progress:
        for entry, options in settings:
            found.append(lab.measure(entry, options))
            progress.step()
    if as_json:
        rows = []
        for a in ALGORITHMS:
            mine = [m.as_json() for m in found if m.algorithm == a.name]
            rows.append({**row(a), "measured": mine})
        print(json.dumps(rows, indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    table.add_column("algorithm", overflow="fold")
    for head in ("light", "heavy", "enter", "hand over", "integers", "together"):
        table.add_column(head, justify="right", no_wrap=True)
    for m in found:
        name = " ".join([m.algorithm, *[f"{k}={v}" for k, v in m.options.items()]])
        pairs = [beside(pair) for pair in (m.light, m.heavy, m.waiting, m.handover)]
        integers = f"{m.integers_light:.1f} {m.integers_heavy:.1f}"
        table.add_row(name, *pairs, integers, beside(m.together))
    console = Console()
    console.print(table)
    console.print(
        f"claimed/measured, n={lab.SITES}, {lab.GROUPS} groups. Messages a request: light, one asks"
        " at a time; heavy, all do (claimed: at worst). Hops to enter, to hand over. Integers a"
        " message, light and heavy. How many were inside together.",
        soft_wrap=True,
    )


def beside(pair: lab.Pair) -> str:
    return f"{'-' if pair.claimed is None else short(pair.claimed)}/{short(pair.measured)}"


def short(figure: float) -> str:
    """With one decimal, where that says anything."""
    return f"{figure:.1f}".removesuffix(".0")
