"""A connection that a guarded command inherits, so that the kernel tells when nobody is left.

While it is open anywhere, in the client or in what the client started, the node keeps the client's
leases going; when its last copy is closed, they end.  It works by a Unix socket alone: nobody else
can know that the other end is closed and not merely far away.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator
from typing import Final

from grouplock.client.errors import Unavailable
from grouplock.client.routes import PREFIX
from grouplock.client.session import Session
from grouplock.net.frames import Frames
from grouplock.service import codec
from grouplock.service.frames import VERSION, Hello, Parting, Renew, Welcome

ANSWER_S: Final = 5.0
FRAME_LIMIT: Final = 64 * 1024


@contextlib.contextmanager
def guard(session: Session, path: str, keeper: int, token: str) -> Iterator[int]:
    """The file descriptor to hand on; the node at `path` knows of it when this returns."""
    with socket.socket(socket.AF_UNIX) as line:
        line.settimeout(ANSWER_S)
        try:
            line.connect(path)
            _say(line, Hello(VERSION, session.number, session.key, 0, False, token, guard=True))
            _say(line, Renew(0, keeper))
            _hear(line)
        except (OSError, codec.BadBytes) as e:
            raise Unavailable(f"{path}: the node does not take a guard: {e}") from e
        line.setblocking(True)
        line.set_inheritable(True)
        yield line.fileno()


def _say(line: socket.socket, frame: object) -> None:
    body = codec.encode(frame)
    line.sendall(len(body).to_bytes(PREFIX, "big") + body)


def _hear(line: socket.socket) -> None:
    """Until the node knows whose guard it is; what was said after the hello it reads next."""
    frames = Frames(FRAME_LIMIT)
    while data := line.recv(4096):
        frames.feed(data)
        while (body := frames.take()) is not None:
            frame = codec.to_client(body)
            if isinstance(frame, Parting):
                raise ConnectionError(frame.said)
            if isinstance(frame, Welcome):
                return
    raise ConnectionError("it closed the connection")
