"""The same names for programs without an event loop: `with` instead of `async with`.

A cluster has a thread with a loop that does the talking; callers on any thread wait for it.  The
body of a hold cannot be cancelled here: a loss is told by `hold.lost`, `hold.check()` and at the
exit.
"""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import threading
import weakref
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypeVar, Unpack

from grouplock.client import cluster as clusters
from grouplock.client import node as nodes
from grouplock.client import sugar
from grouplock.client.errors import (
    ConfigMismatch,
    GroupLockError,
    LockLost,
    LockTimeout,
    NotHeld,
    Refused,
    RegistryRegressed,
    SetupFailed,
    Unavailable,
    WouldDeadlock,
)
from grouplock.client.groups import Wanted, any_of, named
from grouplock.client.locks import Hold as AsyncHold
from grouplock.client.locks import Lock as AsyncLock
from grouplock.client.locks import OnLost
from grouplock.client.routes import Patience
from grouplock.client.session import HELD
from grouplock.net import loops

__all__ = [
    "Cluster",
    "ConfigMismatch",
    "GroupLockError",
    "Hold",
    "Lock",
    "LockLost",
    "LockTimeout",
    "Mutex",
    "Node",
    "NotHeld",
    "RWLock",
    "Refused",
    "RegistryRegressed",
    "Semaphore",
    "SetupFailed",
    "Unavailable",
    "WouldDeadlock",
    "any_of",
    "connect",
    "local",
]

T = TypeVar("T")
Setup = Callable[["str | None", str], None] | Callable[["str | None", str, int], None]


class Portal:
    """A thread with a loop, and the way to have something done on it."""

    def __init__(self) -> None:
        self.loop: asyncio.AbstractEventLoop = None  # type: ignore[assignment]  # once it runs
        self.stop: asyncio.Event = None  # type: ignore[assignment]
        self.started: Final = threading.Event()
        self.thread: Final = threading.Thread(
            target=lambda: loops.run(self.stay()), name="grouplock-sync", daemon=True
        )
        self.thread.start()
        self.started.wait()

    async def stay(self) -> None:
        self.loop, self.stop = asyncio.get_running_loop(), asyncio.Event()
        self.started.set()
        await self.stop.wait()

    def run(self, what: Coroutine[Any, Any, T]) -> T:
        """Its result; an interrupt of the caller cancels it, and waits until that is done."""
        done = asyncio.run_coroutine_threadsafe(what, self.loop)
        try:
            return done.result()
        except BaseException:
            if not done.done():
                done.cancel()
                with contextlib.suppress(Exception):
                    self.do(lambda: None)
            raise

    def do(self, what: Callable[[], T]) -> T:
        async def doing() -> T:
            return what()

        return asyncio.run_coroutine_threadsafe(doing(), self.loop).result()

    def end(self) -> None:
        self.loop.call_soon_threadsafe(self.stop.set)
        self.thread.join()


class Inner(AsyncHold):
    """On the loop's thread; a loss does not cancel anybody."""

    __slots__ = ()

    def has_ended(self, error: LockLost) -> None:
        self.event.set()


class Hold:
    """What a thread wants, and has: `with` it.  `lost` is a `threading.Event`."""

    def __init__(self, cluster: Cluster, inner: Inner) -> None:
        self.cluster: Final = cluster
        self.inner: Final = inner
        self.lost: Final = threading.Event()
        inner.event = self.lost

    @property
    def group(self) -> str:
        return self.inner.group

    @property
    def slot(self) -> int:
        return self.inner.slot

    @property
    def fence(self) -> int:
        return self.inner.fence

    def check(self) -> None:
        """Raises where the hold is not certain at this very moment; it looks at the clock."""
        self.inner.check()

    def release(self) -> None:
        """Gives it back; again does nothing."""
        portal = self.cluster.portal
        if portal is not None:
            portal.do(self.inner.release)

    def __enter__(self) -> Hold:
        portal, inner = self.cluster.opened(), self.inner
        if inner.state == HELD:  # tried before
            return self
        try:
            portal.run(self.get_in(threading.get_ident()))
            if inner.switch:
                self.set_up(portal)
            portal.do(self.own)
        except BaseException:
            self.release()
            raise
        return self

    async def get_in(self, owner: int) -> None:
        self.owner = owner
        if not self.inner.session.enter(self.inner, owner):
            await self.inner.wait()

    def own(self) -> None:
        if self.inner.error is not None:
            self.lost.set()
        elif self.inner.owner is None:
            self.inner.session.own(self.inner, self.owner)

    def set_up(self, portal: Portal) -> None:
        """On the caller's thread; others of the group come in afterwards."""
        try:
            self.inner.call_setup()
        except BaseException:
            portal.do(lambda: self.inner.session.ready(self.inner, False))
            raise
        portal.do(self.inner.was_set_up)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
        error = self.inner.error
        if fault is None and isinstance(error, LockLost) and self.inner.on_lost == "cancel":
            raise error

    def __repr__(self) -> str:
        return repr(self.inner)


