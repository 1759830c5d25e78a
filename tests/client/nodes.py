"""Nodes and clients of this very process, and ways to disturb them."""

from __future__ import annotations

import asyncio
import types
from collections.abc import Callable, Coroutine, Generator
from typing import Any, Final, TypeVar

from grouplock.client.node import Node
from grouplock.net import loops
from grouplock.service.service import LockService

WITHIN_S: Final = 20.0
T = TypeVar("T")


def run(main: Coroutine[Any, Any, T]) -> T:
    async def bounded() -> T:
        async with asyncio.timeout(2 * WITHIN_S):
            return await main

    return loops.run(bounded())


def entries(*nodes: Node) -> int:
    """Requests in the nodes' tables."""
    found = 0
    for node in nodes:
        assert node.host is not None
        daemon = node.host.daemon
        assert isinstance(daemon, LockService)
        with node.host.mutex:
            found += sum([len(lock.requests) for lock in daemon.keeper.locks.values()])
    return found


async def until(what: Callable[[], bool]) -> None:
    """Others run meanwhile; the test's own limit ends a wait in vain."""
    while not what():
        await asyncio.sleep(0)


class Cut:
    """Runs a coroutine and cancels it at its k-th suspension, as a task's `cancel` would."""

    def __init__(self, k: int) -> None:
        self.k: Final = k
        self.suspensions = 0

    @types.coroutine
    def through(self, body: Coroutine[Any, Any, None]) -> Generator[Any, Any, None]:
        cut: BaseException | None = None
        while True:
            try:
                waits = body.send(None) if cut is None else body.throw(cut)
            except StopIteration:
                return
            cut = None
            self.suspensions += 1
            if self.suspensions == self.k:
                if asyncio.isfuture(waits):
                    waits._asyncio_future_blocking = False  # nobody waits for it any more
                cut = asyncio.CancelledError()
            else:
                try:
                    yield waits
                except (Exception, asyncio.CancelledError) as e:  # noqa: BLE001  handed on
                    cut = e
