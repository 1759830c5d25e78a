"""A daemon on sockets: a monitor that any thread may bring something to.

One thread has the loop, with its sockets and timers.  A client in this very process has none of
them: its frames are handed over as objects, on its own thread, and what comes of them for itself
is the answer to the call.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import os
import ssl
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from grouplock.net import clock
from grouplock.net.caller import Caller
from grouplock.net.conversation import Identity
from grouplock.net.disk import Disk, Memory
from grouplock.net.doors import NODE_MARK, Codec, Door, Manners
from grouplock.net.errors import BadPayload, NetError, Troubles, WrongSecret
from grouplock.net.link import Link
from grouplock.net.switchboard import Address, Habits, Switchboard, Wire
from grouplock.protocol.daemon import LOCALS, NEAR, NOTHING, PEERS, RENEWED, Daemon, Deeds

Post = Callable[[Any], None]
MANNERS: Final = Manners()


class Place(NamedTuple):
    """Where a node is: its number, its doors, the other nodes' doors, and what they share."""

    me: int
    n: int
    listen: Address | None = None
    unix: Path | None = None
    others: Mapping[int, Address] = {}
    cluster: str = "grouplock"
    secret: bytes = b""
    shown: ssl.SSLContext | None = None  # to whoever calls us; None: no TLS
    calls: ssl.SSLContext | None = None  # when we call other nodes


class Links(Switchboard):
    """The links to the other nodes; the daemon is told when one comes up or goes down."""

    def __init__(self, host: Host, place: Place, life: int) -> None:
        table = hashlib.sha256(b"nodes 1").digest()
        me = Identity(place.cluster, place.secret, place.me, place.n, table, life)
        habits = Habits(preamble=NODE_MARK)
        super().__init__(
            me, host.decode, host.arrived, host.troubles, habits, host.reborn, place.calls
        )
        self.host: Final = host

    def met(self, wire: Wire, peer: int) -> None:
        super().met(wire, peer)
        self.host.link_up(peer)

    def parted(self, wire: Wire) -> None:
        link: Link | None = wire.conversation.link
        was = link is not None and self.wires.get(link.peer) is wire
        super().parted(wire)
        if was and link is not None:
            self.host.link_down(link.peer)


class Doer(Deeds):
    """Carries deeds out, on the loop's thread."""

    def __init__(self, host: Host) -> None:
        self.host: Final = host

    def send(self, conn: int, frame: Any) -> None:
        host = self.host
        host.frames_out += 1
        door = host.doors.get(conn)
        if door is not None:
            door.write(frame)
        elif conn < PEERS:
            host.send_peer(conn, frame)
        elif (post := host.locals.get(conn)) is not None:
            post(frame)

    def hang_up(self, conn: int) -> None:
        door = self.host.doors.get(conn)
        if door is not None:
            door.close()

    def persist(self, record: tuple[Any, ...]) -> None:
        self.host.persist(record)

    def wake(self, at: float) -> None:
        self.host.wake(at)


class Later(Deeds):
    """Has deeds carried out on the loop's thread, from any other."""

    def __init__(self, host: Host) -> None:
        self.host: Final = host

    def send(self, conn: int, frame: Any) -> None:
        if (post := self.host.locals.get(conn)) is not None:
            post(frame)
        else:
            self.host.later(self.host.send_now, conn, frame)

    def hang_up(self, conn: int) -> None:
        self.host.later(self.host.doer.hang_up, conn)

    def persist(self, record: tuple[Any, ...]) -> None:
        self.host.later(self.host.persist, record)

    def wake(self, at: float) -> None:
        if at < self.host.wakes_at:
            self.host.later(self.host.wake, at)


