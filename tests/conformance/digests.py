"""Prints a digest of a walk and of a simulated run for every system: for comparing two builds."""

from __future__ import annotations

import hashlib
import io
import json
import sys

from grouplock._build import compiled
from grouplock.measure.workload import Workload
from grouplock.protocol.system import System
from grouplock.sim.recorder import TraceWriter
from grouplock.sim.run import simulate
from tests.conformance.author import digest, every_system, label

SEED = 7


def digests() -> dict[str, str]:
    found = {}
    for system in every_system():
        found[f"{label(system)} walked"] = digest(system, SEED)
        found[f"{label(system)} simulated"] = simulated_digest(system)
    return found


def simulated_digest(system: System) -> str:
    file = io.StringIO()
    workload = Workload(n=system.n, slots=system.slots, requests=10, seed=SEED)
    outcome = simulate(
        system, workload, recorder=lambda kernel: TraceWriter(kernel, system.messages, file)
    )
    assert outcome.violation is None
    return hashlib.sha256(file.getvalue().encode()).hexdigest()


if __name__ == "__main__":
    print(json.dumps({"compiled": compiled(), "digests": digests()}))
    sys.exit(0)
