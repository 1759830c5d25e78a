"""The sites' processes, from the launcher's side: started, spoken to, listened to, ended.

Each has a session of its own, so that a ctrl-C reaches the launcher alone; each ends by itself
when its standard input ends, so that it does not outlive a launcher that was killed.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from grouplock.net.control import PIPE_FRAME_LIMIT, Order, Report, body, read_report
from grouplock.net.frames import Frames, frame

LAST_LINES: Final = 12  # of a process's stderr, kept for the report


class Ended(NamedTuple):
    """A process is gone; a negative status is the signal that ended it."""

    status: int


Heard = Callable[[int, Report | Ended], None]


class Child:
    def __init__(self, site: int, process: asyncio.subprocess.Process, heard: Heard) -> None:
        self.site: Final = site
        self.process: Final = process
        self.heard: Final = heard
        self.stderr: Final[deque[str]] = deque(maxlen=LAST_LINES)
        self.listening: Final = asyncio.gather(self.hear(), self.read_stderr())
        self.end: Final = asyncio.create_task(self.await_end())

    def order(self, what: Order) -> None:
        assert self.process.stdin is not None
        if not self.process.stdin.is_closing():
            self.process.stdin.write(frame(body(what)))

    async def hear(self) -> None:
        assert self.process.stdout is not None
        frames = Frames(PIPE_FRAME_LIMIT)
        while data := await self.process.stdout.read(65_536):
            frames.feed(data)
            while (said := frames.take()) is not None:
                self.heard(self.site, read_report(said))

    async def read_stderr(self) -> None:
        assert self.process.stderr is not None
        while data := await self.process.stderr.read(4096):
            self.stderr.extend(data.decode(errors="replace").splitlines())

    async def await_end(self) -> None:
        await self.listening
        self.heard(self.site, Ended(await self.process.wait()))

    def kill(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.kill()


class Children:
    """All of them, as a context: whatever happens inside, none is left afterwards."""

    def __init__(self, argv: list[str], n: int, heard: Heard) -> None:
        self.argv: Final = argv
        self.n: Final = n
        self.heard: Final = heard
        self.all: Final[list[Child]] = []

    async def __aenter__(self) -> Children:
        try:
            for site in range(self.n):
                process = await asyncio.create_subprocess_exec(
                    *self.argv,
                    stdin=asyncio.subprocess.PIPE,
                    stdout=asyncio.subprocess.PIPE,
                    stderr=asyncio.subprocess.PIPE,
                    start_new_session=True,
                )
                self.all.append(Child(site, process, self.heard))
        except BaseException:
            await self.end_all()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.end_all()

    def order(self, what: Order) -> None:
        for child in self.all:
            child.order(what)

    def last_lines(self) -> list[str]:
        return [f"site {child.site}: {line}" for child in self.all for line in child.stderr]

    async def end_all(self) -> None:
        for child in self.all:
            child.kill()
        for child in self.all:
            await child.end
