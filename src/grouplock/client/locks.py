"""Locks and holds, as an application sees them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator
from types import TracebackType
from typing import Any, Final, Literal, Protocol, final

from grouplock.client.errors import (
    GroupLockError,
    LockLost,
    LockTimeout,
    NotHeld,
    SetupFailed,
    WouldDeadlock,
)
from grouplock.client.groups import Wanted, named
from grouplock.client.session import ASKED, HELD, Request, Session
from grouplock.service import frames
from grouplock.service.frames import Settings

Setup = Callable[["str | None", str], "Awaitable[None] | None"]  # (old, new); None: not known
OnLost = Literal["cancel", "event"]


class Home(Protocol):
    """What a lock needs of its cluster."""

    @property
    def session(self) -> Session: ...
    async def look(self, keeper: int, name: str) -> Any: ...
    def keeper_of(self, name: str) -> int: ...


@final
class Lock:
    """A name with its settings; nothing is said to anybody before it is held."""

    __slots__ = ("__weakref__", "cluster", "name", "settings")

    def __init__(self, cluster: Home, name: str, settings: Settings) -> None:
        self.cluster: Final = cluster
        self.name: Final = name
        self.settings: Final = settings

    def hold(
        self,
        group: Wanted,
        *,
        timeout: float | None = None,
        setup: Setup | None = None,
        on_lost: OnLost = "cancel",
    ) -> Holding:
        """Inside the `async with` the group is held.

        `setup(old, new)` runs when a slot changes to this group and this request is its first
        entrant; `old` is None where nobody knows what the slot was set up for.
        """
        groups = (group,) if isinstance(group, str) else tuple(group)
        return Holding(self, groups, timeout, setup, on_lost)

    async def try_hold(
        self, group: Wanted, *, setup: Setup | None = None, on_lost: OnLost = "cancel"
    ) -> Hold | None:
        """A hold, if that is possible at once; give it back with `release`, or use `async with`."""
        holding = Holding(self, named(group), None, setup, on_lost, at_once=True)
        try:
            return await holding.__aenter__()
        except LockTimeout:
            return None

    async def inspect(self) -> dict[str, Any] | None:
        """Who is inside and who waits; None: the lock is not in use."""
        found = await self.cluster.look(self.cluster.keeper_of(self.name), self.name)
        return found[0] if found else None

    def __repr__(self) -> str:
        return f"<grouplock lock '{self.name}'>"


@final
class Hold:
    """What somebody has: a group, a slot, a fence, for as long as the lease goes on."""

    __slots__ = ("_event", "_request", "_session", "fence", "group", "slot")

    def __init__(self, session: Session, request: Request) -> None:
        self._session = session
        self._request = request
        self._event: asyncio.Event | None = None
        self.group: Final[str] = request.groups[request.place]
        self.slot: Final[int] = request.slot
        self.fence: Final[int] = request.fence

    @property
    def lost(self) -> asyncio.Event:
        """Set when the hold has ended before it was given back."""
        if self._event is None:
            self._event = asyncio.Event()
            if isinstance(self._request.error, LockLost):
                self._event.set()
        return self._event

    def check(self) -> None:
        """Raises where the hold is not certain at this very moment; it looks at the clock."""
        if self._session.believes(self._request):
            return
        if isinstance(self._request.error, LockLost):
            raise self._request.error
        if self._request.state != HELD:
            raise NotHeld(f"lock '{self._request.name}' was given back")
        raise LockLost(
            f"lock '{self._request.name}': the lease has run out; stop, and take the lock anew"
        )

    def release(self) -> None:
        """Gives it back; again does nothing."""
        self._session.leave(self._request)

    async def __aenter__(self) -> Hold:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.release()

    def __repr__(self) -> str:
        name = self._request.name
        return f"<hold of '{name}' group '{self.group}' slot {self.slot} fence {self.fence}>"


@final
class Holding:
    """The way in and the way out of one hold: `async with`, or `await` and `release`."""

    __slots__ = (
        "at_once",
        "groups",
        "hold",
        "lock",
        "on_lost",
        "owner",
        "request",
        "setup",
        "task",
        "timeout",
        "was_cancelled",
    )  # fmt: skip

    def __init__(
        self,
        lock: Lock,
        groups: tuple[str, ...],
        timeout: float | None,
        setup: Setup | None,
        on_lost: OnLost,
        at_once: bool = False,
        owner: object = None,
    ) -> None:
        self.lock = lock
        self.groups = groups
        self.timeout = timeout
        self.setup = setup
        self.on_lost = on_lost
        self.at_once = at_once
        self.owner = owner
        self.hold: Hold | None = None
        self.request: Request | None = None
        self.task: asyncio.Task[Any] | None = None
        self.was_cancelled = False

    def __await__(self) -> Generator[Any, None, Hold]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Hold:
        lock = self.lock
        session = lock.cluster.session
        task = asyncio.current_task()
        if self.request is not None:
            raise GroupLockError("a hold() is used once; call it anew for each `async with`")
        owner = self.owner if self.owner is not None else task
        inside = session.owners.get(owner)
        if inside is not None and not self.at_once:
            self.refuse_deadlock([held.name for held in inside])
        request = self.request = Request(
            lock.name, self.groups, lock.settings, self.setup is not None, self.at_once
        )
        session.ask(request)
        if request.state != HELD:
            try:
                await self.wait(session, request)
            except BaseException:
                session.leave(request)
                raise
        if request.switch:
            await self.set_up(session, request)
        session.own(request, owner)
        self.task = task
        hold = self.hold = Hold(session, request)
        request.on_end = self.lost
        return hold

    def refuse_deadlock(self, inside: list[str]) -> None:
        name = self.lock.name
        if name in inside:
            raise WouldDeadlock(
                f"this task holds lock '{name}' already and would wait for itself; "
                "pass the hold on instead"
            )
        if self.timeout is None and max(inside) > name:
            raise WouldDeadlock(
                f"it holds '{max(inside)}' and asks for '{name}', which comes before it; two "
                "tasks that do so in turn wait for ever; give a timeout, or use hold_all"
            )

    async def wait(self, session: Session, request: Request) -> None:
        if request.state == ASKED:
            loop = asyncio.get_running_loop()
            granted = loop.create_future()

            def wake() -> None:
                if not granted.done():
                    granted.set_result(None)

            request.wake = wake
            timer = None if self.timeout is None else loop.call_later(self.timeout, wake)
            try:
                await granted
            finally:
                request.wake = None
                if timer is not None:
                    timer.cancel()
        if request.error is not None:
            raise request.error
        if request.state == ASKED:
            groups = " or ".join([f"'{g}'" for g in request.groups])
            raise LockTimeout(
                f"lock '{request.name}' was not free for {groups} within {self.timeout:g} s; "
                "the request is withdrawn, nothing is held"
            )

    async def set_up(self, session: Session, request: Request) -> None:
        """Alone, before the others of the group come in."""
        assert self.setup is not None
        old = request.old if request.switch == frames.SWITCH else None
        try:
            doing = self.setup(old, request.groups[request.place])
            if doing is not None:
                await doing
        except BaseException:
            session.ready(request, False)
            raise
        session.ready(request, True)
        if request.error is not None:
            raise SetupFailed(f"lock '{request.name}' was lost during its setup") from request.error

    def lost(self, error: LockLost) -> None:
        hold = self.hold
        assert hold is not None
        if hold._event is not None:
            hold._event.set()
        if self.on_lost == "cancel" and self.task is not None:
            self.was_cancelled = True
            self.task.cancel()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        request = self.request
        assert request is not None
        session = self.lock.cluster.session
        request.on_end = None
        if request.state == HELD:
            session.leave(request)
        elif self.on_lost == "cancel" and request.error is not None:
            await self.tell_loss(request.error, fault)

    async def tell_loss(self, error: GroupLockError, fault: BaseException | None) -> None:
        """The loss replaces the cancellation that it caused, and no other exception."""
        if self.was_cancelled and self.task is not None:
            cancelled = isinstance(fault, asyncio.CancelledError)
            if not cancelled:  # the body ended first: the cancellation is still to come
                try:
                    await asyncio.sleep(0)
                except asyncio.CancelledError:
                    cancelled = fault is None
            others = self.task.uncancel()
            if cancelled and not others:
                raise error from None
        if fault is None:
            raise error
