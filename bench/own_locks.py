"""How long our own locks take: in this process, over TCP, over a Unix socket; one table.

Beside each figure stands what the same loop takes without a lock, so that a busy machine shows.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing as mp
import tempfile
import time
from multiprocessing.synchronize import Event
from pathlib import Path

import grouplock
from grouplock.client.cluster import Cluster
from grouplock.net import loops


def daemon(unix: str, ready: mp.Queue[str], stop: Event) -> None:
    async def main() -> None:
        async with grouplock.Node(listen="127.0.0.1:0", unix=unix) as node:
            ready.put(node.address)
            await asyncio.to_thread(stop.wait)

    loops.run(main())


async def pairs(cluster: Cluster, n: int) -> list[float]:
    """Microseconds of each acquire with its release, uncontended."""
    lock = cluster.lock("own")
    took = []
    for _ in range(n):
        began = time.perf_counter_ns()
        async with lock.hold("a"):
            pass
        took.append((time.perf_counter_ns() - began) / 1000)
    return took


async def asyncio_pairs(n: int) -> list[float]:
    lock = asyncio.Lock()
    took = []
    for _ in range(n):
        began = time.perf_counter_ns()
        async with lock:
            pass
        took.append((time.perf_counter_ns() - began) / 1000)
    return took


async def hand_overs(cluster: Cluster, n: int) -> list[float]:
    """Microseconds from a release to the next entry, with somebody always waiting."""
    lock = cluster.lock("handed")
    took: list[float] = []
    left = 0

    async def worker(group: str) -> None:
        nonlocal left
        for _ in range(n):
            async with lock.hold(group):
                now = time.perf_counter_ns()
                if left:
                    took.append((now - left) / 1000)
                left = time.perf_counter_ns()

    await asyncio.gather(*[worker(f"g{i}") for i in range(4)])
    return took


async def entries(cluster: Cluster, groups: int, inside: float, seconds: float) -> float:
    """Entries a second: 16 workers, so many groups, so long inside and thinking."""
    lock = cluster.lock("busy")
    count = 0
    end = time.monotonic() + seconds

    async def worker(i: int) -> None:
        nonlocal count
        while time.monotonic() < end:
            async with lock.hold(f"g{i % groups}"):
                count += 1
                await asyncio.sleep(inside)
            await asyncio.sleep(inside)

    await asyncio.gather(*[worker(i) for i in range(16)])
    return count / seconds


def quantile(took: list[float], q: float) -> float:
    return round(sorted(took)[int(q * (len(took) - 1))], 2)


async def measured(name: str, cluster: Cluster, n: int) -> dict[str, object]:
    await pairs(cluster, n // 10)
    took = await pairs(cluster, n)
    handed = await hand_overs(cluster, n // 20)
    return {
        "way": name,
        "pair_us_p50": quantile(took, 0.5),
        "pair_us_p99": quantile(took, 0.99),
        "handover_us_p50": quantile(handed, 0.5),
        "c2_entries_per_s": round(await entries(cluster, 2, 0.005, 1.0)),
    }


async def main(n: int) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    took = await asyncio_pairs(n)
    rows.append({"way": "asyncio.Lock", "pair_us_p50": quantile(took, 0.5)})
    async with grouplock.local() as cluster:
        rows.append(await measured("homed in this process", cluster, n))
    context = mp.get_context("spawn")
    ready: mp.Queue[str] = context.Queue()
    stop = context.Event()
    with tempfile.TemporaryDirectory() as folder:
        unix = str(Path(folder) / "grouplock.sock")
        process = context.Process(target=daemon, args=(unix, ready, stop))
        process.start()
        try:
            address = ready.get()
            for name, at in (("TCP", address), ("Unix socket", f"unix:{unix}")):
                async with grouplock.connect(at) as remote:
                    rows.append(await measured(name, remote, n // 5))
        finally:
            stop.set()
            process.join()
    return rows


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pairs", type=int, default=20_000)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    found = loops.run(main(given.pairs))
    if given.json:
        print(json.dumps(found, indent=2))
    else:
        for row in found:
            print("  ".join([f"{key} {value}" for key, value in row.items()]))
