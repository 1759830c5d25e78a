"""Quorum algorithms among 100 and among 10,000 sites, over grids: `make bench`.

Each run in a process of its own, in processor time, the least of `--rounds`.  The load is the same
at both sizes: a site thinks n times as long, so that requests come as often in the whole system.
`--requests 100000` makes as many at each size; `--heavy` has all sites ask at once.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time

SIZES = (100, 10_000)
BETWEEN = 20.0  # units of time between two requests of the whole system
REQUESTS = 10_000  # of all sites together
ALGORITHMS: tuple[tuple[str, dict[str, str]], ...] = (
    ("maekawa", {}),
    ("cao-singhal", {}),
    ("toyomura", {}),
    ("surrogate", {"stale": "off"}),
    ("surrogate", {"release": "leave", "stale": "off"}),
    ("sanders", {}),
    ("manabe-park", {}),
)
MOST = 3.0  # by how much the cost of a message may grow


def measured(name: str, options: dict[str, str], n: int, requests: int, heavy: bool) -> None:
    from grouplock.catalog import find
    from grouplock.measure.workload import Workload
    from grouplock.sim.run import simulate

    system = find(name).system(n, options, quorum="grid", groups=3)
    think = 4.0 if heavy else BETWEEN * n
    began = time.process_time()
    outcome = simulate(system, Workload(n=n, requests=max(1, requests // n), think=think))
    seconds = time.process_time() - began
    assert outcome.violation is None, outcome.violation
    figures = outcome.figures
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        json.dumps(
            {
                "served": figures.served,
                "messages": figures.messages_per_request,
                "us": 1e6 * seconds / figures.messages,
                "seconds": seconds,
                "mib": peak,
            }
        )
    )


def least(
    name: str, options: dict[str, str], n: int, rounds: int, more: list[str]
) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", name, json.dumps(options), str(n), *more]
    found = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        for _ in range(rounds)
    ]
    return min(found, key=lambda one: float(one["us"]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    parser.add_argument("--requests", type=int, default=REQUESTS, help="of all sites together")
    parser.add_argument("--heavy", action="store_true", help="all sites ask at once")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--only", help="one algorithm")
    given = parser.parse_args()
    if given.one:
        name, options, n = given.one
        measured(name, json.loads(options), int(n), given.requests, given.heavy)
        return
    more = ["--requests", str(given.requests), *(["--heavy"] if given.heavy else [])]
    print(
        f"{'algorithm':<32} {'messages a request':>20} {'us a message':>16} {'times':>6} "
        f"{'seconds':>8} {'MiB':>12}"
    )
    worst = 0.0
    for name, options in ALGORITHMS:
        if given.only not in (None, name):
            continue
        small, large = [least(name, options, n, given.rounds, more) for n in SIZES]
        times = large["us"] / small["us"]
        worst = max(worst, times)
        called = " ".join([name, *[f"{k}={v}" for k, v in options.items()]])
        messages = f"{small['messages']:.1f} -> {large['messages']:.1f}"
        us = f"{small['us']:.2f} -> {large['us']:.2f}"
        mib = f"{small['mib']:.0f} -> {large['mib']:.0f}"
        print(
            f"{called:<32} {messages:>20} {us:>16} {times:>6.2f} "
            f"{large['seconds']:>8.1f} {mib:>12}",
            flush=True,
        )
    print(f"{given.requests:,} requests, n = {SIZES[0]} -> {SIZES[1]:,}, grid quorums")
    if worst >= MOST and not given.heavy:
        sys.exit(f"the cost of a message grows {worst:.2f} times; it should be less than {MOST}")


if __name__ == "__main__":
    main()
