"""The outbox: the only way in which an algorithm acts on the world.

A driver hands one in with every input and takes out what the step did.  An algorithm never sees
a clock, a random number, a socket or a log.
"""

from __future__ import annotations

from typing import Any

from mypy_extensions import mypyc_attr

from grouplock.protocol.groups import NO_SETUP
from grouplock.protocol.message import Message


@mypyc_attr(allow_interpreted_subclasses=True)
class Outbox:
    """Effects of one step.  A driver's outbox overrides all of them."""

    def send(self, dst: int, msg: Message) -> None:
        raise NotImplementedError

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        """One message to each of the sites, which are distinct and not the sender."""
        raise NotImplementedError

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = NO_SETUP
    ) -> None:
        """The request is inside.  `setup`: NO_SETUP, or the slot's old group, or UNKNOWN_GROUP."""
        raise NotImplementedError

    def withdrawn(self, rid: int) -> None:
        """The answer to `withdraw`: the request is gone and will never be granted."""
        raise NotImplementedError

    def lost(self, rid: int) -> None:
        """The answer to `expire` and `force`: the hold has ended without its holder."""
        raise NotImplementedError

    def ended(self, session: int) -> None:
        """A session is over: nobody of it is inside any more."""
        raise NotImplementedError

    def report(self, state: tuple[Any, ...]) -> None:
        """The answer to `on_report`: what a new view has to know of this site."""
        raise NotImplementedError

    def timer(self, tag: int, after: float) -> None:
        """Call `on_timer(tag)` after this long; arming again replaces."""
        raise NotImplementedError

    def cancel_timer(self, tag: int) -> None:
        raise NotImplementedError

    def persist(self, record: tuple[Any, ...]) -> None:
        """Answered by `persisted(record)` before what depends on it is sent."""
        raise NotImplementedError
