"""The same Lua, as an expert would drive it: RESP3 by hand on uvloop, nothing in between.

A connection for each client, since BLPOP blocks one.  Commands are bytes made beforehand.  Of the
answers only three are expected: a number, a list of two, an error.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from bench.locks.adapters import lua


def command(*words: str | int) -> bytes:
    parts = [str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


class Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self.answer: asyncio.Future[bytes] | None = None
        self.transport: asyncio.Transport | None = None
        self.got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.create = asyncio.get_running_loop().create_future

    def data_received(self, data: bytes) -> None:
        if self.got:
            data = self.got + data
        if not complete(data):
            self.got = data
            return
        self.got = b""
        assert self.answer is not None
        self.answer.set_result(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.answer is not None and not self.answer.done():
            self.answer.set_exception(exc or ConnectionError("the server has gone"))

    async def ask(self, line: bytes) -> bytes:
        assert self.transport is not None
        self.answer = answer = self.create()
        self.transport.write(line)
        got = await answer
        if got[:1] == b"-":
            raise RuntimeError(got.decode())
        return got


def complete(data: bytes) -> bool:
    """One line, or, of a list of two strings or of one string, all of its lines."""
    first = data[:1]
    lines = 5 if first == b"*" else 2 if first == b"$" else 1
    return data.endswith(b"\r\n") and (lines == 1 or data.count(b"\r\n") >= lines)


class Raw:
    def __init__(self) -> None:
        self.of: dict[int, Connection] = {}

    async def open(self, where: str, clients: Sequence[int]) -> None:
        loop = asyncio.get_running_loop()
        for client in clients:
            _, made = await loop.create_connection(Connection, "127.0.0.1", int(where))
            self.of[client] = made
            self.shas = [await self._load(made, script) for script in (lua.ENTER, lua.LEAVE)]

    async def _load(self, connection: Connection, script: str) -> str:
        return (await connection.ask(command("SCRIPT", "LOAD", script))).split()[1].decode()

    async def handle(self, client: int, lock: str, groups: int) -> RawHandle:
        return RawHandle(self, client, lock, groups)

    async def close(self) -> None:
        for one in self.of.values():
            assert one.transport is not None
            one.transport.close()


class RawHandle:
    def __init__(self, raw: Raw, client: int, lock: str, groups: int) -> None:
        state, queue, wake = lua.keys(lock, client)
        self.ask = raw.of[client].ask
        self.enters = [
            command("EVALSHA", raw.shas[0], 2, state, queue, group, client)
            for group in range(max(groups, client + 1))
        ]
        self.wait = command("BLPOP", wake, 0)
        self.release = command("EVALSHA", raw.shas[1], 2, state, queue, groups)

    async def enter(self, group: int) -> None:
        if await self.ask(self.enters[group]) == b":0\r\n":
            await self.ask(self.wait)

    async def leave(self) -> None:
        await self.ask(self.release)
