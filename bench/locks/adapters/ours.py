"""Ours, through what an application imports: `grouplock.connect` and `grouplock.Node`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.locks.servers import SECRET

import grouplock


def names(groups: int) -> list[str]:
    return [f"group {one}" for one in range(max(groups, 16))]


class OurHandle:
    """`async with lock.hold(group)`, taken apart, since the clock is read in between."""

    def __init__(self, lock: Any, groups: int) -> None:
        self.lock, self.names = lock, names(groups)
        self.holding: Any = None

    async def enter(self, group: int) -> None:
        self.holding = self.lock.hold(self.names[group])
        await self.holding.__aenter__()

    async def leave(self) -> None:
        await self.holding.__aexit__(None, None, None)


class Remote:
    """A cluster of three processes; this one's clients share a connection to each node."""

    async def open(self, where: str, clients: Sequence[int]) -> None:
        at = ",".join(f"127.0.0.1:{port}" for port in where.split(","))
        self.cluster = grouplock.connect(at)
        await self.cluster.__aenter__()

    async def handle(self, client: int, lock: str, groups: int) -> OurHandle:
        return OurHandle(self.cluster.lock(lock), groups)

    async def close(self) -> None:
        await self.cluster.__aexit__(None, None, None)


class Fifo(Remote):
    async def handle(self, client: int, lock: str, groups: int) -> OurHandle:
        return OurHandle(self.cluster.lock(f"{lock} fifo", policy="fifo"), groups)


class Embedded:
    """A node of three is in this process, and the lock's home is that node."""

    async def open(self, where: str, clients: Sequence[int]) -> None:
        folder, _, ports = where.partition(" ")
        self.node = grouplock.Node(
            **node(0, [int(port) for port in ports.split(",")], Path(folder))
        )
        await self.node.__aenter__()

    async def handle(self, client: int, lock: str, groups: int) -> OurHandle:
        here = next(
            name
            for name in (f"{lock} {count}" for count in itertools.count())
            if self.node.keeper_of(name) == self.node.session.here
        )
        return OurHandle(self.node.lock(here), groups)

    async def close(self) -> None:
        await self.node.__aexit__(None, None, None)


def node(number: int, ports: list[int], folder: Path) -> dict[str, Any]:
    """How a node of the cluster is set up: like any, with its data on disk."""
    at = {f"node{one}": f"127.0.0.1:{port}" for one, port in enumerate(ports)}
    me = f"node{number}"
    return {"name": me, "nodes": at, "listen": at[me], "data": folder / me, "secret": SECRET}
