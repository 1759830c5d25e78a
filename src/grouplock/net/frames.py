"""Frames: a length of four bytes, most significant first, then so many bytes.

A length beyond the limit is refused when the length is read, so that a peer makes us keep at
most one frame of the limit and what one read of the socket brought.
"""

from __future__ import annotations

from typing import Final

from grouplock.net.errors import OversizedFrame

PREFIX: Final = 4
FRAME_LIMIT: Final = 256 * 1024  # of the body; the largest token among 500 sites has 20 KB


def frame(body: bytes) -> bytes:
    return len(body).to_bytes(PREFIX, "big") + body


class Frames:
    """Cuts a stream of bytes into bodies."""

    def __init__(self, limit: int = FRAME_LIMIT) -> None:
        self.limit = limit
        self.kept: Final = bytearray()
        self.at = 0  # what lies before it in `kept` is done with

    def feed(self, data: bytes) -> None:
        del self.kept[: self.at]
        self.at = 0
        self.kept.extend(data)

    def take(self) -> bytes | None:
        """The next body, or None until more is fed."""
        begin = self.at + PREFIX
        if len(self.kept) < begin:
            return None
        size = int.from_bytes(self.kept[self.at : begin], "big")
        if size > self.limit:
            raise OversizedFrame(f"a frame of {size} bytes; at most {self.limit} are taken")
        end = begin + size
        if len(self.kept) < end:
            return None
        self.at = end
        return bytes(self.kept[begin:end])
