"""An algorithm's messages as bytes, built from its table; and the table's digest.

What arrives is checked field by field (protocol/message.py); a frame's limit bounds what decoding
can allocate.
"""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from grouplock.net.errors import BadPayload
from grouplock.net.wire import UNDECODABLE
from grouplock.protocol.message import BadMessage, Message, Messages

_encode: Final = msgspec.msgpack.Encoder().encode
_decode: Final = msgspec.msgpack.Decoder().decode


class Codec:
    def __init__(self, messages: Messages, n: int) -> None:
        self.messages: Final = messages
        self.n: Final = n
        self.digest: Final = digest(messages)

    def encode(self, msg: Message) -> bytes:
        return _encode(self.messages.pack(msg))

    def decode(self, payload: bytes) -> Message:
        try:
            return self.messages.unpack(_decode(payload), self.n)
        except UNDECODABLE as e:
            raise BadPayload(f"a message that cannot be read: {e}") from e
        except BadMessage as e:
            raise BadPayload(str(e)) from e


def digest(messages: Messages) -> bytes:
    """Equal where two processes have the same messages, fields and types in the same order."""
    return hashlib.sha256(messages.text().encode()).digest()
