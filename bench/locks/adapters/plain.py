"""The client of the plain server: one connection for a process, its clients' requests mixed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast


class Plain(asyncio.Protocol):
    def __init__(self) -> None:
        self.rest = b""
        self.waiting: dict[bytes, asyncio.Future[None]] = {}
        self.transport: asyncio.Transport | None = None

    async def open(self, where: str, clients: Sequence[int]) -> None:
        self.loop = asyncio.get_running_loop()
        await self.loop.create_connection(lambda: self, "127.0.0.1", int(where))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for rid in lines:
            self.waiting.pop(rid).set_result(None)

    async def handle(self, client: int, lock: str, groups: int) -> PlainHandle:
        return PlainHandle(self, client, lock)

    async def close(self) -> None:
        assert self.transport is not None
        self.transport.close()


class PlainHandle:
    def __init__(self, plain: Plain, client: int, lock: str) -> None:
        assert plain.transport is not None
        self.plain, self.write = plain, plain.transport.write
        self.rid = b"%s-%d" % (lock.encode(), client)
        self.ask = [b"%s %d %s\n" % (lock.encode(), group, self.rid) for group in range(16)]
        self.release = self.rid + b"\n"

    async def enter(self, group: int) -> None:
        granted = self.plain.loop.create_future()
        self.plain.waiting[self.rid] = granted
        self.write(self.ask[group])
        await granted

    async def leave(self) -> None:
        self.write(self.release)
