"""Renewal, on a thread of its own: what the application's loop does or does not do is no matter.

It has connections of its own and says nothing but renewals.  Where these are not answered in time
it has the application told, before the lease is over.
"""

from __future__ import annotations

import asyncio
import itertools
import ssl
import threading
from collections.abc import Callable
from typing import Final

from grouplock.client.routes import Address, Patience, Routes
from grouplock.client.session import Session
from grouplock.net import clock
from grouplock.service.frames import Renew

PARTS: Final = 4  # so often in a lease
KEPT: Final = 64  # renewals that may be unanswered


class Pulse:
    def __init__(
        self,
        session: Session,
        seeds: list[Address],
        token: str,
        patience: Patience,
        lapsing: Callable[[int], None],
        tls: ssl.SSLContext | None,
    ) -> None:
        self.session: Final = session
        self.seeds: Final = seeds
        self.token: Final = token
        self.patience: Final = patience
        self.tls: Final = tls
        self.lapsing: Final = lapsing  # called on this thread
        self.thread: Final = threading.Thread(target=self.run, name="grouplock-pulse", daemon=True)
        self.loop: asyncio.AbstractEventLoop | None = None
        self.stop: asyncio.Event | None = None
        self.started: Final = threading.Event()

    def begin(self) -> None:
        self.thread.start()
        self.started.wait()

    def end(self) -> None:
        assert self.loop is not None
        assert self.stop is not None
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join()

    def run(self) -> None:
        with asyncio.Runner() as runner:
            runner.run(self.beat())

    async def beat(self) -> None:
        self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
        routes = Routes(self.session, self.seeds, self.token, self.patience, None, self.tls)
        self.started.set()
        for number in itertools.count(1):
            for keeper in self.session.in_use():
                if len(routes.sent_at) >= KEPT:
                    routes.sent_at.pop(next(iter(routes.sent_at)))
                renewal = number * KEPT + keeper
                routes.sent_at[renewal] = clock.now()
                routes.send(keeper, Renew(renewal, keeper))
                if self.session.about_to_lapse(keeper):
                    self.lapsing(keeper)
            try:
                async with asyncio.timeout(self.session.next_beat(PARTS)):
                    await self.stop.wait()
                break
            except TimeoutError:
                continue
        await routes.end()
