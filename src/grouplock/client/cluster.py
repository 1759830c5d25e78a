"""A cluster as an application sees it, and the three ways to have one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import ssl
import weakref
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final, TypedDict, TypeVar

from grouplock.client import tls
from grouplock.client.errors import ConfigMismatch, GroupLockError, NotHeld, Refused, Unavailable
from grouplock.client.groups import Wanted
from grouplock.client.locks import Hold, Lock
from grouplock.client.pulse import Pulse
from grouplock.client.routes import Patience, Routes, parsed
from grouplock.client.session import OVER, Question, Session
from grouplock.net import clock
from grouplock.service.frames import KEY_SIZE, Force, Look, Settings

Self = TypeVar("Self", bound="Cluster")


class Wishes(TypedDict, total=False):
    """A lock's settings by name, as `Cluster.lock` takes them."""

    slots: int
    policy: str
    linger: float
    max_session: float
    max_wait: float


class Cluster:
    """Locks by name.  How frames reach the nodes is what the kinds of clusters differ in."""

    def __init__(self, patience: Patience) -> None:
        number, key = drawn()
        self.patience: Final = patience
        self.session: Final = Session(
            number,
            key,
            self.transmit,
            clock.now,
            _call_later,
            patience.unavailable_after,
        )
        self.locks: Final[weakref.WeakValueDictionary[str, Lock]] = weakref.WeakValueDictionary()
        self.asked = 0
        _alive.add(self)

    def transmit(self, keeper: int, frame: Any) -> None:
        raise NotImplementedError

    # Locks.

    def lock(
        self,
        name: str,
        *,
        slots: int | None = None,
        policy: str | None = None,
        linger: float | None = None,
        max_session: float | None = None,
        max_wait: float | None = None,
    ) -> Lock:
        """The lock of this name.  Its first use in the cluster decides what is left out here.

        `slots`: so many groups may be inside at once.  `policy`: which group is next, "priority"
        (many waiters and old ones first) or "fifo".  Seconds: `linger`, how long an empty session
        stays open to save a switch; `max_session`, how long newcomers may join one while others
        wait; `max_wait`, how old a request may grow before nobody joins ahead of it.
        """
        settings = Settings(slots, policy, linger, max_session, max_wait)
        known = self.locks.get(name)
        if known is not None:
            if known.settings == settings:
                return known
            for what in Settings.__struct_fields__:
                here, there = getattr(settings, what), getattr(known.settings, what)
                if here is not None and there is not None and here != there:
                    raise ConfigMismatch(
                        f"lock '{name}' is in use in this program with {what}={there}, not {here}"
                    )
        made = Lock(self, name, settings)
        self.locks[name] = made
        return made

    @contextlib.asynccontextmanager
    async def hold_all(
        self, wanted: Mapping[str, Wanted], *, timeout: float | None = None
    ) -> AsyncIterator[dict[str, Hold]]:
        """All or none of them, taken in the order of their names: nobody waits in a circle."""
        loop = asyncio.get_running_loop()
        until = None if timeout is None else loop.time() + timeout
        async with contextlib.AsyncExitStack() as stack:
            holds = {}
            for name in sorted(wanted):
                left = None if until is None else max(0.0, until - loop.time())
                holding = self.lock(name).hold(wanted[name], timeout=left)
                holds[name] = await stack.enter_async_context(holding)
            yield holds

    # Looking.

    def keeper_of(self, name: str) -> int:
        return self.session.keeper_of(name)

    async def look(self, keeper: int, name: str) -> Any:
        return await self.question(keeper, lambda ref: Look(ref, keeper, name))

    async def inspect(self) -> list[dict[str, Any]]:
        """Every lock in use, from every node."""
        found: list[dict[str, Any]] = []
        for keeper in sorted({m.node for m in self.session.members}):
            found += await self.look(keeper, "")
        return found

    async def force(self, name: str, hold: int) -> bool:
        """Ends a hold that `inspect` shows; False: there is none such."""
        keeper = self.keeper_of(name)
        return bool(await self.question(keeper, lambda ref: Force(ref, name, hold)))

    async def question(self, keeper: int, said: Any) -> Any:
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[Any] = loop.create_future()
        self.asked += 1
        ref = self.asked

        def answered(what: Any) -> None:
            if not answer.done():
                answer.set_result(what)

        question = Question(keeper, said(ref), answered)
        self.session.questions[ref] = question
        try:
            async with asyncio.timeout(QUESTION_S):
                self.transmit(keeper, question.frame)
                said_back = await answer
                if isinstance(said_back, GroupLockError):
                    raise said_back
                return said_back
        except TimeoutError as e:
            raise Unavailable(f"node {keeper} has not answered within {QUESTION_S:g} s") from e
        finally:
            self.session.questions.pop(ref, None)

    # The end of a process that is not ours.

    def forked(self) -> None:
        """A child has a copy of our memory and none of our holds."""
        for request in self.session.requests.values():
            request.error = NotHeld("this process is a child of the one that holds the lock")
            request.state = OVER
        self.session.requests.clear()
        self.session.say = None
        self.session.transmit = _of_a_fork


