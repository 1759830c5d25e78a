"""Locks and holds, as an application sees them."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Generator
from types import TracebackType
from typing import Any, Final, Literal, Protocol, final

from grouplock.client.errors import (
    GroupLockError,
    LockLost,
    LockTimeout,
    NotHeld,
    SetupFailed,
)
from grouplock.client.groups import Wanted, named
from grouplock.client.session import ASKED, HELD, Request, Session
from grouplock.service import frames
from grouplock.service.frames import Settings

# (old, new) or (old, new, slot); `old` is None where it is not known.
Setup = (
    Callable[["str | None", str], "Awaitable[None] | None"]
    | Callable[["str | None", str, int], "Awaitable[None] | None"]
)
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
    ) -> Hold:
        """Inside the `async with` the group is held.

        `setup(old, new)`, or `setup(old, new, slot)`, runs when a slot changes to this group and
        this request is its first entrant; `old` is None where nobody knows what the slot was set
        up for.
        """
        groups = (group,) if isinstance(group, str) else tuple(group)
        session = self.cluster.session
        return Hold(session, self.name, groups, self.settings, timeout, setup, on_lost)

    async def try_hold(
        self, group: Wanted, *, setup: Setup | None = None, on_lost: OnLost = "cancel"
    ) -> Hold | None:
        """A hold, if that is possible at once; give it back with `release`, or use `async with`."""
        session = self.cluster.session
        hold = Hold(session, self.name, named(group), self.settings, None, setup, on_lost, True)
        try:
            return await hold
        except LockTimeout:
            return None

    async def inspect(self) -> dict[str, Any] | None:
        """Who is inside and who waits; None: the lock is not in use."""
        found = await self.cluster.look(self.cluster.keeper_of(self.name), self.name)
        return found[0] if found else None

    def __repr__(self) -> str:
        return f"<grouplock lock '{self.name}'>"


class Hold(Request):
    """A group of a lock, wanted or had: `async with`, or `await` it and `release`.

    It has a group, a slot and a fence from when it is granted, for as long as its lease goes on.
    """

    __slots__ = ()

    # What is had.

    @property
    def group(self) -> str:
        self.refuse_unless_granted()
        return self.groups[self.place]

    @property
    def lost(self) -> asyncio.Event:
        """Set when the hold has ended before it was given back."""
        event: asyncio.Event | None = self.event
        if event is None:
            self.event = event = asyncio.Event()
            if isinstance(self.error, LockLost):
                event.set()
        return event

    def check(self) -> None:
        """Raises where the hold is not certain at this very moment; it looks at the clock."""
        if self.error is None and self.session.believes(self):
            return
        if self.error is not None:
            raise self.error
        self.refuse_unless_granted()
        if self.state != HELD:
            raise NotHeld(f"lock '{self.name}' was given back")
        raise LockLost(f"lock '{self.name}': the lease has run out; stop, and take it anew")

    def refuse_unless_granted(self) -> None:
        if not self.fence:
            raise NotHeld(f"lock '{self.name}' was not granted: nothing is held")

    @property
    def left(self) -> float:
        """Seconds for which it is certain, by the clock of this machine."""
        return self.session.left(self)

    def release(self) -> None:
        """Gives it back; again does nothing."""
        self.session.leave(self)

    def __repr__(self) -> str:
        if not self.fence:
            return f"<hold of '{self.name}', not granted>"
        return f"<hold of '{self.name}' group '{self.group}' slot {self.slot} fence {self.fence}>"

    # The way in.

    def __await__(self) -> Generator[Any, None, Hold]:
        return self.__aenter__().__await__()

    async def __aenter__(self) -> Hold:
        if self.state == HELD:  # awaited before, or tried
            return self
        self.task = task = asyncio.current_task()
        if not self.session.enter(self, task):
            await self.wait()
            if self.switch:
                await self.set_up()
            self.session.own(self, task)
        return self

    async def wait(self) -> None:
        """Until it is granted; however this is left otherwise, the request is withdrawn."""
        try:
            await self.granted()
        except BaseException:
            self.release()
            raise

    async def granted(self) -> None:
        if self.state == ASKED:
            loop = asyncio.get_running_loop()
            news = loop.create_future()

            def wake() -> None:
                if not news.done():
                    news.set_result(None)

            self.wake = wake
            timer = None if self.timeout is None else loop.call_later(self.timeout, wake)
            try:
                await news
            finally:
                self.wake = None
                if timer is not None:
                    timer.cancel()
        if self.error is not None:
            raise self.error
        if self.state == ASKED:
            groups = " or ".join([f"'{g}'" for g in self.groups])
            raise LockTimeout(
                f"lock '{self.name}' was not free for {groups} within {self.timeout:g} s; "
                "the request is withdrawn, nothing is held"
            )

    async def set_up(self) -> None:
        """Alone, before the others of the group come in."""
        try:
            doing = self.call_setup()
            if doing is not None:
                await doing
        except BaseException:
            self.session.ready(self, False)
            raise
        self.was_set_up()

    def call_setup(self) -> Any:
        """With the slot, where it takes one."""
        setup: Callable[..., Any] | None = self.run_setup
        assert setup is not None
        old = self.old if self.switch == frames.SWITCH else None
        takes = inspect.signature(setup).parameters.values()
        positional = [p for p in takes if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
        if len(positional) > 2 or any([p.kind is p.VAR_POSITIONAL for p in takes]):
            return setup(old, self.group, self.slot)
        return setup(old, self.group)

    def was_set_up(self) -> None:
        self.session.ready(self, True)
        if self.error is not None:
            raise SetupFailed(f"lock '{self.name}' was lost during its setup") from self.error

    # The way out.

    def has_ended(self, error: LockLost) -> None:
        if self.event is not None:
            self.event.set()
        if self.on_lost == "cancel" and self.task is not None:
            self.was_cancelled = True
            self.task.cancel()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.session.leaves(self) and self.error is None:
            return
        if self.on_lost == "cancel" and self.error is not None:
            await self.tell_loss(self.error, fault)

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
