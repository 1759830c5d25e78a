"""What the harness asks of a system's client library, and nothing more."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol


class Handle(Protocol):
    """One client's way to one lock."""

    async def enter(self, group: int) -> None: ...
    async def leave(self) -> None: ...


class Adapter(Protocol):
    """All clients of one process.  `where` is what the system's server said of itself."""

    async def open(self, where: str, clients: Sequence[int]) -> None: ...

    async def handle(self, client: int, lock: str, groups: int) -> Handle:
        """`groups`: how many there are, 0 where the lock is exclusive."""

    async def close(self) -> None: ...


class ThreadedHandle(Protocol):
    def enter(self, group: int) -> None: ...
    def leave(self) -> None: ...


class ThreadedAdapter(Protocol):
    """For a library that blocks: each client has a thread of its own."""

    def open(self, where: str, clients: Sequence[int]) -> None: ...
    def handle(self, client: int, lock: str, groups: int) -> ThreadedHandle: ...
    def close(self) -> None: ...
