"""The process of one site: told what to do on its standard input, tells what it did on its output.

It ends when it is told to, when it cannot go on, and when the launcher is gone, which the end of
its standard input says; a thread of its own watches that, so that nothing can keep it from ending.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import threading
import time
import traceback
from typing import IO, Any, Final, NoReturn

from grouplock.measure.trace import Step, step_line
from grouplock.net import loops
from grouplock.net.clients import BrokenPromise, Clients
from grouplock.net.codec import Codec
from grouplock.net.control import (
    PIPE_FRAME_LIMIT,
    Batch,
    Broken,
    Connected,
    Counts,
    Event,
    Failed,
    Listening,
    Order,
    Poll,
    Ports,
    Report,
    Setup,
    Start,
    Stop,
    Trouble,
    body,
    read_order,
)
from grouplock.net.conversation import Identity
from grouplock.net.delays import Delays
from grouplock.net.errors import NetError, Troubles
from grouplock.net.frames import Frames, frame
from grouplock.net.host import Host
from grouplock.net.switchboard import Habits, Switchboard
from grouplock.protocol.message import Message
from grouplock.protocol.system import MANY, System

BATCH_S: Final = 0.02
CANNOT_GO_ON: Final = 70
ORPHANED: Final = 71


def serve(system: System) -> None:
    """The whole life of a site's process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # ctrl-C is for the launcher
    loops.run(_Process(system).live())


class _Process:
    def __init__(self, system: System) -> None:
        self.system: Final = system
        self.orders: Final[asyncio.Queue[Order]] = asyncio.Queue()
        self.events: Final[list[Event]] = []
        self.begun = False
        self.origin_ns = 0
        self.early: Final[list[tuple[int, Message]]] = []
        self.trace: IO[str] | None = None

    async def live(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self.on_exception)
        threading.Thread(target=self.read_orders, args=(loop,), daemon=True).start()
        setup = await self.next_order(Setup)
        self.build(setup)
        self.tell(Listening(await self.board.listen()))
        ports = await self.next_order(Ports)
        self.board.call(ports.ports)
        await self.board.complete.wait()
        self.tell(Connected())
        start = await self.next_order(Start)
        self.begin(start.origin_ns)
        while not isinstance(order := await self.orders.get(), Stop):
            assert isinstance(order, Poll)
            self.answer(order)
        self.board.close()
        await self.board.wait_closed()
        if self.trace is not None:
            self.trace.close()

    def build(self, setup: Setup) -> None:
        system, me = self.system, setup.site
        codec = Codec(system.messages, system.n)
        identity = Identity(
            run=setup.run,
            secret=setup.secret,
            site=me,
            n=system.n,
            table=codec.digest,
            life=int.from_bytes(os.urandom(7), "big"),
        )
        if setup.trace:
            self.trace = open(setup.trace, "w", encoding="utf-8")  # noqa: SIM115 closed at the end
        self.clients = Clients(
            setup.workload, me, setup.clients, MANY in system.supports, self.now, self.events.append
        )
        self.board = Switchboard(
            identity, codec.decode, self.arrived, Troubles(self.tell_trouble), Habits()
        )
        self.host = Host(
            system,
            me,
            codec,
            self.clients,
            self.send,
            self.board.took,
            self.now,
            self.record if setup.trace else None,
        )
        self.delays = Delays(setup.workload, me, self.host.deliver)

    def begin(self, origin_ns: int) -> None:
        self.origin_ns = origin_ns
        self.begun = True
        early = self.early.copy()
        self.early.clear()
        for src, msg in early:
            self.arrived(src, msg)
        self.clients.open(self.host)
        self.send_batches()

    def now(self) -> int:
        return time.monotonic_ns() - self.origin_ns

    # Orders.

    def read_orders(self, loop: asyncio.AbstractEventLoop) -> None:
        frames = Frames(PIPE_FRAME_LIMIT)
        while data := os.read(0, 65_536):
            frames.feed(data)
            while (said := frames.take()) is not None:
                loop.call_soon_threadsafe(self.orders.put_nowait, read_order(said))
        os._exit(ORPHANED)

    async def next_order(self, kind: type[Any]) -> Any:
        order = await self.orders.get()
        if isinstance(order, Stop):
            raise SystemExit(0)
        assert isinstance(order, kind), f"{order} where {kind.__name__} was due"
        return order

    def answer(self, poll: Poll) -> None:
        host = self.host
        self.tell_batch(self.clients.done)  # the figures that belong to the counts
        self.tell(Counts(poll.wave, host.sent, host.handled, host.site.tokens()))

    # Reports.

    def tell(self, report: Report) -> None:
        """Waits where the launcher does not read: then it is stopped, and so are we."""
        data = memoryview(frame(body(report)))
        try:
            while data:
                data = data[os.write(1, data) :]
        except BrokenPipeError:
            os._exit(ORPHANED)

    def send_batches(self) -> None:
        asyncio.get_running_loop().call_later(BATCH_S, self.send_batches)
        self.tell_batch(self.clients.done)

    def tell_batch(self, done: bool) -> None:
        events = self.events.copy()
        self.events.clear()
        host = self.host
        self.tell(Batch(self.now(), events, host.sent, host.integers, host.steps, done))

    def tell_trouble(self, error: NetError) -> None:
        self.tell(Trouble(error.cause, str(error)))

    def record(self, step: Step) -> None:
        assert self.trace is not None
        self.trace.write(step_line(step) + "\n")

    # Messages.

    def arrived(self, src: int, msg: Message) -> None:
        if self.begun:
            self.delays.arrived(src, msg, self.system.messages.integers(msg))
        else:
            self.early.append((src, msg))  # of a site that was told to begin before us

    def send(self, peer: int, payload: bytes) -> None:
        try:
            self.board.send(peer, payload)
        except NetError as fault:
            self.give_up(Failed(f"{fault.cause}: {fault}"))

    # The end that was not planned.

    def on_exception(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        fault = context.get("exception")
        if isinstance(fault, BrokenPromise):
            self.give_up(Broken(fault.name, fault.reason))
        if fault is not None:
            traceback.print_exception(fault)
        self.give_up(Failed(f"{context.get('message')}: {fault!r}"))

    def give_up(self, last_words: Broken | Failed) -> NoReturn:
        """What happened before comes first, so that the verdict sees it in order."""
        self.tell_batch(False)
        self.tell(last_words)
        if self.trace is not None:
            self.trace.flush()
        sys.stderr.flush()
        os._exit(CANNOT_GO_ON)
