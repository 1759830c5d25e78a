"""grouplock algorithms: the catalog with its claims."""

from __future__ import annotations

import json
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from grouplock.catalog import ALGORITHMS, Algorithm
from grouplock.cli.options import Json
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


def algorithms(as_json: Json = False) -> None:
    """List the algorithms, with what each promises and what it costs."""
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