class Lock:
    """A name with its settings."""

    def __init__(self, cluster: Cluster, inner: AsyncLock) -> None:
        self.cluster: Final = cluster
        self.inner: Final = inner
        self.name: Final = inner.name

    def hold(
        self,
        group: Wanted,
        *,
        timeout: float | None = None,
        setup: Setup | None = None,
        on_lost: OnLost = "cancel",
    ) -> Hold:
        """As the asynchronous one; a loss raises `LockLost` at the exit, or, with
        `on_lost="event"`, sets `hold.lost` alone."""
        return self.wanted(group, timeout, setup, on_lost)

    def wanted(
        self,
        group: Wanted,
        timeout: float | None,
        setup: Setup | None,
        on_lost: OnLost,
        at_once: bool = False,
    ) -> Hold:
        inner = Inner(
            self.cluster.inner.session,
            self.name,
            named(group),
            self.inner.settings,
            timeout,
            setup,
            on_lost,
            at_once,
        )
        return Hold(self.cluster, inner)

    def try_hold(self, group: Wanted, *, setup: Setup | None = None) -> Hold | None:
        """A hold, if that is possible at once; give it back with `release`, or use `with`."""
        try:
            return self.wanted(group, None, setup, "event", at_once=True).__enter__()
        except LockTimeout:
            return None

    def inspect(self) -> dict[str, Any] | None:
        return self.cluster.opened().run(self.inner.inspect())


class Cluster:
    """Locks by name, for any number of threads."""

    def __init__(self, inner: clusters.Remote | nodes.Node) -> None:
        self.inner: Final = inner
        self.portal: Portal | None = None

    def opened(self) -> Portal:
        if self.portal is None:
            raise Unavailable("this cluster is not open: use it inside its `with`")
        return self.portal

    def lock(self, name: str, **settings: Unpack[clusters.Wishes]) -> Lock:
        """The lock of this name; the settings are those of the asynchronous one."""
        return Lock(self, self.inner.lock(name, **settings))

    @contextlib.contextmanager
    def hold_all(
        self, wanted: Mapping[str, Wanted], *, timeout: float | None = None
    ) -> Iterator[dict[str, Hold]]:
        """All or none of them, taken in the order of their names: nobody waits in a circle."""
        loop = self.opened().loop
        until = None if timeout is None else loop.time() + timeout
        with contextlib.ExitStack() as stack:
            holds = {}
            for name in sorted(wanted):
                left = None if until is None else max(0.0, until - loop.time())
                holding = self.lock(name).hold(wanted[name], timeout=left)
                holds[name] = stack.enter_context(holding)
            yield holds

    def inspect(self) -> list[dict[str, Any]]:
        return self.opened().run(self.inner.inspect())

    def force(self, name: str, hold: int) -> bool:
        return self.opened().run(self.inner.force(name, hold))

    def __enter__(self) -> Cluster:
        self.portal = portal = Portal()
        try:
            portal.run(self.inner.__aenter__())
        except BaseException:
            self.portal = None
            portal.end()
            raise
        _open.add(self)
        return self

    def __exit__(self, *_: object) -> None:
        """Gives back whatever is still held, and says good-bye."""
        portal, self.portal = self.portal, None
        _open.discard(self)
        if portal is not None:
            try:
                portal.run(self.inner.__aexit__(None, None, None))
            finally:
                portal.end()


class Node(Cluster):
    """A node in this process; see `grouplock.Node` for what it takes."""

    def __init__(self, **config: Unpack[nodes.Setup]) -> None:
        super().__init__(nodes.Node(**config))

    @property
    def address(self) -> str:
        assert isinstance(self.inner, nodes.Node)
        return self.inner.address


def connect(
    at: str,
    *,
    token: str = "",
    tls_ca: str | Path | None = None,
    patience: Patience | None = None,
) -> Cluster:
    """A cluster at these addresses, `HOST:PORT,HOST:PORT`; any node of it will do."""
    return Cluster(clusters.connect(at, token=token, tls_ca=tls_ca, patience=patience))


def local() -> Node:
    """A cluster of this process alone, without a network."""
    return Node()


class Mutex:
    """One at a time."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.lock = cluster, cluster.lock(name)

    def hold(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold(sugar.only_me(self.cluster.inner), timeout=timeout)


class RWLock:
    """Readers together, or one writer; nobody starves."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.lock = cluster, cluster.lock(name)

    def read(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold("read", timeout=timeout)

    def write(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold(sugar.only_me(self.cluster.inner), timeout=timeout)


class Semaphore:
    """So many at once; `hold.slot` says which of them."""

    def __init__(self, cluster: Cluster, name: str, slots: int) -> None:
        self.cluster, self.lock = cluster, cluster.lock(name, slots=slots)

    def hold(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold(sugar.only_me(self.cluster.inner), timeout=timeout)


_open: Final[weakref.WeakSet[Cluster]] = weakref.WeakSet()


@atexit.register
def _close() -> None:
    """However the program ends, short of a kill: what it holds is given back."""
    for cluster in list(_open):
        with contextlib.suppress(Exception):
            cluster.__exit__()
