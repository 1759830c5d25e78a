"""Processes that are killed: a client, a node on the way, a lock's home."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

import grouplock
from grouplock.client.cluster import Cluster
from grouplock.service.homes import shard_of
from tests.cli.test_serve import serving
from tests.client.nodes import run, until
from tests.client.test_remote import free_ports

HOLDER = """
import asyncio, sys, grouplock
async def main():
    async with grouplock.connect(sys.argv[1]) as cluster:
        async with cluster.lock("x").hold("theirs"):
            print("inside", flush=True)
            await asyncio.Event().wait()
asyncio.run(main())
"""


def test_a_killed_client_s_hold_ends_with_its_lease(tmp_path: Path) -> None:
    with serving(tmp_path, "--lease", "1") as (address, _):
        client = subprocess.Popen(
            [sys.executable, "-c", HOLDER, address], stdout=subprocess.PIPE, text=True
        )
        assert client.stdout is not None
        assert client.stdout.readline() == "inside\n"
        client.kill()
        client.communicate()

        async def main() -> None:
            async with grouplock.connect(address) as cluster:
                assert await cluster.lock("x").try_hold("mine") is None
                async with cluster.lock("x").hold("mine", timeout=20):
                    pass

        run(main())


def test_a_killed_home_comes_back_with_higher_fences(tmp_path: Path) -> None:
    [port] = free_ports(1)
    at = ("--listen", f"127.0.0.1:{port}", "--lease", "1")

    async def lost(cluster: Cluster, killed: asyncio.Event) -> int:
        async with cluster.lock("x").hold("a") as hold:
            fence = hold.fence
            killed.set()
            await asyncio.Event().wait()
        return fence

    async def main() -> None:
        with ExitStack() as daemons:
            _, daemon = daemons.enter_context(serving(tmp_path, *at))
            async with grouplock.connect(f"127.0.0.1:{port}") as cluster:
                held = asyncio.Event()
                job = asyncio.create_task(lost(cluster, held))
                await held.wait()
                daemon.kill()
                daemon.wait()
                daemons.enter_context(serving(tmp_path, *at))
                with pytest.raises(grouplock.LockLost):
                    await job
                async with cluster.lock("x").hold("b", timeout=20) as hold:
                    assert hold.fence >> 40 == 2

    run(main())


def test_a_killed_node_that_only_relays_costs_nobody_a_hold(tmp_path: Path) -> None:
    ports = free_ports(3)
    # The nodes tell clients of an address of c where nobody is; c itself calls the other two.
    nodes = f"a=127.0.0.1:{ports[0]},b=127.0.0.1:{ports[1]},c=127.0.0.1:1"
    common = ("--nodes", nodes, "--secret", "s", "--lease", "1")

    async def main() -> None:
        with ExitStack() as stack:
            daemons = [
                stack.enter_context(
                    serving(
                        tmp_path / name, "--name", name, "--listen", f"127.0.0.1:{port}", *common
                    )
                )[1]
                for name, port in zip("abc", ports, strict=True)
            ]
            async with grouplock.connect(f"127.0.0.1:{ports[0]},127.0.0.1:{ports[1]}") as cluster:
                home = cluster.session.home
                name = next(f"L{i}" for i in range(1000) if home[shard_of(f"L{i}")] == 2)
                async with cluster.lock(name).hold("x") as hold:
                    assert cluster.routes is not None
                    assert cluster.routes.to[2].node == 0
                    daemons[0].kill()
                    daemons[0].wait()
                    await cluster.lock(name).inspect()
                    hold.check()
                    await until(lambda: 2 in cluster.routes.to)  # type: ignore[union-attr]
                    assert cluster.routes.to[2].node == 1

    run(main())
