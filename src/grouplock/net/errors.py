"""What can go wrong between processes: one class for each cause.

Whoever meets one closes the connection and lives on; `Troubles` writes each cause down once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final


class NetError(Exception):
    """Somebody else's fault; `cause` is its name in reports."""

    cause: ClassVar[str] = "network"


class BadFrame(NetError):
    """Bytes that are no frame of ours."""

    cause = "bad-frame"


class OversizedFrame(NetError):
    """A frame longer than the limit; refused by its length, before anything is kept of it."""

    cause = "oversized-frame"


class BadPayload(NetError):
    """A frame of ours whose content is no message of this algorithm."""

    cause = "bad-message"


class WrongVersion(NetError):
    cause = "wrong-version"


class WrongRun(NetError):
    cause = "wrong-run"


class WrongSecret(NetError):
    cause = "wrong-secret"


class WrongTable(NetError):
    """The peer has another table of messages, or another number of sites."""

    cause = "wrong-table"


class UnknownPeer(NetError):
    cause = "unknown-peer"


class PeerRestarted(NetError):
    """A new process in an old one's name: it has lost the numbers, so nothing can be resumed."""

    cause = "peer-restarted"


class SilentStranger(NetError):
    cause = "silent-stranger"


class TooManyStrangers(NetError):
    cause = "too-many-strangers"


class BadNumber(NetError):
    """A gap in the numbers, or an acknowledgement of what was never sent."""

    cause = "bad-number"


class Flooded(NetError):
    """The peer sends more than the window that it was given."""

    cause = "flooded"


class WindowFull(NetError):
    """The peer takes nothing for so long that we would have to keep more than the window."""

    cause = "window-full"


class NotReading(NetError):
    cause = "not-reading"


class Refused(NetError):
    """The peer closed the connection and said why."""

    cause = "refused"


class Unreachable(NetError):
    cause = "unreachable"


class Troubles:
    """Counts by cause, and tells of each cause the first time."""

    def __init__(self, tell: Callable[[NetError], None]) -> None:
        self.tell: Final = tell
        self.counts: Final[dict[str, int]] = {}

    def note(self, error: NetError) -> None:
        seen = self.counts.get(error.cause, 0)
        self.counts[error.cause] = seen + 1
        if not seen:
            self.tell(error)
