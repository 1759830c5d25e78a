"""HTTP on the node's own event loop, from when the node is up until it goes down.

Who connects and does not ask, or asks slowly, costs one closed connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Iterator
from typing import Any, Final

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from grouplock.http.app import Edge
from grouplock.net.daemon import Host
from grouplock.net.errors import NotReading, SilentStranger, TooManyStrangers

CONNECTIONS: Final = 2_000
HEAD_LIMIT: Final = 16 * 1024
GOING_DOWN_S: Final = 2  # so long answers are still written


class Patient(H11Protocol):
    """A request's head has to be there in time, and its answer has to be read; uvicorn itself
    would wait for ever."""

    host: Host
    waiting: asyncio.TimerHandle | None = None
    unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        if len(self.connections) > CONNECTIONS:
            self.host.noted(TooManyStrangers(f"{CONNECTIONS} connections speak HTTP, the limit"))
            transport.abort()
            return
        self.wait()

    def pause_writing(self) -> None:
        super().pause_writing()
        self.unread = self.loop.call_later(self.host.manners.hello_within_s, self.is_not_read)

    def resume_writing(self) -> None:
        super().resume_writing()
        if self.unread is not None:
            self.unread.cancel()

    def is_not_read(self) -> None:
        self.host.noted(NotReading("a client of HTTP does not read what it is sent"))
        self.transport.abort()

    def wait(self) -> None:
        self.waiting = self.loop.call_later(self.host.manners.hello_within_s, self.ran_out)

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        idle = self.conn.their_state is h11.IDLE
        if not idle and self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None
        elif idle and data and self.waiting is None:
            self.wait()

    def ran_out(self) -> None:
        self.waiting = None
        if not self.transport.is_closing():
            self.host.noted(SilentStranger("somebody connected to HTTP and asked for nothing"))
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
        if self.unread is not None:
            self.unread.cancel()
        super().connection_lost(exc)


class Server(uvicorn.Server):
    """Signals are the node's business."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class Spoken:
    def __init__(self, port: int) -> None:
        self.port: Final = port
        self.promised = False  # once it is over: whether a hold may be believed in yet


@contextlib.asynccontextmanager
async def spoken(
    host: Host, at: tuple[str, int], tls: ssl.SSLContext | None
) -> AsyncIterator[Spoken]:
    """HTTP at this address."""
    listening = listen(at)
    here = Spoken(listening.getsockname()[1])
    edge = Edge(host)
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)
    config = uvicorn.Config(
        edge.app,
        http=type("PatientHere", (Patient,), {"host": host}),
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,  # paths have tokens
        server_header=False,
        h11_max_incomplete_event_size=HEAD_LIMIT,
        timeout_graceful_shutdown=GOING_DOWN_S,
    )
    config.load()
    if tls is not None:
        config.ssl = tls
    server = Server(config)
    edge.holds.begin()
    serving = asyncio.get_running_loop().create_task(server.serve([listening]))
    try:
        yield here
    finally:
        here.promised = await edge.holds.end()
        server.should_exit = True
        await serving
        listening.close()


def listen(at: tuple[str, int]) -> socket.socket:
    family = socket.AF_INET6 if ":" in at[0] else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(at)
        made.listen(1024)
    except BaseException:
        made.close()
        raise
    return made
