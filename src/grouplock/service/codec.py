"""Frames as bytes.  What cannot be read is the sender's fault: `BadBytes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import msgspec

from grouplock.service.frames import BetweenNodes, FromClient, ToClient


class BadBytes(ValueError):
    """No frame of ours."""


_from_client: Final = msgspec.msgpack.Decoder(FromClient)
_to_client: Final = msgspec.msgpack.Decoder(ToClient)
_between: Final = msgspec.msgpack.Decoder(BetweenNodes)

encode: Final[Callable[[Any], bytes]] = msgspec.msgpack.Encoder().encode


def from_client(body: bytes) -> Any:
    return _read(_from_client, body)


def to_client(body: bytes) -> Any:
    return _read(_to_client, body)


def between_nodes(body: bytes) -> Any:
    return _read(_between, body)


def _read(decoder: msgspec.msgpack.Decoder[Any], body: bytes) -> Any:
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
        raise BadBytes(f"a frame that cannot be read: {e}") from e
