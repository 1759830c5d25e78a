"""A site: one participant of an algorithm, as a pure state machine.

These are all the inputs that a driver can give.  An algorithm overrides those that it supports
and says so in the catalog; a driver refuses the others, so that the defaults here, which fail,
are never reached by a user.
"""

from __future__ import annotations

from typing import Any, Final, Generic, TypeVar

from mypy_extensions import mypyc_attr

from grouplock.protocol.groups import Groups
from grouplock.protocol.message import Message
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.view import View

State = TypeVar("State")


@mypyc_attr(allow_interpreted_subclasses=True)
class Site(Generic[State]):
    """`State` is the typed tuple through which the whole site is saved and loaded."""

    def __init__(self, me: int, peers: list[int]) -> None:
        self.me: Final = me
        self.peers: Final = peers  # the others, in ascending order, where it needs to know them

    # What every algorithm does.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        """A client wants in.  Ids grow per client; `groups` are all acceptable."""
        raise NotImplementedError(self._missing("request"))

    def release(self, rid: int, out: Outbox) -> None:
        """The client leaves."""
        raise NotImplementedError(self._missing("release"))

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        raise NotImplementedError(self._missing("on_message"))

    def save(self) -> State:
        """The whole state as one tuple of numbers and tuples: equal states, equal tuples."""
        raise NotImplementedError(self._missing("save"))

    def load(self, state: State) -> None:
        raise NotImplementedError(self._missing("load"))

    def tokens(self) -> int:
        """How many of the algorithm's unique token this site holds: 0 or 1."""
        return 0

    def passed(self) -> int:
        """By how many sessions, at most, any request was passed that waits in a queue here."""
        return 0

    # What some algorithms do.

    def withdraw(self, rid: int, out: Outbox) -> None:
        """Answered by exactly one `withdrawn`; after a grant it counts as a release."""
        raise NotImplementedError(self._missing("withdraw"))

    def setup_done(self, session: int, ok: bool, out: Outbox) -> None:
        """The first entrant has switched the slot to its group; not ok ends its request."""
        raise NotImplementedError(self._missing("setup_done"))

    def on_timer(self, tag: int, out: Outbox) -> None:
        raise NotImplementedError(self._missing("on_timer"))

    def on_crash(self, peer: int, out: Outbox) -> None:
        """The papers' perfect detector: the peer has crashed and is known to have."""
        raise NotImplementedError(self._missing("on_crash"))

    def on_report(self, epoch: int, out: Outbox) -> None:
        """A new view is being made: promise to do nothing older, and `report`."""
        raise NotImplementedError(self._missing("on_report"))

    def on_view(self, view: View, out: Outbox) -> None:
        raise NotImplementedError(self._missing("on_view"))

    def expire(self, rid: int, out: Outbox) -> None:
        """The hold's lease has run out; answered by `lost`."""
        raise NotImplementedError(self._missing("expire"))

    def force(self, rid: int, out: Outbox) -> None:
        """An operator ends the hold; answered by `lost`."""
        raise NotImplementedError(self._missing("force"))

    def persisted(self, record: tuple[Any, ...], out: Outbox) -> None:
        raise NotImplementedError(self._missing("persisted"))

    def on_restart(self, records: list[tuple[Any, ...]], out: Outbox) -> None:
        """The site's process is new; these are the records it had persisted, oldest first."""
        raise NotImplementedError(self._missing("on_restart"))

    def _missing(self, what: str) -> str:
        return f"{type(self).__name__} has no {what}: the catalog should have refused it"
