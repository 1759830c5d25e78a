"""Writes the numbers that a simulation of Suzuki and Kasami draws, for the C++ version to take.

Layout, little-endian, all of 8 bytes: sites, single delays, entries of rows (whole numbers); then
thinks and insides by site and request (floats); then single delays and rows of delays (whole
numbers, as grouplock.sim.delays describes them).
"""

from __future__ import annotations

import struct
from pathlib import Path

from grouplock.measure.demands import Demands
from grouplock.measure.workload import Workload
from grouplock.sim.delays import Delays


def write(workload: Workload, path: Path) -> None:
    n, requests = workload.n, workload.requests
    thinks: list[float] = []
    insides: list[float] = []
    for site in range(n):
        demands = Demands(workload, site)
        for _ in range(requests):
            demands.advance()
            thinks.append(demands.think())
            insides.append(demands.inside())
    delays = Delays(workload.seed)
    singles = [delays.single.one() for _ in range(n * requests)]
    rows = [delay for _ in range(n * requests) for delay in delays.row(n - 1)]
    with path.open("wb") as file:
        file.write(struct.pack("<3q", n, len(singles), len(rows)))
        for floats in (thinks, insides):
            file.write(struct.pack(f"<{len(floats)}d", *floats))
        for numbers in (singles, rows):
            file.write(struct.pack(f"<{len(numbers)}q", *numbers))
