"""Connections of a client to nodes, on one event loop: made when needed, made anew when broken.

What a lock's keeper is to hear goes straight to it; where it cannot be reached from here, through
any node that can.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from typing import Any, Final, NamedTuple, cast

from grouplock.client.errors import Refused, Unavailable
from grouplock.client.session import Session
from grouplock.net import clock
from grouplock.service import codec, frames
from grouplock.service.frames import VERSION, Hello, Parting, Renewed, Welcome

PREFIX: Final = 4
Address = tuple[str, int] | str  # a host and a port, or the path of a Unix socket


class Patience(NamedTuple):
    """Times in seconds."""

    unavailable_after: float = 5.0  # so long a keeper is looked for before a request is refused
    connect: float = 2.0
    again: float = 0.02  # doubles with each failure
    again_max: float = 1.0


class Route(asyncio.Protocol):
    """One connection; `node` is who answered."""

    def __init__(self, routes: Routes) -> None:
        self.routes: Final = routes
        self.rest = b""
        self.transport: asyncio.Transport = None  # type: ignore[assignment]  # until it is made
        self.node = -1
        self.greeted: Final[asyncio.Future[Welcome]] = routes.loop.create_future()
        self.closed: Final[asyncio.Future[None]] = routes.loop.create_future()
        self.said_hello_at = 0.0
        self.parting: Parting | None = None
        self.unsent: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)  # uvloop's are not its instances
        self.hello()

    def hello(self) -> None:
        session = self.routes.session
        if not self.routes.pulse:
            session.attachment += 1
        self.said_hello_at = clock.now()
        attached = session.attachment
        self.write(
            Hello(
                VERSION, session.number, session.key, attached, self.routes.pulse, self.routes.token
            )
        )

    def write(self, frame: Any) -> None:
        """With all else that is said in this turn of the loop: a release and the next request of
        one task, the requests of several."""
        if not self.unsent:
            self.routes.loop.call_soon(self.flush)
        body = codec.encode(frame)
        self.unsent.append(len(body).to_bytes(PREFIX, "big") + body)

    def flush(self) -> None:
        said, self.unsent = self.unsent, []
        if not self.transport.is_closing():  # what is lost is said again on the next connection
            self.transport.write(said[0] if len(said) == 1 else b"".join(said))

    def data_received(self, data: bytes) -> None:
        if self.rest:
            data = self.rest + data
        at, size = 0, len(data)
        while size - at >= PREFIX:
            begin = at + PREFIX
            end = begin + int.from_bytes(data[at:begin], "big")
            if end > size:
                break
            at = end
            try:
                frame = codec.to_client(data[begin:end])
            except codec.BadBytes:
                self.transport.abort()  # no node of ours; whoever waits looks elsewhere
                return
            self.routes.heard(self, frame)
        self.rest = data[at:]

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)
        if not self.greeted.done():
            why = self.parting.said if self.parting else str(exc or "it closed the connection")
            self.greeted.set_exception(ConnectionError(why))
            self.greeted.exception()  # that nobody asks is no fault
        self.routes.broke(self)


class Routes:
    def __init__(
        self,
        session: Session,
        seeds: list[Address],
        token: str,
        patience: Patience,
        redraw: Callable[[], tuple[int, bytes]] | None,
        tls: ssl.SSLContext | None,
    ) -> None:
        self.session: Final = session
        self.seeds: Final = seeds
        self.token: Final = token
        self.patience: Final = patience
        self.tls: Final = tls
        self.redraw: Final = redraw  # another number and key; None: we are a pulse, with no own
        self.pulse: Final = redraw is None
        self.loop: Final = asyncio.get_running_loop()
        self.open: Final[list[Route]] = []
        self.to: Final[dict[int, Route]] = {}  # by keeper, the way that is used
        self.reaching: Final[dict[int, asyncio.Task[None]]] = {}
        self.sent_at: Final[dict[int, float]] = {}  # of renewals, by number
        self.closing = False
        self.refused: Refused | None = None  # to try again will not help
        self.why = ""  # the last connection was not made

    # Saying.

    def send(self, keeper: int, frame: Any) -> None:
        """Now, or with all else that the keeper has to hear once it is reached."""
        route = self.to.get(keeper)
        if route is not None:
            route.write(frame)
        else:
            self.reach(keeper)

    def reach(self, keeper: int) -> None:
        if keeper not in self.reaching and not self.closing:
            self.reaching[keeper] = self.loop.create_task(self.find(keeper))

    async def find(self, keeper: int) -> None:
        began, pause = clock.now(), self.patience.again
        try:
            while not self.closing:
                route = await self.way_to(keeper)
                if route is not None:
                    self.use(route, keeper)
                    return
                if clock.now() - began > self.patience.unavailable_after:
                    self.session.unreachable(keeper, self.where(keeper))
                    if keeper not in self.session.in_use():
                        return
                await asyncio.sleep(pause)
                pause = min(2 * pause, self.patience.again_max)
        finally:
            self.reaching.pop(keeper, None)

    def where(self, keeper: int) -> str:
        at = next((m.address for m in self.session.members if m.node == keeper), "")
        return f"node {keeper} at {at or self.seeds[0]}, which keeps it, cannot be reached"

    def use(self, route: Route, keeper: int) -> None:
        self.to[keeper] = route
        if not self.pulse:
            for frame in self.session.again(keeper):
                route.write(frame)

    async def way_to(self, keeper: int) -> Route | None:
        """Straight, or else round by another node."""
        for route in self.open:
            if route.node == keeper:
                return route
        for member in self.session.members:
            if member.node == keeper and member.address:
                straight = await self.connect(parsed(member.address))
                if straight is not None:
                    return straight
        for seed in self.seeds if not self.open else ():
            if await self.connect(seed) is not None:
                break
        for route in self.open:
            if route.node >= 0:
                if not self.pulse and route.node != keeper:
                    route.hello()  # a new attachment: what went another way is over
                return route
        return None

    async def connect(self, at: Address) -> Route | None:
        try:
            async with asyncio.timeout(self.patience.connect):
                route: Route
                if isinstance(at, str):
                    _, route = await self.loop.create_unix_connection(lambda: Route(self), at)
                else:
                    _, route = await self.loop.create_connection(
                        lambda: Route(self), *at, ssl=self.tls
                    )
                try:
                    await route.greeted
                except BaseException:
                    route.transport.abort()
                    raise
        except (OSError, TimeoutError) as e:
            self.why = str(e) or type(e).__name__
            return None
        return route

    # Hearing.

    def heard(self, route: Route, frame: Any) -> None:
        kind = type(frame)
        if kind is Welcome:
            session = self.session
            route.node = frame.node
            if not self.pulse:
                before = session.home
                session.knows(frame.members, frame.lease, frame.epoch)
                if before and before != session.home:
                    session.moved()
            session.renewed(frame.node, route.said_hello_at, frame.epoch)
            if route not in self.open:
                self.open.append(route)
            if not route.greeted.done():
                route.greeted.set_result(frame)
        elif kind is Renewed:
            at = self.sent_at.pop(frame.number, None)
            if at is not None:
                self.session.renewed(frame.keeper, at, frame.epoch)
        elif kind is Parting:
            route.parting = frame
            if frame.cause in ("forbidden", "wrong-version"):
                self.refused = Refused(frame.said)
            session = self.session
            if frame.cause == "wrong-key" and self.redraw is not None and not session.requests:
                session.number, session.key = self.redraw()  # somebody else has drawn the same
        else:
            self.session.receive(frame)

    def broke(self, route: Route) -> None:
        if route in self.open:
            self.open.remove(route)
        for keeper in [k for k, r in self.to.items() if r is route]:
            del self.to[keeper]
            if keeper in self.session.in_use() or self.session.asks(keeper):
                self.reach(keeper)

    # Beginning and end.

    async def begin(self) -> None:
        """Returns when some node has welcomed us."""
        deadline = clock.now() + self.patience.unavailable_after
        pause = self.patience.again
        while True:
            for seed in self.seeds:
                if (route := await self.connect(seed)) is not None:
                    self.to[route.node] = route
                    return
            if self.refused is not None:
                raise self.refused
            if clock.now() > deadline:
                tried = ", ".join(
                    [str(s) if isinstance(s, str) else f"{s[0]}:{s[1]}" for s in self.seeds]
                )
                raise Unavailable(
                    f"no node of the cluster answers at {tried}; is one running (grouplock serve)? "
                    f"The last one: {self.why}"
                )
            await asyncio.sleep(pause)
            pause = min(2 * pause, self.patience.again_max)

    async def end(self) -> None:
        """What was said reaches the nodes, where they still read."""
        self.closing = True
        for task in list(self.reaching.values()):
            task.cancel()
        for route in list(self.open):
            route.write(frames.Bye())
        waits = [route.closed for route in self.open]
        if waits:
            await asyncio.wait(waits, timeout=self.patience.connect)
        for route in list(self.open):
            route.transport.abort()


def parsed(at: str) -> Address:
    """`host:port`, `[v6]:port`, `unix:PATH`, or a host alone."""
    if at.startswith("unix:"):
        return at[len("unix:") :]
    host, colon, port = at.rpartition(":")
    if not colon or at.endswith("]"):
        return at.strip("[]"), DEFAULT_PORT
    if not port.isdecimal() or not 0 < int(port) < 1 << 16 or not host:
        raise Refused(f"'{at}' is no address: say HOST:PORT or unix:PATH")
    return host.strip("[]"), int(port)


DEFAULT_PORT: Final = 7400
