"""grouplock algorithms: the catalog with its claims."""

from __future__ import annotations

import json
from typing import Any

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
    table = Table(caption="messages a request as its paper counts them; worst is amortised")
    table.add_column("name", no_wrap=True)
    for heading in ("family", "messages", "hops in, over", "takes", "options", "source"):
        table.add_column(heading)
    for a in ALGORITHMS:
        takes = [what for what in (SLOTS, SETS, CRASH) if what in a.supports]
        table.add_row(
            a.name,
            a.family,
            f"{a.bounds.light} .. {a.bounds.worst}",
            f"{a.hops.waiting:g}, {a.hops.handover:g}",
            ", ".join(takes) or "-",
            "; ".join([f"{o.name}={'|'.join(o.values)}" for o in a.options]) or "-",
            a.paper,
        )
    Console().print(table)
