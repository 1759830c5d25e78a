"""What clients and nodes say to each other: declarations for the wire, and nothing else.

Each frame is a msgpack array that begins with its kind.  Ranges are checked where bytes become
frames; whoever gets one may rely on them.  `seq` is a client's own number of a request, growing.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from msgspec import Meta, Struct

VERSION: Final = 1
KEY_SIZE: Final = 16
NAME_LIMIT: Final = 200  # characters of a lock's or a group's name
GROUPS_LIMIT: Final = 64  # of one request
SLOTS_LIMIT: Final = 1024

ClientId = Annotated[int, Meta(ge=1, lt=1 << 30)]
Seq = Annotated[int, Meta(ge=1, lt=1 << 32)]
Number = Annotated[int, Meta(ge=0, lt=1 << 62)]
Node = Annotated[int, Meta(ge=0, lt=1 << 16)]
Key = Annotated[bytes, Meta(min_length=KEY_SIZE, max_length=KEY_SIZE)]
Name = Annotated[str, Meta(min_length=1, max_length=4096)]  # the exact limit is a named error
Said = Annotated[str, Meta(max_length=4096)]
Seconds = Annotated[float, Meta(ge=0.0, le=1e9)]


class Settings(Struct, frozen=True, array_like=True):
    """A lock's settings; None: whatever the others say."""

    slots: Annotated[int, Meta(ge=1, le=SLOTS_LIMIT)] | None = None
    policy: str | None = None
    linger: Seconds | None = None
    max_session: Seconds | None = None
    max_wait: Seconds | None = None


# A client to a node.


class Hello(Struct, frozen=True, array_like=True, tag=0):
    """The first frame.  A higher `attachment` of the same client takes the lower one's place."""

    version: Number
    client: ClientId
    key: Key
    attachment: Number
    pulse: bool  # a second connection, for renewals alone
    token: Said = ""
    guard: bool = False  # a third, which the guarded command inherits: while it is open, all live


class Ask(Struct, frozen=True, array_like=True, tag=1):
    seq: Seq
    name: Name
    groups: tuple[Name, ...]
    settings: Settings
    setup: bool = False  # the client will set a slot up when told to
    at_once: bool = False  # now or never


class Leave(Struct, frozen=True, array_like=True, tag=2):
    """Gives a hold back, or a request; answered by `Gone`, again and again if need be."""

    seq: Seq
    name: Name


class Keep(Struct, frozen=True, array_like=True, tag=3):
    """After a reconnect: I hold this; answered by `Granted` or `Lost`."""

    seq: Seq
    name: Name


class Ready(Struct, frozen=True, array_like=True, tag=4):
    seq: Seq
    name: Name
    ok: bool


class Renew(Struct, frozen=True, array_like=True, tag=5):
    """To the node `keeper`, which keeps locks that this client is in."""

    number: Number
    keeper: Node


class Look(Struct, frozen=True, array_like=True, tag=6):
    """At one lock, or, where the name is empty, at all that the node `keeper` keeps."""

    ref: Number
    keeper: Node
    name: Said = ""


class Force(Struct, frozen=True, array_like=True, tag=7):
    """An operator wants a hold to end.  `now`: without waiting for its holder to be out."""

    ref: Number
    name: Name
    hold: Number
    now: bool = False


class Bye(Struct, frozen=True, array_like=True, tag=8):
    """Nothing of this client is alive any more."""


# A node to a client.


class Welcome(Struct, frozen=True, array_like=True, tag=32):
    node: Node
    lease: Seconds
    epoch: Number
    members: tuple[tuple[int, str, str], ...]  # (node, its name, where it listens)


class Granted(Struct, frozen=True, array_like=True, tag=33):
    """`place` is the group's in the request.  `old`: "" none or unknown; see `setup`."""

    seq: Seq
    place: Number
    slot: Number
    fence: Number
    setup: Number = 0  # NO_SETUP, SWITCH (from `old`) or UNKNOWN
    old: Said = ""


NO_SETUP: Final = 0
SWITCH: Final = 1
UNKNOWN: Final = 2


class Gone(Struct, frozen=True, array_like=True, tag=34):
    seq: Seq


class Lost(Struct, frozen=True, array_like=True, tag=35):
    seq: Seq
    cause: Said
    said: Said


class Refused(Struct, frozen=True, array_like=True, tag=36):
    """The request certainly was not granted and never will be."""

    seq: Seq
    cause: Said
    said: Said


class Renewed(Struct, frozen=True, array_like=True, tag=37):
    """`epoch` is the keeper's: what it granted in an older one is not renewed by this."""

    number: Number
    keeper: Node
    lease: Seconds
    epoch: Number


class Seen(Struct, frozen=True, array_like=True, tag=38):
    ref: Number
    what: Any


class Unseen(Struct, frozen=True, array_like=True, tag=40):
    """The question will not be answered."""

    ref: Number
    cause: Said
    said: Said


class Parting(Struct, frozen=True, array_like=True, tag=39):
    """The node will not talk to this client, and why; the connection is closed."""

    cause: Said
    said: Said


class Recall(Struct, frozen=True, array_like=True, tag=41):
    """Give this hold back as soon as you can; it is yours until you do, or your lease ends."""

    seq: Seq
    said: Said


# A node to a node.


class Relay(Struct, frozen=True, array_like=True, tag=64):
    """A client's frame, for the node that keeps its lock."""

    client: ClientId
    key: Key
    attachment: Number
    pulse: bool
    frame: Hello | Ask | Leave | Keep | Ready | Renew | Look | Force | Bye


class Back(Struct, frozen=True, array_like=True, tag=65):
    """The answer, for the client that is attached to you."""

    client: ClientId
    attachment: Number
    pulse: bool
    frame: Granted | Gone | Lost | Refused | Renewed | Seen | Parting | Recall


FromClient = Hello | Ask | Leave | Keep | Ready | Renew | Look | Force | Bye
# What is answered over a link goes back the way it came.
ToClient = Welcome | Granted | Gone | Lost | Refused | Renewed | Seen | Unseen | Parting | Recall
BetweenNodes = Relay | Back
