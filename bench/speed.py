"""How fast, side by side in one run: `make bench`.

Messages a second of the simulator on Suzuki and Kasami, compiled and interpreted, next to the
same simulation in C++ and in SimPy; bytes a message in flight; the checker's states a second.
Ways take turns, each in a process of its own; shown is the median and how far the rounds spread.
First of all it is proved that all ways do the same work: given the same variates they must send
as many messages and wait as long.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table

from grouplock._build import compiled
from grouplock.measure.workload import Workload

HERE = Path(__file__).parent
CPP = HERE / "build" / "suzuki_kasami"
SIZES = (25, 100, 500)
# Messages of one measurement: enough for a steady rate, in about a second each.
AMOUNT = {"C++": 12e6, "compiled": 8e6, "interpreted": 4e5, "SimPy, lean": 2e5, "SimPy, usual": 1e5}
CHECKED = "4000000"  # states of one measurement, of the 23 million that there are
AGREE = 1e-9  # relative: sums of many floats in another order


def run(command: list[str], interpreted: bool = False) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(HERE), "OPENBLAS_NUM_THREADS": "1"}
    if interpreted:
        environment["GROUPLOCK_INTERPRETED"] = "1"
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def one(way: str, n: int, requests: int, *more: str, interpreted: bool = False) -> dict[str, Any]:
    script = str(HERE / "one.py")
    return run([sys.executable, script, way, str(n), str(requests), *more], interpreted)


def cpp(n: int, requests: int, *more: str) -> dict[str, Any]:
    w = Workload()
    values = (n, requests, w.think, w.inside, w.delay, w.seed)
    return run([str(CPP), *map(str, values), *more])


WAYS: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "C++": cpp,
    "compiled": lambda n, r: one("kernel", n, r),
    "interpreted": lambda n, r: one("kernel", n, r, interpreted=True),
    # What a user of SimPy writes is not compiled, its meter included.
    "SimPy, lean": lambda n, r: one("lean", n, r, interpreted=True),
    "SimPy, usual": lambda n, r: one("usual", n, r, interpreted=True),
}


def prove_same_work(n: int = 25, requests: int = 40) -> list[str]:
    """The ways that agreed; ends the program where one does not."""
    from variates import write

    expected = WAYS["compiled"](n, requests)
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / "variates"
        write(Workload(n=n, requests=requests), given)
        others = {
            "interpreted": WAYS["interpreted"](n, requests),
            "SimPy, lean": one("lean", n, requests, "given", interpreted=True),
            "SimPy, usual": one("usual", n, requests, "given", interpreted=True),
        }
        if CPP.exists():
            others["C++"] = cpp(n, requests, str(given))
    for way, found in others.items():
        for name, value in found.items():
            if (
                name in expected
                and name != "wall_s"
                and abs(value - expected[name]) > AGREE * abs(expected[name])
            ):
                sys.exit(f"{way} does other work: {name} is {value}, not {expected[name]}")
    return ["compiled", *others]


def rates(rounds: int, ways: list[str]) -> dict[str, dict[int, list[float]]]:
    found: dict[str, dict[int, list[float]]] = {way: {n: [] for n in SIZES} for way in ways}
    for _ in range(rounds):
        for n in SIZES:
            for way in ways:
                requests = max(2, round(AMOUNT[way] / n / n))
                figures = WAYS[way](n, requests)
                found[way][n].append(figures["messages"] / figures["wall_s"])
    return found


def checker(rounds: int) -> list[dict[str, Any]]:
    """Runs of the checker on `token-gme`, three sites."""
    command = [str(Path(sys.executable).with_name("grouplock")), "check", "token-gme"]
    return [
        run([*command, "--requests", "2", "--groups", "2", "--limit", CHECKED, "--json"])
        for _ in range(rounds)
    ]


def spread(values: list[float]) -> float:
    return (max(values) - min(values)) / statistics.median(values)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if not compiled():
        sys.exit("the pure rooms are not compiled here; there is nothing to compare")
    agreed = prove_same_work()
    ways = [way for way in WAYS if way in agreed]
    found = rates(arguments.rounds, ways)
    medians = {w: {n: statistics.median(v) for n, v in by.items()} for w, by in found.items()}
    held = one("memory", 500, 1)
    checks = checker(arguments.rounds)
    per_second = [c["states"] / c["wall_s"] for c in checks]
    if arguments.json:
        print(
            json.dumps(
                {
                    "messages_per_s": medians,
                    "spread": {w: {n: spread(v) for n, v in by.items()} for w, by in found.items()},
                    "agreed": agreed,
                    "bytes_per_message": held["bytes"],
                    "checker_states_per_s": statistics.median(per_second),
                },
                indent=2,
            )
        )
        return
    console = Console(width=100)
    console.print(f"[bold]Suzuki-Kasami, {arguments.rounds} rounds, medians[/bold]")
    table = Table(box=box.SIMPLE_HEAD)
    table.add_column("million messages a second")
    for n in SIZES:
        table.add_column(f"n = {n}", justify="right")
    for way in ways:
        cells = [f"{medians[way][n] / 1e6:.3g} ±{spread(found[way][n]) / 2:.0%}" for n in SIZES]
        table.add_row(way, *cells)
    table.add_section()
    for label, other in (
        ("compiled / C++", "C++"),
        ("compiled / lean SimPy", "SimPy, lean"),
        ("compiled / usual SimPy", "SimPy, usual"),
        ("compiled / interpreted", "interpreted"),
    ):
        if other in medians:
            ratios = [f"{medians['compiled'][n] / medians[other][n]:.3g}" for n in SIZES]
            table.add_row(label, *ratios)
    ratios = [f"{medians['interpreted'][n] / medians['SimPy, lean'][n]:.3g}" for n in SIZES]
    table.add_row("interpreted / lean SimPy", *ratios)
    console.print(table)
    console.print(f"given the same variates, the same messages and waiting: {', '.join(agreed)}")
    console.print(
        f"memory: {held['bytes']:.1f} bytes a message in flight"
        f" ({held['in_flight']:,} of broadcasts among 500 sites)"
    )
    console.print(
        f"checker: {statistics.median(per_second):,.0f} states a second on token-gme, n = 3"
        f" ({checks[0]['states']:,} states, ±{spread(per_second) / 2:.0%})"
    )


if __name__ == "__main__":
    main()
