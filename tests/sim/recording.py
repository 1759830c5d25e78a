"""A recorder that keeps steps in memory, for tests."""

from __future__ import annotations

import io
import json
from typing import Any

from grouplock.measure.workload import Workload
from grouplock.protocol.system import System
from grouplock.sim.kernel import Kernel
from grouplock.sim.recorder import TraceWriter
from grouplock.sim.run import Outcome, simulate
from grouplock.sim.trouble import NO_TROUBLE, Trouble


def record(
    system: System,
    workload: Workload,
    trouble: Trouble = NO_TROUBLE,
    *,
    fifo: bool = True,
    watched: bool = True,
) -> tuple[Outcome, list[dict[str, Any]]]:
    """The outcome, and every step as the trace's lines say it."""
    file = io.StringIO()

    def writer(kernel: Kernel) -> TraceWriter:
        return TraceWriter(kernel, system.messages, file)

    outcome = simulate(system, workload, trouble, fifo=fifo, watched=watched, recorder=writer)
    return outcome, [json.loads(line) for line in file.getvalue().splitlines()]
