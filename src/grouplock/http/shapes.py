"""What is said over HTTP, as declarations: the parser, the printer and the description use these.

A fence is a string, as programs in JSON round large numbers.  Times are in seconds.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from grouplock.service.frames import GROUPS_LIMIT, NAME_LIMIT, SLOTS_LIMIT

LONGEST_WAIT_S: Final = 60.0  # of one request
SHORTEST_TTL_S: Final = 1.0

Name = Annotated[str, Meta(min_length=1, max_length=NAME_LIMIT)]
Groups = Annotated[
    list[Name],
    Meta(min_length=1, max_length=GROUPS_LIMIT, extra_json_schema={"uniqueItems": True}),
]
Ttl = Annotated[float, Meta(ge=SHORTEST_TTL_S, le=3600.0)]
Wait = Annotated[float, Meta(ge=0.0, le=LONGEST_WAIT_S)]
Seconds = Annotated[float, Meta(ge=0.0, le=1e9)]


class Wanted(Struct, frozen=True, forbid_unknown_fields=True):
    """A hold that somebody wants: of one of `groups`, for `ttl` seconds at a time."""

    lock: Name
    groups: Groups
    ttl: Ttl | None = None  # the node's lease, which is also the most
    wait: Wait = 0.0  # how long this request may take to be granted
    at_once: bool = False  # now or never, instead of a place in the queue
    slots: Annotated[int, Meta(ge=1, le=SLOTS_LIMIT)] | None = None
    policy: Literal["priority", "fifo"] | None = None
    linger: Seconds | None = None
    max_session: Seconds | None = None
    max_wait: Seconds | None = None


class Renewal(Struct, frozen=True, forbid_unknown_fields=True):
    ttl: Ttl | None = None  # as before


class Forced(Struct, frozen=True, forbid_unknown_fields=True):
    """An operator wants a hold, as /v1/locks names it, to end.  Its holder is told to leave, and
    has it until then, or until its ttl is over.  With `now` nobody waits for that."""

    lock: Name
    hold: Annotated[str, Meta(pattern="^[0-9]{1,20}$")]
    now: bool = False


class Standing(Struct, frozen=True):
    """Where a hold stands.  It is certain for `expires_in` seconds from this answer's writing:
    count from when the question was sent, plus `waited`, plus `expires_in`."""

    token: str  # who knows it renews the hold, and gives it back
    state: str  # waiting, held, recalled (held, and an operator wants it back), or over
    lock: str
    waited: float  # seconds that this question was kept waiting
    expires_in: float  # what waits ends so long after the last question
    groups: list[str]
    group: str | None = None
    slot: int | None = None
    fence: str | None = None
    cause: str | None = None  # why it is over


class Ended(Struct, frozen=True):
    lock: str
    hold: str
    now: bool  # it is over; otherwise its holder has been told


class Fault(Struct, frozen=True):
    """`cause` is for programs, the rest for people."""

    cause: str
    what: str  # happened
    now: str  # what holds now
    do: str  # what would help


class Failure(Struct, frozen=True):
    error: Fault


class Health(Struct, frozen=True):
    ok: bool
    node: str
    epoch: int
    error: Fault | UnsetType = UNSET


class Listed(Struct, frozen=True):
    """As `inspect()` and `grouplock show --json` have a lock."""

    lock: str
    node: int
    settings: dict[str, Any]
    sessions: list[dict[str, Any]]
    queue: list[dict[str, Any]]
    switches: int
