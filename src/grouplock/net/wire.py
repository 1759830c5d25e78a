"""What two sites say to each other, as msgpack arrays.  docs/network.md shows the bytes.

Greetings begin with a mark and the version, so that a stranger and an older version are told
apart from damage.  The secret never crosses the wire: each side proves that it knows it.
"""

from __future__ import annotations

import hashlib
import hmac
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from grouplock.net.errors import BadFrame, WrongVersion

MARK: Final = b"grouplock"
VERSION: Final = 1
GREETING_LIMIT: Final = 1024  # bytes that a stranger may send as one frame

Number = Annotated[int, Meta(ge=0, lt=1 << 62)]
Nonce = Annotated[bytes, Meta(min_length=16, max_length=16)]
Digest = Annotated[bytes, Meta(min_length=32, max_length=32)]
Word = Annotated[str, Meta(max_length=64)]


class Challenge(Struct, frozen=True, array_like=True, tag=0):
    """The first words of whoever was called."""

    nonce: Nonce


class Hello(Struct, frozen=True, array_like=True, tag=1):
    """Who speaks, in which run, and up to which number it has taken our messages."""

    run: Word
    site: Number
    n: Number
    table: Digest
    life: Number  # drawn anew by each process
    taken: Number
    nonce: Nonce
    proof: Digest
    of: Number = 0  # the life whose messages `taken` counts; 0: we have met none


class Refusal(Struct, frozen=True, array_like=True, tag=2):
    cause: Word
    said: Annotated[str, Meta(max_length=256)]


class Data(Struct, frozen=True, array_like=True, tag=3):
    number: Number
    taken: Number
    payload: bytes


class Ack(Struct, frozen=True, array_like=True, tag=4):
    taken: Number


_encode: Final = msgspec.msgpack.Encoder().encode
_greetings: Final = msgspec.msgpack.Decoder(Challenge | Hello | Refusal)
_talk: Final = msgspec.msgpack.Decoder(Data | Ack)

# What a decoder says of bytes that it cannot take.
UNDECODABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def greeting(said: Challenge | Hello | Refusal) -> bytes:
    return MARK + bytes([VERSION]) + _encode(said)


def read_greeting(body: bytes) -> Challenge | Hello | Refusal:
    if not body.startswith(MARK) or len(body) == len(MARK):
        raise BadFrame("a greeting that is not one of grouplock's")
    if body[len(MARK)] != VERSION:
        raise WrongVersion(f"the peer speaks version {body[len(MARK)]}, we speak {VERSION}")
    try:
        said: Challenge | Hello | Refusal = _greetings.decode(body[len(MARK) + 1 :])
    except UNDECODABLE as e:
        raise BadFrame(f"a greeting that cannot be read: {e}") from e
    return said


def talk(said: Data | Ack) -> bytes:
    return _encode(said)


def read_talk(body: bytes) -> Data | Ack:
    try:
        said: Data | Ack = _talk.decode(body)
    except UNDECODABLE as e:
        raise BadFrame(f"a frame that cannot be read: {e}") from e
    return said


def proof(secret: bytes, challenge: bytes, hello: Hello, calling: bool) -> bytes:
    """Shows knowledge of the secret; bound to the challenge, to all fields, to who called whom."""
    fields = _encode(
        (
            hello.run,
            hello.site,
            hello.n,
            hello.table,
            hello.life,
            hello.taken,
            hello.nonce,
            hello.of,
        )
    ) + _encode(calling)
    return hmac.digest(secret, challenge + fields, hashlib.sha256)