class Host:
    def __init__(
        self,
        daemon: Daemon,
        codec: Codec,
        place: Place,
        disk: Disk | Memory,
        tell: Callable[[NetError], None],
        manners: Manners = MANNERS,
    ) -> None:
        self.daemon: Final = daemon
        self.codec: Final = codec
        self.place: Final = place
        self.disk: Final = disk
        self.manners: Final = manners
        self.troubles: Final = Troubles(tell)
        self.mutex: Final = threading.Lock()
        self.doer: Final = Doer(self)
        self.elsewhere: Final = Later(self)
        self.doors: Final[dict[int, Door]] = {}
        self.unflushed: Final[list[Door]] = []
        self.locals: Final[dict[int, Post]] = {}
        self.far: Final = itertools.count(PEERS)  # numbers of connections
        self.near: Final = itertools.count(NEAR)
        self.loop: asyncio.AbstractEventLoop | None = None
        self.servers: Final[list[asyncio.Server]] = []
        self.timer: asyncio.TimerHandle | None = None
        self.wakes_at = float("inf")
        self.port = 0
        self.frames_in = self.frames_out = 0  # of clients and nodes, but for local ones
        self.board = (
            Links(self, place, int.from_bytes(os.urandom(7), "big")) if place.n > 1 else None
        )

    # Coming up and going down, on the loop's thread.

    async def start(self) -> None:
        """Returns when the door is open."""
        records = self.disk.open()
        try:
            self.loop = asyncio.get_running_loop()
            with self.mutex:
                self.daemon.on_start(records, clock.now(), self.doer)
            place = self.place
            if place.listen is not None:
                server = await self.loop.create_server(
                    lambda: Door(self, False), *place.listen, ssl=place.shown
                )
                self.servers.append(server)
                self.port = server.sockets[0].getsockname()[1]
            if place.unix is not None:
                place.unix.unlink(missing_ok=True)
                self.servers.append(
                    await self.loop.create_unix_server(lambda: Door(self, True), str(place.unix))
                )
            if self.board is not None:
                self.board.call(place.others)
        except BaseException:
            await self.stop(lambda: None)
            raise

    async def stop(self, last: Callable[[], tuple[Any, ...] | None]) -> None:
        """`last` says what to persist when all is closed."""
        for server in self.servers:
            server.close()
        if self.timer is not None:
            self.timer.cancel()
        for door in list(self.doors.values()):
            door.close()
        if self.board is not None:
            self.board.close()
            await self.board.wait_closed()
        for server in self.servers:
            await server.wait_closed()
        while self.doors:
            await asyncio.sleep(0)
        if self.place.unix is not None:
            self.place.unix.unlink(missing_ok=True)
        if (record := last()) is not None:
            self.disk.write(record)
        self.disk.close()
        self.loop = None

    # Clients at the door, on the loop's thread.

    def came(self, door: Door) -> int:
        conn = next(self.near if door.near else self.far)
        self.doors[conn] = door
        with self.mutex:
            self.daemon.on_open(conn, clock.now(), self.doer)
        self.flush()
        return conn

    def said(self, conn: int, frames: list[Any]) -> None:
        now = clock.now()
        self.frames_in += len(frames)
        with self.mutex:
            for frame in frames:
                self.daemon.on_frame(conn, frame, now, self.doer)
        self.flush()

    def flush(self) -> None:
        """The step is over: what it said to clients goes out, a write for each of them.

        The last comes first: a grant follows from a release, and whoever released does not wait.
        """
        for door in reversed(self.unflushed):
            door.flush()
        self.unflushed.clear()

    def send_now(self, conn: int, frame: Any) -> None:
        self.doer.send(conn, frame)
        self.flush()

    def left(self, conn: int, proves: int) -> None:
        if self.doors.pop(conn, None) is not None:
            with self.mutex:
                self.daemon.on_close(conn, proves, clock.now(), self.doer)
            self.flush()

    def a_node(self, transport: asyncio.Transport) -> asyncio.Protocol | None:
        if self.board is None:
            return None
        if self.place.shown is not None and not transport.get_extra_info("peercert"):
            self.noted(WrongSecret("whoever says to be a node shows no certificate"))
            return None
        return self.board.answer()

    def noted(self, fault: NetError) -> None:
        self.troubles.note(fault)

    # Other nodes, on the loop's thread.

    def decode(self, payload: bytes) -> Any:
        try:
            return self.codec.between_nodes(payload)
        except self.codec.bad as e:
            raise BadPayload(str(e)) from e

    def arrived(self, peer: int, frame: Any) -> None:
        assert self.board is not None
        self.board.took(peer)
        self.said(peer, [frame])

    def send_peer(self, peer: int, frame: Any) -> None:
        if self.board is not None:
            try:
                self.board.send(peer, self.codec.encode(frame))
            except NetError as fault:
                self.troubles.note(fault)

    def link_up(self, peer: int) -> None:
        with self.mutex:
            self.daemon.on_open(peer, clock.now(), self.doer)
        self.flush()

    def link_down(self, peer: int) -> None:
        with self.mutex:
            self.daemon.on_close(peer, NOTHING, clock.now(), self.doer)
        self.flush()

    def reborn(self, peer: int) -> None:
        with self.mutex:
            self.daemon.on_close(peer, RENEWED, clock.now(), self.doer)
        self.flush()

    # Time and disk, on the loop's thread.

    def wake(self, at: float) -> None:
        if at >= self.wakes_at or self.loop is None:
            return
        if self.timer is not None:
            self.timer.cancel()
        self.wakes_at = at
        self.timer = self.loop.call_later(max(0.0, at - clock.now()), self.ring)

    def ring(self) -> None:
        self.timer, self.wakes_at = None, float("inf")
        with self.mutex:
            self.daemon.on_tick(clock.now(), self.doer)
        self.flush()

    def persist(self, record: tuple[Any, ...]) -> None:
        """In the step's own time: what depends on it comes after."""
        self.disk.write(record)
        self.daemon.on_persisted(record, clock.now(), self.doer)

    # Clients of this process, on any thread.

    def open_local(self, post: Post) -> Caller:
        """`post` takes a frame that comes by itself, on whatever thread."""
        with self.mutex:
            conn = LOCALS + next(self.far)
            self.locals[conn] = post
            self.daemon.on_open(conn, clock.now(), self.elsewhere)
        return Caller(conn, self.daemon, self.mutex, clock.now, self.elsewhere)

    def close_local(self, caller: Caller) -> None:
        with self.mutex:
            self.locals.pop(caller.conn, None)
            self.daemon.on_close(caller.conn, NOTHING, clock.now(), self.elsewhere)

    def later(self, do: Callable[..., None], *args: Any) -> None:
        if self.loop is not None:
            self.loop.call_soon_threadsafe(do, *args)
