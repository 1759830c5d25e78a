"""What the launcher and a site's process tell each other over the process's standard pipes.

Msgpack in the frames of `frames`; each end trusts the other.  Times are nanoseconds of the
machine's monotonic clock since the run's origin.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec import Struct

from grouplock.measure.workload import Workload

PIPE_FRAME_LIMIT: Final = 64 * 1024 * 1024

# Kinds of events.
ASKED: Final = 0
ENTERED: Final = 1
LEFT: Final = 2


class Event(Struct, frozen=True, array_like=True):
    """A client's: `groups` are those asked for, or the one entered with."""

    at: int
    kind: int
    client: int
    rid: int
    groups: tuple[int, ...] = ()
    slot: int = 0


# From the launcher.


class Setup(Struct, frozen=True, tag=True):
    site: int
    run: str
    secret: bytes
    workload: Workload
    clients: int
    trace: str  # a path, or nothing


class Ports(Struct, frozen=True, tag=True):
    """Where everybody listens."""

    ports: dict[int, int]


class Start(Struct, frozen=True, tag=True):
    """The clients begin; the run's time counts from here."""

    origin_ns: int


class Poll(Struct, frozen=True, tag=True):
    wave: int


class Stop(Struct, frozen=True, tag=True):
    pass


Order = Setup | Ports | Start | Poll | Stop


# From a site.


class Listening(Struct, frozen=True, tag=True):
    port: int


class Connected(Struct, frozen=True, tag=True):
    pass


class Batch(Struct, frozen=True, tag=True):
    """What happened here, complete up to `upto`."""

    upto: int
    events: list[Event]
    sent: int  # messages to others so far
    integers: int  # in them
    steps: int
    done: bool  # the clients have made all their requests


class Counts(Struct, frozen=True, tag=True):
    """The answer to a poll."""

    wave: int
    sent: int
    handled: int  # of the others' messages
    tokens: int


class Trouble(Struct, frozen=True, tag=True):
    """A fault of the network, told once per cause."""

    cause: str
    said: str


class Broken(Struct, frozen=True, tag=True):
    """The algorithm broke a promise before this site's eyes."""

    property: str
    reason: str


class Failed(Struct, frozen=True, tag=True):
    """The process cannot go on."""

    said: str


Report = Listening | Connected | Batch | Counts | Trouble | Broken | Failed

_encode: Final = msgspec.msgpack.Encoder().encode
read_order: Final = msgspec.msgpack.Decoder(Order).decode
read_report: Final = msgspec.msgpack.Decoder(Report).decode


def body(said: Order | Report) -> bytes:
    return _encode(said)
