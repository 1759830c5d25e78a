"""A client process: `python -m bench.locks.worker SYSTEM WHERE FOLDER CLIENT...`.

Commands come as JSON lines on stdin, logs go as length and bytes to stdout.  End of input is the
end.  The loop below is the only one that drives an asyncio system, ours or another's; the one under
it is the same for libraries that block.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import sys
import time
from array import array
from concurrent.futures import ThreadPoolExecutor
from typing import Any, cast

import uvloop
from bench.locks.adapters.base import Adapter, Handle, ThreadedAdapter, ThreadedHandle
from bench.locks.alarm import Alarm
from bench.locks.scenarios import MOST, SCENARIOS, Scenario
from bench.locks.systems import SYSTEMS

# Between pairs, never inside one: somebody who never waits lets the loop's other tasks run too.
BREATHE = 64
now = time.monotonic_ns


async def drive(
    handle: Handle, scenario: Scenario, client: int, turn: Turn, log: array[int]
) -> None:
    draws = scenario.draws(turn.number, client)
    inside, think = scenario.inside_s, scenario.think_s
    alarm = Alarm()
    try:
        await alarm.sleep(max(0, turn.start - now()) / 1e9)
        for entry in range(MOST):
            if think:
                await alarm.sleep(think)
            group = next(draws)
            asked = now()
            await handle.enter(group)
            entered = now()
            if inside:
                await alarm.sleep(inside)
            left = now()
            await handle.leave()
            done = now()
            log.extend((client, group, asked, entered, left, done))
            if done >= turn.stop:
                break
            if not entry % BREATHE:
                await asyncio.sleep(0)
    finally:
        alarm.close()


def drive_blocking(
    handle: ThreadedHandle, scenario: Scenario, client: int, turn: Turn, log: array[int]
) -> None:
    draws = scenario.draws(turn.number, client)
    inside, think = scenario.inside_s, scenario.think_s
    time.sleep(max(0, turn.start - now()) / 1e9)
    for _ in range(MOST):
        if think:
            time.sleep(think)
        group = next(draws)
        asked = now()
        handle.enter(group)
        entered = now()
        if inside:
            time.sleep(inside)
        left = now()
        handle.leave()
        done = now()
        log.extend((client, group, asked, entered, left, done))
        if done >= turn.stop:
            break


class Turn:
    """One round of one scenario: everybody begins at one instant and stops at another."""

    def __init__(self, told: dict[str, Any]) -> None:
        self.scenario = SCENARIOS[told["scenario"]]
        self.number = int(told["turn"])
        self.start, self.stop = int(told["start"]), int(told["stop"])

    def mine(self, clients: list[int]) -> list[int]:
        return [one for one in clients if one < self.scenario.clients]


def answer(logs: list[array[int]]) -> None:
    whole = b"".join(log.tobytes() for log in logs)
    left = memoryview(len(whole).to_bytes(8, "big") + whole)
    while left:
        left = left[os.write(sys.stdout.fileno(), left) :]


async def serve(adapter: Adapter, where: str, clients: list[int]) -> None:
    loop = asyncio.get_running_loop()
    await adapter.open(where, clients)
    answer([])
    handles: dict[tuple[int, str], Handle] = {}
    try:
        while line := await loop.run_in_executor(None, sys.stdin.buffer.readline):
            turn = Turn(json.loads(line))
            logs = [array("q") for _ in turn.mine(clients)]
            running = []
            for client, log in zip(turn.mine(clients), logs, strict=True):
                lock = turn.scenario.lock(client)
                if (client, lock) not in handles:
                    handles[client, lock] = await adapter.handle(client, lock, turn.scenario.groups)
                running.append(drive(handles[client, lock], turn.scenario, client, turn, log))
            gc.collect()
            gc.disable()
            try:
                await asyncio.gather(*running)
            finally:
                gc.enable()
            answer(logs)
    finally:
        await adapter.close()


def serve_blocking(adapter: ThreadedAdapter, where: str, clients: list[int]) -> None:
    adapter.open(where, clients)
    answer([])
    handles: dict[tuple[int, str], ThreadedHandle] = {}
    pool = ThreadPoolExecutor(len(clients))
    try:
        while line := sys.stdin.buffer.readline():
            turn = Turn(json.loads(line))
            logs = [array("q") for _ in turn.mine(clients)]
            given = []
            for client, log in zip(turn.mine(clients), logs, strict=True):
                lock = turn.scenario.lock(client)
                if (client, lock) not in handles:
                    handles[client, lock] = adapter.handle(client, lock, turn.scenario.groups)
                given.append((handles[client, lock], turn.scenario, client, turn, log))
            list(pool.map(lambda one: drive_blocking(*one), given))
            answer(logs)
    finally:
        pool.shutdown()
        adapter.close()


def main() -> None:
    system, where, folder, *numbers = sys.argv[1:]
    if system == "grouplock-here":
        where = f"{folder} {where}"
    clients = [int(one) for one in numbers]
    made = SYSTEMS[system].make()
    try:
        if SYSTEMS[system].threads:
            serve_blocking(cast(ThreadedAdapter, made), where, clients)
        else:
            uvloop.run(serve(cast(Adapter, made), where, clients))
    except BrokenPipeError:
        sys.exit(1)  # whoever asked was stopped and wants no answer


if __name__ == "__main__":
    main()
