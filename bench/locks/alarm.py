"""A sleep that ends when it should.

uvloop's timers count in whole milliseconds, so that 5 ms inside would be anything from 4 to 6, and
what is compared here is a few microseconds more or less.  The kernel's timer, watched by the loop
like a socket, is exact, and every asyncio client of every system sleeps on one.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import struct

_libc = ctypes.CDLL(None, use_errno=True)
MONOTONIC = 1
NONBLOCK = os.O_NONBLOCK
CLOEXEC = os.O_CLOEXEC


class Alarm:
    def __init__(self) -> None:
        self.fd = int(_libc.timerfd_create(MONOTONIC, NONBLOCK | CLOEXEC))
        if self.fd < 0:
            raise OSError(ctypes.get_errno(), "timerfd_create")
        self.loop = asyncio.get_running_loop()
        self.waiter: asyncio.Future[None] | None = None
        self.loop.add_reader(self.fd, self._rang)

    async def sleep(self, seconds: float) -> None:
        whole = max(1, round(seconds * 1e9))
        setting = struct.pack("qqqq", 0, 0, whole // 10**9, whole % 10**9)
        self.waiter = self.loop.create_future()
        if _libc.timerfd_settime(self.fd, 0, setting, None):
            raise OSError(ctypes.get_errno(), "timerfd_settime")
        await self.waiter

    def _rang(self) -> None:
        os.read(self.fd, 8)
        if self.waiter is not None and not self.waiter.done():
            self.waiter.set_result(None)

    def close(self) -> None:
        self.loop.remove_reader(self.fd)
        os.close(self.fd)
