"""A daemon: one node of the lock service, as a pure state machine, and what it may do.

The same shape as a site and its outbox, one level up: whoever hosts it (sockets, or virtual time)
hands in what happened and when, and carries out the deeds.  A connection is a number that the host
chose: below PEERS it is the link to that node, exactly once and in order across reconnects.
"""

from __future__ import annotations

from typing import Any, Final

from mypy_extensions import mypyc_attr

PEERS: Final = 1 << 16  # connections from this number on are clients'
NEAR: Final = 1 << 32  # from this one on they are of this machine, by a socket that is a file
LOCALS: Final = 1 << 48  # and from this one on they are in the daemon's own process

# What the end of a connection proves about the process behind it.
NOTHING: Final = 0  # it may live and still believe in its holds
GONE: Final = 1  # the process, and whatever inherited its end, is dead
RENEWED: Final = 2  # a new process speaks in its name: what the old one knew is forgotten


@mypyc_attr(allow_interpreted_subclasses=True)
class Deeds:
    """Effects of one step, in order.  A host's deeds override all of them."""

    def send(self, conn: int, frame: Any) -> None:
        raise NotImplementedError

    def hang_up(self, conn: int) -> None:
        """Close it, after what was sent."""
        raise NotImplementedError

    def persist(self, record: tuple[Any, ...]) -> None:
        """Answered by `on_persisted(record)` once it would survive a loss of power."""
        raise NotImplementedError

    def propose(self, view: Any) -> None:
        """To the registry, which answers by `on_registry`."""
        raise NotImplementedError

    def wake(self, at: float) -> None:
        """Call `on_tick` at this time or soon after; the earliest one asked for counts."""
        raise NotImplementedError


@mypyc_attr(allow_interpreted_subclasses=True)
class Daemon:
    """Time is an argument, in seconds on a clock that never stops and is never set."""

    def on_start(self, records: list[tuple[Any, ...]], now: float, out: Deeds) -> None:
        """The process is new; these are the records that it had persisted, oldest first."""
        raise NotImplementedError

    def on_open(self, conn: int, now: float, out: Deeds) -> None:
        raise NotImplementedError

    def on_frame(self, conn: int, frame: Any, now: float, out: Deeds) -> None:
        raise NotImplementedError

    def on_close(self, conn: int, proves: int, now: float, out: Deeds) -> None:
        raise NotImplementedError

    def on_registry(self, news: Any, now: float, out: Deeds) -> None:
        raise NotImplementedError

    def on_persisted(self, record: tuple[Any, ...], now: float, out: Deeds) -> None:
        raise NotImplementedError

    def on_tick(self, now: float, out: Deeds) -> None:
        raise NotImplementedError
