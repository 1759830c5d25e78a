"""A node of the cluster inside the application's process, or by itself as a daemon."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypedDict, Unpack

from grouplock.catalog import BadOption, UnknownAlgorithm
from grouplock.client import tls
from grouplock.client.cluster import Cluster
from grouplock.client.config import BadConfig, Config, loaded
from grouplock.client.errors import Refused, Unavailable
from grouplock.client.routes import Patience, parsed
from grouplock.net import clock, loops
from grouplock.net.caller import Caller
from grouplock.net.daemon import MANNERS, Host, Place
from grouplock.net.disk import Disk, Memory
from grouplock.net.doors import Codec, Manners
from grouplock.net.errors import NetError
from grouplock.service import codec
from grouplock.service.algorithm import chosen
from grouplock.service.frames import VERSION, Hello, Renew, Renewed
from grouplock.service.homes import Member
from grouplock.service.limits import Limits
from grouplock.service.rights import Tokens
from grouplock.service.service import LockService, Plan

NO_MORE_THAN: Final = Limits()
CODEC: Final = Codec(codec.encode, codec.from_client, codec.between_nodes, codec.BadBytes)
PARTS: Final = 4  # renewals in a lease


def hosted(
    config: Config,
    tell: Callable[[NetError], None],
    limits: Limits = NO_MORE_THAN,
    manners: Manners = MANNERS,
) -> Host:
    """The daemon of this configuration, with its doors still closed."""
    names = list(config.nodes) or [config.name or "here"]
    me = names.index(config.name) if config.nodes else 0
    members = tuple([Member(i, n, config.nodes.get(n, "")) for i, n in enumerate(names)])
    try:
        make_site, supports = chosen(config.algorithm)
    except (BadOption, UnknownAlgorithm) as e:
        raise BadConfig(f"algorithm: {e}") from e
    tokens = Tokens(config.tokens) if config.tokens else None
    plan = Plan(me, members, make_site, supports, config.lease, limits, tokens)
    others: dict[int, tuple[str, int]] = {}
    for i, n in enumerate(names):
        if i != me:
            others[i] = listens_at(config.nodes[n])
    files = (config.tls_cert, config.tls_key, config.tls_ca)
    place = Place(
        me,
        len(names),
        listens_at(config.listen) if config.listen else None,
        Path(config.unix) if config.unix else None,
        others,
        secret=config.secret.encode(),
        shown=tls.for_doors(*files) if config.tls_cert else None,
        calls=tls.for_nodes(*files) if config.tls_cert and others else None,
    )
    disk = Disk(Path(config.data)) if config.data else Memory()
    return Host(LockService(plan), CODEC, place, disk, tell, manners)


def listens_at(at: str) -> tuple[str, int]:
    """As an address, but port 0 lets the kernel choose."""
    host, _, port = at.rpartition(":")
    if port == "0":
        return host.strip("[]"), 0
    try:
        found = parsed(at)
    except Refused as e:
        raise BadConfig(str(e)) from e
    if isinstance(found, str):
        raise BadConfig(f"'{at}' is no address for a node: say HOST:PORT")
    return found


class Setup(TypedDict, total=False):
    """What a `Node` is made with, by name; docs/service/nodes.md says what each means."""

    listen: str | None
    data: str | Path | None
    unix: str | Path | None
    name: str
    nodes: Mapping[str, str] | None
    secret: str
    lease: float
    algorithm: str
    tokens: Mapping[str, Mapping[str, str]]
    tls_cert: str
    tls_key: str
    tls_ca: str


class Node(Cluster):
    """Both a node and its own first client; what is homed here is held without a network.

    The node has a thread and a loop of its own, so that it serves and renews whatever the
    application's loop does.
    """

    def __init__(self, *, manners: Manners | None = None, **given: Unpack[Setup]) -> None:
        super().__init__(Patience())
        self.manners: Final = manners or Manners()
        told: dict[str, Any] = {key: value for key, value in given.items() if value is not None}
        for path in ("data", "unix"):
            told[path] = str(told.get(path, ""))
        self.config: Final = loaded(None, {}, {"listen": "", **told})
        if self.config.http:
            raise BadConfig("http: only `grouplock serve` speaks it, not a node in an application")
        self.host: Host | None = None
        self.caller: Caller | None = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.thread: threading.Thread | None = None
        self.stop: asyncio.Event | None = None
        self.renewals: Final[dict[int, float]] = {}

    @property
    def address(self) -> str:
        """Where it listens, once it does."""
        if self.host is None or self.host.place.listen is None:
            raise Unavailable("this node does not listen")
        return f"{self.host.place.listen[0]}:{self.host.port}"

    def transmit(self, keeper: int, frame: Any) -> None:
        if self.caller is None:
            raise Unavailable("this node is not open: use it inside its `async with`")
        for answer in self.caller.say(frame):
            self.session.receive(answer)

    def post(self, frame: Any) -> None:
        """What comes by itself, on whatever thread: on to the application's."""
        if type(frame) is Renewed:
            at = self.renewals.pop(frame.number, None)
            if at is not None:
                self.session.renewed(frame.keeper, at, frame.epoch)
        elif self.loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed, and nobody waits
                self.loop.call_soon_threadsafe(self.session.receive, frame)

    async def __aenter__(self) -> Node:
        self.loop = asyncio.get_running_loop()
        host = hosted(self.config, tell_on_stderr, manners=self.manners)
        ready: asyncio.Future[None] = self.loop.create_future()
        self.thread = threading.Thread(
            target=self.run, args=(host, self.loop, ready), name="grouplock-node", daemon=True
        )
        self.thread.start()
        try:
            await asyncio.shield(ready)
        except asyncio.CancelledError:
            ready.add_done_callback(lambda done: self.abandon(host, done))
            raise
        self.host = host
        self.caller = caller = host.open_local(self.post)
        session = self.session
        [welcome] = caller.say(Hello(VERSION, session.number, session.key, 1, False))
        session.knows(welcome.members, welcome.lease, welcome.epoch)
        session.here = welcome.node
        session.say = caller.say
        return self

    def abandon(self, host: Host, started: asyncio.Future[None]) -> None:
        """Nobody waits for it any more: its thread ends."""
        if started.exception() is not None:
            return
        assert host.loop is not None
        assert self.stop is not None
        host.loop.call_soon_threadsafe(self.stop.set)

    def run(
        self, host: Host, application: asyncio.AbstractEventLoop, ready: asyncio.Future[None]
    ) -> None:
        try:
            loops.run(self.serve(host, application, ready))
        except BaseException as e:
            fault = e
            if ready.done():
                raise

            def fail() -> None:
                ready.set_exception(fault)

            application.call_soon_threadsafe(fail)

    async def serve(
        self, host: Host, application: asyncio.AbstractEventLoop, ready: asyncio.Future[None]
    ) -> None:
        self.stop = asyncio.Event()
        await host.start()
        application.call_soon_threadsafe(ready.set_result, None)
        stopping = asyncio.ensure_future(self.stop.wait())
        while not stopping.done():
            await asyncio.wait([stopping], timeout=self.session.next_beat(PARTS))
            if self.caller is not None and not stopping.done():
                self.beat(self.caller)
        await host.stop(lambda: last_words(host))

    def beat(self, caller: Caller) -> None:
        """Renews what other nodes keep for us."""
        for keeper in self.session.in_use():
            number = len(self.renewals) + 1 + int(clock.now() * 1000)
            self.renewals[number] = clock.now()
            caller.say(Renew(number, keeper))
            if self.session.about_to_lapse(keeper) and self.loop is not None:
                with contextlib.suppress(RuntimeError):
                    self.loop.call_soon_threadsafe(self.session.lapse, keeper)
        while len(self.renewals) > 64:
            self.renewals.pop(next(iter(self.renewals)))

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        host, thread, caller = self.host, self.thread, self.caller
        assert caller is not None
        assert host is not None
        assert thread is not None
        assert host.loop is not None
        assert self.stop is not None
        self.session.end_all()
        self.session.say = None
        self.host = self.caller = None
        host.close_local(caller)
        host.loop.call_soon_threadsafe(self.stop.set)
        await asyncio.get_running_loop().run_in_executor(None, thread.join)


def local() -> Node:
    """A cluster of this process alone, without a network: for tests, and to begin with."""
    return Node()


def last_words(host: Host) -> tuple[Any, ...] | None:
    daemon = host.daemon
    assert isinstance(daemon, LockService)
    return daemon.ends_clean()


def tell_on_stderr(fault: NetError) -> None:
    sys.stderr.write(f"grouplock: {fault.cause}: {fault}\n")
