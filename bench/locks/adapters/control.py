"""The controls: no lock at all, which the safety check must notice, and asyncio's own."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence


class NoLock:
    async def open(self, where: str, clients: Sequence[int]) -> None:
        """There is nothing to connect to."""

    async def handle(self, client: int, lock: str, groups: int) -> NoLock:
        return self

    async def enter(self, group: int) -> None:
        """Everybody may."""

    async def leave(self) -> None:
        """Nobody minds."""

    async def close(self) -> None:
        """Nothing was opened."""


class AsyncioLock:
    """One process, one lock: the least that a hand-over can cost."""

    def __init__(self) -> None:
        self.locks: dict[str, asyncio.Lock] = {}

    async def open(self, where: str, clients: Sequence[int]) -> None:
        """There is nothing to connect to."""

    async def handle(self, client: int, lock: str, groups: int) -> AsyncioHandle:
        return AsyncioHandle(self.locks.setdefault(lock, asyncio.Lock()))

    async def close(self) -> None:
        """Nothing was opened."""


class AsyncioHandle:
    def __init__(self, lock: asyncio.Lock) -> None:
        self.lock = lock

    async def enter(self, group: int) -> None:
        await self.lock.acquire()

    async def leave(self) -> None:
        self.lock.release()
