"""How long quorum systems of ten thousand nodes take: `make bench`.

In processor time, for each kind: to build the system, to pick quorums (nothing known; then with
one member down and the rest held), and to give each node its own. Each kind in a process of its
own; the median of the rounds. No family that grows exponentially is listed.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

from rich import box
from rich.console import Console
from rich.table import Table

N = 10_000
KINDS = ("grid", "grid-cover", "cyclic", "hierarchical", "triangle", "cwlog", "rst")
STEPS = ("build", "pick", "pick again", "assignment")
PICKS = 10


def measured(kind: str, n: int) -> dict[str, float]:
    """Seconds of each step; that of one pick."""
    from grouplock.quorums import QuorumSystem, build

    seconds: dict[str, float] = {}
    start = time.process_time()
    system = build(kind, n)
    seconds["build"] = time.process_time() - start
    assert isinstance(system, QuorumSystem)

    start = time.process_time()
    picked = [system.pick(v, 1) for v in range(PICKS)]
    seconds["pick"] = (time.process_time() - start) / PICKS

    start = time.process_time()
    for v, quorum in enumerate(picked):
        assert quorum is not None
        alive = frozenset(range(n)) - {quorum[0]}
        system.pick(v, 1, alive, quorum[1:])
    seconds["pick again"] = (time.process_time() - start) / PICKS

    start = time.process_time()
    assert len(system.assignment()) == n
    seconds["assignment"] = time.process_time() - start
    return seconds


def median(kind: str, n: int, rounds: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", kind, "--n", str(n)]
    found = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(rounds)
    ]
    return {step: statistics.median(one[step] for one in found) for step in STEPS}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--n", type=int, default=N)
    parser.add_argument("--one", metavar="KIND")
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measured(arguments.one, arguments.n)))
        return
    found = {kind: median(kind, arguments.n, arguments.rounds) for kind in KINDS}
    if arguments.json:
        print(json.dumps({"n": arguments.n, "seconds": found}, indent=2))
        return
    table = Table(box=box.SIMPLE_HEAD, title=f"quorum systems of {arguments.n:,} nodes, ms")
    for heading in ("kind", *STEPS, "build to assignment"):
        table.add_column(heading, justify="left" if heading == "kind" else "right")
    for kind, seconds in found.items():
        steps = [seconds[step] for step in STEPS]
        table.add_row(kind, *(f"{s * 1e3:.1f}" for s in (*steps, sum(steps))))
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
