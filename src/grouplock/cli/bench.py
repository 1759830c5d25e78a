"""grouplock bench: how fast this installation is on this machine."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from grouplock._build import compiled
from grouplock.catalog import find
from grouplock.check.checker import check
from grouplock.check.scope import Scope
from grouplock.cli.errors import usage
from grouplock.cli.options import Json
from grouplock.cli.progress import bar
from grouplock.measure.workload import Workload
from grouplock.sim.run import simulate

SIZES = (25, 100, 500)
ALGORITHMS = ("suzuki-kasami", "ra1", "token-gme")


def bench(
    millions: Annotated[
        float, typer.Option("--millions", help="Messages of one run; states, for the checker.")
    ] = 1.0,
    as_json: Json = False,
) -> None:
    """Measure the simulator and the checker; `make bench` puts them beside other ways."""
    if not millions > 0:
        usage(f"millions is {millions:g}; it must be more than 0")
    rates: dict[str, dict[str, float]] = {}
    with bar("runs", len(ALGORITHMS) * len(SIZES) + 1) as progress:
        for name in ALGORITHMS:
            rates[name] = {}
            for n in SIZES:
                requests = max(2, round(millions * 1e6 / n / n))
                run = simulate(find(name).system(n, {}), Workload(n=n, requests=requests)).figures
                rates[name][str(n)] = run.messages / run.wall_s
                progress.step()
        system = find("token-gme").system(3, {})
        seen = check(system, Scope(groups=2, requests=2), limit=max(1000, int(millions * 1e6)))
        progress.step()
    states = seen.states / seen.wall_s
    if as_json:
        data: dict[str, Any] = {
            "compiled": compiled(),
            "messages_per_s": rates,
            "states_per_s": states,
        }
        print(json.dumps(data, indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("million messages a second")
    for n in SIZES:
        table.add_column(f"n = {n}", justify="right")
    for name, by_size in rates.items():
        table.add_row(name, *[f"{rate / 1e6:.3g}" for rate in by_size.values()])
    console = Console()
    console.print(table)
    how = "compiled" if compiled() else "interpreted: slow; a C compiler at install makes it fast"
    console.print(f"checker: {states:,.0f} states a second; the pure rooms are {how}")
