"""Runs every algorithm of the catalog over a few schedules and prints which lines ran, as JSON.

Called as a process of its own with GROUPLOCK_INTERPRETED=1.
"""

from __future__ import annotations

import json
import sys
from types import FrameType
from typing import Any

from grouplock.catalog import ALGORITHMS, Algorithm
from grouplock.check.random_walk import walk
from grouplock.check.scope import EVERYTHING, FAIL, Scope
from grouplock.protocol.system import CRASH, SLOTS, VIEWS
from tests.schedule import Schedule

SEEDS = range(12)
REQUESTS = 4
GROUPS = 3
FAULTS = {"restart": 2}  # a second crash while the first is recovered from; else one
FEW = 8  # an algorithm with more settings than this runs each over a share of the seeds
# What those miss: an Ask that comes late and is answered (tests/algorithms/test_baselines.py); a
# turn of a recovery that another crash made void; what becomes of a dead leader's followers and
# competitors (tests/algorithms/test_jiang.py); an heir that is told of a leaving
# (tests/algorithms/test_jukebox.py).
MORE_SEEDS = {
    "singhal-heuristic": (23, 44),
    "cao-singhal": (28, 49),
    "restart": (43,),
    "jiang": (44, 123),
    "jukebox": (23, 24),
}


def lines_of(algorithm: Algorithm) -> list[int]:
    file = sys.modules[algorithm.make.__module__].__file__
    ran: set[int] = set()

    def each_line(frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            ran.add(frame.f_lineno)
        return each_line

    def each_call(frame: FrameType, event: str, _: Any) -> Any:
        return each_line if frame.f_code.co_filename == file else None

    sys.settrace(each_call)
    try:
        run(algorithm)
    finally:
        sys.settrace(None)
    return sorted(ran)


def run(algorithm: Algorithm) -> None:
    settings = algorithm.settings()
    share = 1 if len(settings) <= FEW else 4
    faults = FAULTS.get(algorithm.name, 1)
    for at, options in enumerate(settings):
        for seed in (*SEEDS[at % share :: share], *MORE_SEEDS.get(algorithm.name, ())):
            n = 1 + seed % 5
            slots = 1 + seed // 5 % 2 if SLOTS in algorithm.supports else 1
            if n < slots:
                continue
            system = algorithm.system(n, options, slots, groups=GROUPS)
            Schedule(system).run(seed, REQUESTS, GROUPS, fifo=system.channel.fifo)
            for fault, supported in ((FAIL, CRASH), (EVERYTHING, VIEWS)):
                if supported in system.supports and n > 2:
                    scope = Scope(groups=GROUPS, requests=REQUESTS, events=(fault,), faults=faults)
                    walk(system, scope.checked(system, walking=True), seed)


if __name__ == "__main__":
    print(json.dumps({a.name: lines_of(a) for a in ALGORITHMS}))
