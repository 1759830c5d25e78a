"""Client processes of one system, and the rounds in which systems take turns."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from bench.locks.records import Figures, entries_of, judge, rows
from bench.locks.scenarios import CLIENTS, Scenario
from bench.locks.servers import Server, die_with_parent
from bench.locks.systems import System

ROOT = Path(__file__).parents[2]
PATIENCE_S = 30.0
LEAD_S = 0.03  # from the command to the first request
WARM_S = 0.02  # of a round, not counted


class CrewFailed(Exception):
    pass


class Crew:
    """A system's clients, connected and waiting for their turn."""

    def __init__(self, system: System, server: Server) -> None:
        self.system, self.server = system, server
        self.workers: list[subprocess.Popen[bytes]] = []
        each = CLIENTS // system.processes
        for first in range(0, CLIENTS, each):
            clients = [str(first + one) for one in range(each)]
            command = [sys.executable, "-m", "bench.locks.worker", system.name]
            command += [server.where, str(server.folder)]
            self.workers.append(
                subprocess.Popen(
                    [*command, *clients], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                    start_new_session=True, preexec_fn=die_with_parent,
                )
            )  # fmt: skip

    def ready(self) -> None:
        for worker in self.workers:
            self._answer(worker, time.monotonic() + PATIENCE_S)

    def turn(self, scenario: Scenario, number: int, seconds: float) -> Round:
        start = time.monotonic_ns() + round(LEAD_S * 1e9)
        stop = start + round(seconds * 1e9)
        told = {"scenario": scenario.name, "turn": number, "start": start, "stop": stop}
        asked = self.workers[: -(-scenario.clients * len(self.workers) // CLIENTS)]
        before = cpu_ns(self.server.pids)
        for worker in asked:
            assert worker.stdin is not None
            worker.stdin.write(json.dumps(told).encode() + b"\n")
            worker.stdin.flush()
        until = time.monotonic() + seconds + PATIENCE_S
        log = rows([self._answer(worker, until) for worker in asked])
        spent = cpu_ns(self.server.pids) - before
        figures = judge(log, not scenario.own, start + round(WARM_S * 1e9), stop)
        return Round(figures, entries_of(log, scenario.clients).tolist(), spent / max(1, len(log)))

    def _answer(self, worker: subprocess.Popen[bytes], until: float) -> bytes:
        size = int.from_bytes(self._read(worker, 8, until), "big")
        return self._read(worker, size, until)

    def _read(self, worker: subprocess.Popen[bytes], size: int, until: float) -> bytes:
        assert worker.stdout is not None
        got = bytearray()
        while len(got) < size:
            ready, _, _ = select.select([worker.stdout], [], [], max(0, until - time.monotonic()))
            if not ready:
                raise CrewFailed(f"{self.system.name}: a client did not come back in time")
            more = os.read(worker.stdout.fileno(), size - len(got))
            if not more:
                raise CrewFailed(f"{self.system.name}: a client process has ended, see above")
            got += more
        return bytes(got)

    def close(self) -> None:
        for worker in self.workers:
            assert worker.stdin is not None
            assert worker.stdout is not None
            worker.stdout.close()
            try:
                worker.stdin.close()
            except BrokenPipeError:
                continue  # it has ended already
        for worker in self.workers:
            try:
                worker.wait(5)
            except subprocess.TimeoutExpired:
                worker.kill()
                worker.wait()


class Round(NamedTuple):
    figures: Figures
    entries: list[int]  # of each client
    cpu_ns: float  # of the server's processes, for an entry


class Result(NamedTuple):
    """All rounds of a system in a scenario."""

    system: str
    scenario: str
    rounds: list[Round]


def take_turns(
    crews: dict[str, Crew],
    scenarios: Iterable[Scenario],
    rounds: int,
    seconds: float,
    tell: Callable[[str], None],
) -> list[Result]:
    """Systems alternate within a round and begin with another one each time.  Round 0 warms up."""
    found: dict[tuple[str, str], list[Round]] = {}
    broken: set[str] = set()
    for number in range(rounds + 1):
        for scenario in scenarios:
            able = [one for one in crews.values() if one.system.takes(scenario)]
            for crew in rotated(able, number):
                name = crew.system.name
                if name in broken:
                    continue
                try:
                    done = crew.turn(scenario, number, seconds if number else min(seconds, 0.2))
                except (CrewFailed, BrokenPipeError) as gone:
                    broken.add(name)
                    tell(f"{name} is left out from here on: {gone}")
                    continue
                if number:
                    found.setdefault((name, scenario.name), []).append(done)
                elif done.figures.conflicts and name != "no lock":
                    tell(f"{name}, {scenario.name}: {done.figures.conflicts} conflicts")
        tell(f"round {number} of {rounds}")
    return [Result(*where, rounds) for where, rounds in found.items() if where[0] not in broken]


def rotated(crews: list[Crew], number: int) -> list[Crew]:
    at = number * 5 % max(1, len(crews))
    return (crews[at:] + crews[:at])[:: -1 if number % 2 else 1]


def cpu_ns(pids: list[int]) -> int:
    """Of these processes and all that they started, which are still there."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            parents.setdefault(_parent(int(entry)), []).append(int(entry))
    total, todo = 0, list(pids)
    while todo:
        pid = todo.pop()
        todo += parents.get(pid, [])
        total += _process_ns(pid)
    return total


def _parent(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    except (FileNotFoundError, ProcessLookupError):
        return -1  # it has ended meanwhile


def _process_ns(pid: int) -> int:
    try:
        threads = os.listdir(f"/proc/{pid}/task")
        return sum(
            int(Path(f"/proc/{pid}/task/{one}/schedstat").read_text().split()[0]) for one in threads
        )
    except (FileNotFoundError, ProcessLookupError):
        return 0
