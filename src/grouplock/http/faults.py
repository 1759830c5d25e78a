"""What can go wrong for whoever speaks HTTP: the status, and four things to say."""

from __future__ import annotations

from typing import Final

from grouplock.client.errors import GroupLockError, Unavailable
from grouplock.http.shapes import Failure, Fault
from grouplock.service import limits

NOTHING: Final = "nothing was changed"
NOT_TAKEN: Final = "the lock was not taken, and the request is not in its queue"
GIVEN_BACK: Final = "given-back"  # causes that are ours alone
NOT_ASKED: Final = "not-asked-for"  # nobody wanted to know for a whole ttl
RECALLED: Final = "recalled"
UNKNOWN_HOLD: Final = "unknown-hold"

# The node's causes: which status they are, and what would help.
STATUS: Final[dict[str, tuple[int, str]]] = {
    limits.BUSY: (409, "ask again later, or leave `at_once` out and wait in the queue"),
    limits.MISMATCH: (409, "use the settings that it is in use with, or leave them out"),
    limits.TOO_MANY: (429, "ask again when others have left, or spread the load over more nodes"),
    limits.BAD_NAME: (400, "give a lock and groups, each once, of up to 200 characters"),
    limits.UNSUPPORTED: (400, "leave out what is not supported"),
    limits.FORBIDDEN: (403, "use a token that allows it, or ask whoever runs the node for one"),
    limits.UNAVAILABLE: (503, "ask again; a node that comes back waits for one lease"),
}
ENDED: Final[dict[str, str]] = {
    limits.EXPIRED: "renew more often, or ask for a longer ttl",
    limits.FORCED: "ask whoever runs the locks, or take the lock anew",
    limits.FORGOTTEN: "take the lock anew",
    NOT_ASKED: "poll for it while you wait, more often than its ttl; ask anew",
    GIVEN_BACK: "take the lock anew",
}


class HttpFault(Exception):
    def __init__(self, status: int, cause: str, what: str, now: str, do: str) -> None:
        super().__init__(what)
        self.status: Final = status
        self.fault: Final = Fault(cause, what, now, do)

    @property
    def body(self) -> Failure:
        return Failure(self.fault)


def refused(cause: str, said: str) -> HttpFault:
    status, do = STATUS.get(cause, (400, "change the request"))
    return HttpFault(status, cause, said, NOT_TAKEN, do)


def over(cause: str, said: str, was_held: bool) -> HttpFault:
    now = "the hold has ended and others may be inside" if was_held else NOT_TAKEN
    return HttpFault(410, cause, said, now, ENDED.get(cause, "take the lock anew"))


def recalled(said: str, left: float) -> HttpFault:
    now = f"the hold is certain for {left:.3f} s more, and is not renewed"
    return HttpFault(409, RECALLED, said, now, "stop what you do with it, and give it back")


def unknown_hold() -> HttpFault:
    said = "no hold has this token: it never had, or it ended long ago, or it is another node's"
    do = "ask the node that gave the token; otherwise take the lock anew"
    return HttpFault(404, UNKNOWN_HOLD, said, "by this token nothing is held here", do)


def bad_request(said: str, do: str = "see /openapi.json for what can be said") -> HttpFault:
    return HttpFault(400, "bad-request", said, NOTHING, do)


def of_client(error: GroupLockError) -> HttpFault:
    """What the client's side of the node says to a question."""
    if isinstance(error, Unavailable):
        return HttpFault(
            503, limits.UNAVAILABLE, str(error), NOTHING, STATUS[limits.UNAVAILABLE][1]
        )
    return HttpFault(400, "refused", str(error), NOTHING, "change the request")
