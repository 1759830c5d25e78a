"""The same Lua, as an expert would drive it: RESP3 by hand on uvloop, nothing in between.

A connection for each client, since BLPOP blocks one.  Commands are bytes made beforehand.  A
release is not waited for, as ours is not: its answer is read before that of the next command, and
an error in it is an error of that.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import cast

from bench.locks.adapters import lua


def command(*words: str | int) -> bytes:
    parts = [str(word).encode() for word in words]
    return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)


def answer_end(data: bytes, at: int) -> int:
    """Where the answer that begins at `at` ends; -1: not all of it is there."""
    line = data.find(b"\r\n", at) + 2
    if line < 2:
        return -1
    kind = data[at : at + 1]
    if kind == b"$":
        line += int(data[at + 1 : line - 2]) + 2
    elif kind in (b"*", b">"):
        for _ in range(int(data[at + 1 : line - 2])):
            line = answer_end(data, line)
            if line < 0:
                return -1
    return line if line <= len(data) else -1


class Connection(asyncio.Protocol):
    def __init__(self) -> None:
        self.answer: asyncio.Future[bytes] | None = None
        self.ignored = 0  # answers still to come that nobody waits for
        self.got = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self.create = asyncio.get_running_loop().create_future

    def data_received(self, data: bytes) -> None:
        data = self.got + data
        at = 0
        while (end := answer_end(data, at)) > 0:
            self.answered(data[at:end])
            at = end
            if at == len(data):
                break
        self.got = data[at:]

    def answered(self, said: bytes) -> None:
        if said[:1] == b"-":
            self.fail(RuntimeError(said.decode()))
        elif self.ignored:
            self.ignored -= 1
        else:
            assert self.answer is not None
            self.answer.set_result(said)

    def fail(self, fault: Exception) -> None:
        if self.answer is None or self.answer.done():
            raise fault
        self.answer.set_exception(fault)

    def connection_lost(self, exc: Exception | None) -> None:
        if self.answer is not None and not self.answer.done():
            self.fail(exc or ConnectionError("the server has gone"))

    async def ask(self, line: bytes) -> bytes:
        self.answer = answer = self.create()
        self.transport.write(line)
        said: bytes = await answer
        return said

    def tell(self, line: bytes) -> None:
        self.ignored += 1
        self.transport.write(line)


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
            one.transport.close()


class RawHandle:
    def __init__(self, raw: Raw, client: int, lock: str, groups: int) -> None:
        state, queue, wake = lua.keys("raw", lock, client)
        self.ask, self.tell = raw.of[client].ask, raw.of[client].tell
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
        self.tell(self.release)
