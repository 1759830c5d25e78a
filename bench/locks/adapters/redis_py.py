"""What a user of redis-py would write, with hiredis, a connection for each client.

Its own Lock; a token in a list, taken with BLPOP; and the fair group lock in Lua.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import redis.asyncio
from bench.locks.adapters import lua
from redis.asyncio.lock import Lock

POLL_S: Final = 0.002  # the library's 0.1 s would leave a contended lock idle
LEASE_S: Final = 10.0


class Connections:
    def __init__(self) -> None:
        self.of: dict[int, Any] = {}

    async def open(self, where: str, clients: Sequence[int]) -> None:
        for client in clients:
            made = redis.asyncio.Redis(
                host="127.0.0.1", port=int(where), single_connection_client=True
            )
            await made.initialize()
            self.of[client] = made

    async def close(self) -> None:
        for one in self.of.values():
            await one.aclose()


class LockOfRedisPy(Connections):
    async def handle(self, client: int, lock: str, groups: int) -> OwnHandle:
        return OwnHandle(
            Lock(self.of[client], f"lock {lock}", timeout=LEASE_S, sleep=POLL_S, thread_local=False)
        )


class OwnHandle:
    def __init__(self, lock: Any) -> None:
        self.lock = lock

    async def enter(self, group: int) -> None:
        await self.lock.acquire()

    async def leave(self) -> None:
        await self.lock.release()


class Token(Connections):
    async def handle(self, client: int, lock: str, groups: int) -> TokenHandle:
        token = f"token {lock}"
        if await self.of[client].set(f"made {token}", 1, nx=True):
            await self.of[client].rpush(token, 1)
        return TokenHandle(self.of[client], token)


class TokenHandle:
    def __init__(self, connection: Any, lock: str) -> None:
        self.connection, self.lock = connection, lock

    async def enter(self, group: int) -> None:
        await self.connection.blpop([self.lock], 0)

    async def leave(self) -> None:
        await self.connection.rpush(self.lock, 1)


class Lua(Connections):
    async def handle(self, client: int, lock: str, groups: int) -> LuaHandle:
        return LuaHandle(self.of[client], lock, client, groups)


class LuaHandle:
    def __init__(self, connection: Any, lock: str, client: int, groups: int) -> None:
        self.state, self.queue, self.wake = lua.keys("lua", lock, client)
        self.client, self.groups, self.connection = client, groups, connection
        self.ask = connection.register_script(lua.ENTER)
        self.release = connection.register_script(lua.LEAVE)

    async def enter(self, group: int) -> None:
        if not await self.ask(keys=[self.state, self.queue], args=[group, self.client]):
            await self.connection.blpop([self.wake], 0)

    async def leave(self) -> None:
        await self.release(keys=[self.state, self.queue], args=[self.groups])
