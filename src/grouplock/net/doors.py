"""The door of a node: who connects is a client, or says that it is another node.

A client that is silent, sends what is no frame, or does not read what it is sent costs us one
closed connection and no more memory than a frame and a write buffer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, Final, NamedTuple, Protocol, cast

from grouplock.net.errors import BadFrame, NetError, NotReading, OversizedFrame, SilentStranger
from grouplock.net.frames import PREFIX
from grouplock.protocol.daemon import GONE, NOTHING

NODE_MARK: Final = b"NODE"  # no client's frame is so long


class Manners(NamedTuple):
    """How patient a node is with its clients."""

    frame_limit: int = 64 * 1024
    unread_limit: int = 1024 * 1024  # bytes that a client has not read yet
    hello_within_s: float = 5.0
    connections: int = 10_000


class Codec(NamedTuple):
    """Frames as bytes; what cannot be read raises `bad`."""

    encode: Callable[[Any], bytes]
    from_client: Callable[[bytes], Any]
    between_nodes: Callable[[bytes], Any]
    bad: type[Exception]


class House(Protocol):
    """What is behind the door."""

    @property
    def codec(self) -> Codec: ...
    @property
    def manners(self) -> Manners: ...
    @property
    def doors(self) -> dict[int, Door]: ...
    def came(self, door: Door) -> int: ...
    def said(self, conn: int, frames: list[Any]) -> None: ...
    def left(self, conn: int, proves: int) -> None: ...
    def a_node(self, transport: asyncio.Transport) -> asyncio.Protocol | None: ...
    def noted(self, fault: NetError) -> None: ...


class Door(asyncio.Protocol):
    def __init__(self, house: House, near: bool) -> None:
        """`near`: by a socket that is a file, so that who connects is of this machine."""
        self.house: Final = house
        self.near: Final = near
        self.gone = False
        self.codec: Final = house.codec
        self.conn = -1
        self.rest = b""
        self.transport: asyncio.Transport = None  # type: ignore[assignment]  # until it is made
        self.patience: asyncio.TimerHandle | None = None
        self.greeted = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's are not its instances
        house = self.house
        if len(house.doors) >= house.manners.connections:
            house.noted(NotReading(f"{len(house.doors)} connections are open, the limit"))
            self.transport.abort()
            return
        self.transport.set_write_buffer_limits(high=house.manners.unread_limit)
        within = house.manners.hello_within_s
        self.patience = asyncio.get_running_loop().call_later(within, self.ran_out_of_patience)
        self.conn = house.came(self)

    def data_received(self, data: bytes) -> None:
        if self.rest:
            data = self.rest + data
        if not self.greeted:
            if len(data) < PREFIX:
                self.rest = data
                return
            if data.startswith(NODE_MARK):
                self.hand_over(data[len(NODE_MARK) :])
                return
        at, size = 0, len(data)
        frames = []
        fault: NetError | None = None
        while size - at >= PREFIX:
            begin = at + PREFIX
            length = int.from_bytes(data[at:begin], "big")
            if length > self.house.manners.frame_limit:
                limit = self.house.manners.frame_limit
                fault = OversizedFrame(f"a client's frame of {length} bytes; at most {limit}")
                break
            if size - begin < length:
                break
            at = begin + length
            try:
                frames.append(self.codec.from_client(data[begin:at]))
            except self.codec.bad as e:
                fault = BadFrame(str(e))
                break
        self.rest = data[at:]
        if frames:
            if not self.greeted:
                self.calm()
            self.house.said(self.conn, frames)
        if fault is not None:
            self.house.noted(fault)
            self.transport.abort()

    def calm(self) -> None:
        self.greeted = True
        if self.patience is not None:
            self.patience.cancel()
            self.patience = None

    def hand_over(self, rest: bytes) -> None:
        """Another node: its conversation has the connection from here on."""
        self.calm()
        self.house.left(self.conn, NOTHING)
        self.conn = -1
        other = self.house.a_node(self.transport)
        if other is None:
            self.transport.abort()
            return
        self.transport.set_protocol(other)
        other.connection_made(self.transport)
        if rest:
            other.data_received(rest)

    def ran_out_of_patience(self) -> None:
        self.house.noted(SilentStranger("somebody connected and said no hello"))
        self.transport.abort()

    def pause_writing(self) -> None:
        self.house.noted(NotReading("a client does not read what it is sent"))
        self.transport.abort()

    def write(self, frame: Any) -> None:
        if not self.transport.is_closing():
            body = self.codec.encode(frame)
            self.transport.write(len(body).to_bytes(PREFIX, "big") + body)

    def close(self) -> None:
        """After what was written; not at all later where the client does not read."""
        if self.transport.get_write_buffer_size():
            self.transport.abort()
        else:
            self.transport.close()

    def eof_received(self) -> None:
        """The other end is closed, in every process that had it; the kernel says so."""
        self.gone = self.near

    def connection_lost(self, exc: Exception | None) -> None:
        self.calm()
        if isinstance(exc, (ConnectionResetError, BrokenPipeError)):  # closed with bytes unread
            self.gone = self.near
        if self.conn >= 0:
            self.house.left(self.conn, GONE if self.gone else NOTHING)
