"""The sockets of one site: it listens, calls the sites below it, and keeps the links going.

Of two sites the higher one calls.  A connection that breaks is called anew after a pause that
grows; a newer connection of a link takes the place of an older one.  Nothing here waits: bytes
are handed to the loop, within the link's window, or the connection is given up.
"""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple, cast

from grouplock.net.conversation import Conversation, Identity
from grouplock.net.errors import (
    NetError,
    NotReading,
    OversizedFrame,
    SilentStranger,
    TooManyStrangers,
    Troubles,
    Unreachable,
)
from grouplock.net.frames import frame
from grouplock.net.link import Link, Window
from grouplock.net.wire import talk

LOOPBACK: Final = "127.0.0.1"
OVERHEAD: Final = 64  # bytes of a data frame beside its payload, at most


class Habits(NamedTuple):
    """How patient a switchboard is; times in seconds."""

    window: Window = Window()
    hello_within_s: float = 5.0
    call_again_s: float = 0.05  # doubles with each failure
    call_again_max_s: float = 1.0
    ack_after_s: float = 0.02
    ack_after_messages: int = 64
    strangers: int = 64  # connections that have not said hello yet
    preamble: bytes = b""  # what a caller says first, where others call at the same address


Address = tuple[str, int]


class Switchboard:
    def __init__(
        self,
        me: Identity,
        decode: Callable[[bytes], Any],
        deliver: Callable[[int, Any], None],
        troubles: Troubles,
        habits: Habits,
        reborn: Callable[[int], None] | None = None,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self.me: Final = me
        self.decode: Final = decode
        self.deliver: Final = deliver
        self.troubles: Final = troubles
        self.habits: Final = habits
        self.tls: Final = tls  # when we call; None: in the clear
        self.links: Final = {p: Link(p, habits.window, reborn) for p in range(me.n) if p != me.site}
        self.wires: Final[dict[int, Wire]] = {}  # by peer, where the greetings are over
        self.strangers: Final[set[Wire]] = set()
        self.calls: Final[list[asyncio.Task[None]]] = []
        self.ack_timers: Final[dict[int, asyncio.TimerHandle]] = {}
        self.complete: Final = asyncio.Event()  # every link has been connected at least once
        self.server: asyncio.Server | None = None
        self.closed = False
        if not self.links:
            self.complete.set()

    # Coming up and going down.

    async def listen(self) -> int:
        """Takes calls from now on, at the port that the kernel chose."""
        loop = asyncio.get_running_loop()
        self.server = await loop.create_server(self.answer, LOOPBACK, 0)
        port: int = self.server.sockets[0].getsockname()[1]
        return port

    def answer(self) -> Wire:
        """For a connection that one of the sites above this one has made."""
        callers = {p: link for p, link in self.links.items() if p > self.me.site}
        return Wire(self, callers, calling=False)

    def call(self, ports: Mapping[int, int | Address]) -> None:
        """Keeps calling the sites below this one, each at its port, here or elsewhere."""
        for peer, at in ports.items():
            if peer < self.me.site:
                host, port = (LOOPBACK, at) if isinstance(at, int) else at
                self.calls.append(asyncio.create_task(self.keep_calling(peer, host, port)))

    async def keep_calling(self, peer: int, host: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        pause = self.habits.call_again_s
        while True:
            wire = Wire(self, {peer: self.links[peer]}, calling=True)
            before = self.links[peer].arrived
            try:
                await loop.create_connection(
                    lambda w=wire: w,
                    host,
                    port,
                    ssl=self.tls,
                )
            except OSError as e:
                why = e.strerror or e
                self.troubles.note(Unreachable(f"site {peer} at {host}:{port}: {why}"))
            else:
                await wire.lost.wait()
            # A connection that brought something was a good one.
            fresh = self.links[peer].arrived > before
            pause = self.habits.call_again_s if fresh else pause
            await asyncio.sleep(pause)
            pause = min(2 * pause, self.habits.call_again_max_s)

    def close(self) -> None:
        self.closed = True
        if self.server is not None:
            self.server.close()
        for task in self.calls:
            task.cancel()
        for timer in self.ack_timers.values():
            timer.cancel()
        for wire in [*self.wires.values(), *self.strangers]:
            wire.hang_up()

    async def wait_closed(self) -> None:
        """Until nothing of what was closed is left in the loop."""
        await asyncio.gather(*self.calls, return_exceptions=True)
        while wires := [*self.wires.values(), *self.strangers]:
            await wires[0].lost.wait()
        if self.server is not None:
            await self.server.wait_closed()

    # Messages.

    def send(self, peer: int, payload: bytes) -> None:
        """Numbers it and sends it, or keeps it until the peer is back."""
        if len(payload) + OVERHEAD > self.me.frame_limit:
            raise OversizedFrame(
                f"a message of {len(payload)} bytes for site {peer} does not fit into a frame "
                f"of {self.me.frame_limit}"
            )
        link = self.links[peer]
        number = link.number(payload)
        wire = self.wires.get(peer)
        if wire is not None:
            wire.write(frame(talk(link.data(number, payload))))

    def took(self, peer: int) -> None:
        """The site has had the oldest message of the peer: acknowledge it soon."""
        link = self.links[peer]
        link.take()
        if link.owes >= self.habits.ack_after_messages:
            self.acknowledge(peer)
        elif peer not in self.ack_timers:
            loop = asyncio.get_running_loop()
            timer = loop.call_later(self.habits.ack_after_s, self.acknowledge, peer)
            self.ack_timers[peer] = timer

    def acknowledge(self, peer: int) -> None:
        timer = self.ack_timers.pop(peer, None)
        if timer is not None:
            timer.cancel()
        wire = self.wires.get(peer)
        if wire is not None and self.links[peer].owes:
            wire.write(frame(talk(self.links[peer].ack())))

    # What the wires tell.

    def met(self, wire: Wire, peer: int) -> None:
        self.strangers.discard(wire)
        older = self.wires.pop(peer, None)
        self.wires[peer] = wire
        if older is not None:
            older.hang_up()
        self.acknowledge(peer)
        if len(self.wires) == len(self.links):
            self.complete.set()

    def parted(self, wire: Wire) -> None:
        self.strangers.discard(wire)
        link = wire.conversation.link
        if link is not None and self.wires.get(link.peer) is wire:
            del self.wires[link.peer]


class Wire(asyncio.Protocol):
    """One socket and its conversation."""

    def __init__(self, board: Switchboard, links: dict[int, Link], *, calling: bool) -> None:
        self.board: Final = board
        self.conversation: Final = Conversation(
            board.me,
            links,
            calling,
            os.urandom(16),
            write=self.write,
            met=self.met,
            decode=board.decode,
            deliver=board.deliver,
        )
        self.lost: Final = asyncio.Event()
        self.transport: asyncio.Transport | None = None
        self.patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        transport = cast(asyncio.Transport, transport)  # uvloop's are not its instances
        self.transport = transport
        board = self.board
        if board.closed:
            self.hang_up()
            return
        transport.set_write_buffer_limits(high=2 * board.habits.window.size)
        if len(board.strangers) >= board.habits.strangers:
            self.fail(TooManyStrangers(f"{len(board.strangers)} have not said hello yet"))
            return
        board.strangers.add(self)
        within = board.habits.hello_within_s
        self.patience = asyncio.get_running_loop().call_later(within, self.ran_out_of_patience)
        if self.conversation.calling and board.habits.preamble:
            transport.write(board.habits.preamble)
        self.conversation.begin()

    def met(self, link: Link) -> None:
        if self.patience is not None:
            self.patience.cancel()
        self.board.met(self, link.peer)

    def ran_out_of_patience(self) -> None:
        within = self.board.habits.hello_within_s
        self.fail(SilentStranger(f"somebody connected and said no hello in {within:g} s"))

    def data_received(self, data: bytes) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        try:
            self.conversation.receive(data)
        except NetError as fault:
            self.fail(fault)

    def write(self, data: bytes) -> None:
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def pause_writing(self) -> None:
        """More waits here than two windows: the peer has stopped reading."""
        link = self.conversation.link
        who = "somebody" if link is None else f"site {link.peer}"
        self.fail(NotReading(f"{who} does not read what it is sent"))

    def fail(self, fault: NetError) -> None:
        self.board.troubles.note(fault)
        self.conversation.refuse(fault)
        self.hang_up()

    def hang_up(self) -> None:
        if self.transport is None or self.transport.is_closing():
            return
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.patience is not None:
            self.patience.cancel()
        self.board.parted(self)
        self.lost.set()
