"""One measurement in a process of its own: `one.py WAY N REQUESTS [given]`, figures as JSON.

WAY is kernel (compiled or not, as the environment says), usual, lean or memory.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path

from grouplock.catalog import find
from grouplock.measure.workload import Workload
from grouplock.sim.kernel import Kernel
from grouplock.sim.run import simulate
from grouplock.sim.trouble import NO_TROUBLE


def kernel(workload: Workload) -> dict[str, float]:
    figures = simulate(find("suzuki-kasami").system(workload.n, {}), workload).figures
    return {
        "messages": figures.messages,
        "entries": figures.served,
        "waiting_mean": figures.waiting["mean"],
        "waiting_max": figures.waiting["max"],
        "virtual_time": figures.virtual_time,
        "wall_s": figures.wall_s,
    }


def memory(workload: Workload) -> dict[str, float]:
    """Bytes that a message in flight takes: everybody asks, and nothing has arrived yet."""
    slow = workload._replace(delay=1e9)
    made = Kernel(find("suzuki-kasami").system(workload.n, {}), slow, NO_TROUBLE, True, True)
    before = _resident()
    made.run(2 * workload.n)
    return {
        "in_flight": int(made.in_flight),
        "bytes": (_resident() - before) / int(made.in_flight),
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _resident() -> int:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main() -> None:
    way, n, requests = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    given = sys.argv[4:] == ["given"]
    workload = Workload(n=n, requests=requests)
    if way == "kernel":
        figures = kernel(workload)
    elif way == "memory":
        figures = memory(workload)
    else:
        import simpy_ways

        figures = simpy_ways.run(way, workload, given)
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