class Remote(Cluster):
    """A cluster of daemons, `grouplock serve`."""

    def __init__(
        self, at: str, token: str, patience: Patience, context: ssl.SSLContext | None
    ) -> None:
        super().__init__(patience)
        self.seeds: Final = [parsed(one.strip()) for one in at.split(",") if one.strip()]
        if not self.seeds:
            raise Refused("no address to connect to: say HOST:PORT")
        self.token: Final = token
        self.context: Final = context
        self.routes: Routes | None = None
        self.pulse: Pulse | None = None

    def transmit(self, keeper: int, frame: Any) -> None:
        if self.routes is None:
            raise Unavailable("this cluster is not open: use it inside its `async with`")
        self.routes.send(keeper, frame)

    async def __aenter__(self) -> Remote:
        loop = asyncio.get_running_loop()
        routes = Routes(self.session, self.seeds, self.token, self.patience, drawn, self.context)
        try:
            await routes.begin()
        except BaseException:
            await routes.end()
            raise
        self.routes = routes

        def lapsing(keeper: int) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended; so have its holds
                loop.call_soon_threadsafe(self.session.lapse, keeper)

        self.pulse = Pulse(
            self.session, self.seeds, self.token, self.patience, lapsing, self.context
        )
        self.pulse.begin()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Gives back whatever is still held, and says good-bye."""
        assert self.routes is not None
        assert self.pulse is not None
        self.session.end_all()
        try:
            await self.routes.end()
        finally:
            self.routes = None
            self.pulse.end()


def connect(
    at: str,
    *,
    token: str = "",
    tls_ca: str | Path | None = None,
    patience: Patience | None = None,
) -> Remote:
    """A cluster at these addresses, `HOST:PORT,HOST:PORT`; any node of it will do.

    `tls_ca`: nodes show a certificate that this authority, a PEM file, has signed.
    """
    context = None if tls_ca is None else tls.for_clients(tls_ca)
    return Remote(at, token, patience or Patience(), context)


QUESTION_S: Final = 10.0
CLIENTS: Final = 1 << 30


def drawn() -> tuple[int, bytes]:
    """A client's number, which nodes tell it by, and the key that shows that it is its own."""
    chance = os.urandom(4 + KEY_SIZE)
    return 1 + int.from_bytes(chance[:4], "big") % (CLIENTS - 1), chance[4:]


def _call_later(seconds: float, do: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(seconds, do)


def _of_a_fork(keeper: int, frame: Any) -> None:
    raise Unavailable("this process is a fork of the one that connected: connect anew in the child")


_alive: Final[weakref.WeakSet[Cluster]] = weakref.WeakSet()


def _after_fork() -> None:
    for cluster in list(_alive):
        cluster.forked()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
