"""PostgreSQL over asyncpg, a connection for each client.

Advisory locks exclude; as a group lock serve two modes of a table lock, each compatible with itself
and not with the other.  A group's number in binary, a table for each digit, is exact: two groups
differ in a digit, and on that digit's table they exclude each other.  All take the tables in one
order, so nobody waits in a circle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final
from zlib import crc32

import asyncpg

MODES: Final = ("SHARE", "ROW EXCLUSIVE")


def digits(groups: int) -> int:
    return max(1, (groups - 1).bit_length())


class Connections:
    def __init__(self) -> None:
        self.of: dict[int, Any] = {}

    async def open(self, where: str, clients: Sequence[int]) -> None:
        for client in clients:
            self.of[client] = await asyncpg.connect(
                host="127.0.0.1", port=int(where), user="postgres", database="postgres"
            )

    async def close(self) -> None:
        await asyncio.gather(*(one.close() for one in self.of.values()))


class Advisory(Connections):
    async def handle(self, client: int, lock: str, groups: int) -> AdvisoryHandle:
        connection = self.of[client]
        return AdvisoryHandle(
            crc32(lock.encode()),
            (await connection.prepare("SELECT pg_advisory_lock($1)")).fetchval,
            (await connection.prepare("SELECT pg_advisory_unlock($1)")).fetchval,
        )


class AdvisoryHandle:
    def __init__(self, number: int, ask: Any, release: Any) -> None:
        self.number, self.ask, self.release = number, ask, release

    async def enter(self, group: int) -> None:
        await self.ask(self.number)

    async def leave(self) -> None:
        await self.release(self.number)


class Tables(Connections):
    async def handle(self, client: int, lock: str, groups: int) -> TablesHandle:
        names = [f'"lock {lock} {digit}"' for digit in range(digits(groups) if groups else 1)]
        for name in names:
            await self._make(client, name)
        return TablesHandle(self.of[client].execute, names, groups)

    async def _make(self, client: int, name: str) -> None:
        # Two that create one table at once: IF NOT EXISTS lets the later one fail all the same.
        async with self.of[client].transaction():
            await self.of[client].execute("SELECT pg_advisory_xact_lock(-1)")
            await self.of[client].execute(f"CREATE TABLE IF NOT EXISTS {name} ()")


class TablesHandle:
    def __init__(self, execute: Any, names: list[str], groups: int) -> None:
        self.execute = execute
        self.enters = [begin(names, group) for group in range(groups)]
        self.alone = f"BEGIN; LOCK TABLE {names[0]} IN EXCLUSIVE MODE"
        # Not ACCESS EXCLUSIVE: that one is written to the log and synced, for standbys.
        self.groups = groups

    async def enter(self, group: int) -> None:
        await self.execute(self.enters[group] if self.groups else self.alone)

    async def leave(self) -> None:
        await self.execute("COMMIT")


def begin(names: list[str], group: int) -> str:
    """The statements that take a group's locks, in one message."""
    locks = (
        f"LOCK TABLE {name} IN {MODES[group >> digit & 1]} MODE" for digit, name in enumerate(names)
    )
    return "; ".join(("BEGIN", *locks))
