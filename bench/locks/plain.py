"""The floor: a group lock server without anything that one would want of it.

`python -m bench.locks.plain PORT`.  No leases, no fences, no second node, no limits; what a round
trip through a Python process costs, and so what ours can hope for.  A line `NAME GROUP RID` asks, a
line `RID` releases; a line `RID` answers a request when it is granted.  Who comes joins the group
inside if nobody waits; when all have left, everybody of the oldest request's group comes in.
"""

from __future__ import annotations

import asyncio
import sys
from typing import cast

import uvloop


class Lock:
    __slots__ = ("group", "inside", "queue")

    def __init__(self) -> None:
        self.inside = 0
        self.group = b""
        self.queue: list[tuple[bytes, bytes, Connection]] = []

    def ask(self, group: bytes, rid: bytes, who: Connection) -> None:
        if not self.inside or (group == self.group and not self.queue):
            self.group = group
            self.inside += 1
            who.grant(rid)
        else:
            self.queue.append((group, rid, who))

    def leave(self) -> None:
        self.inside -= 1
        if self.inside or not self.queue:
            return
        self.group = self.queue[0][0]
        waiting, self.queue = self.queue, []
        for group, rid, who in waiting:
            if group == self.group:
                self.inside += 1
                who.grant(rid)
            else:
                self.queue.append((group, rid, who))


class Connection(asyncio.Protocol):
    locks: dict[bytes, Lock] = {}  # noqa: RUF012 - the server's one table

    def __init__(self) -> None:
        self.rest = b""
        self.holds: dict[bytes, Lock] = {}
        self.transport: asyncio.Transport | None = None
        self.asked: dict[bytes, Lock] = {}

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)

    def grant(self, rid: bytes) -> None:
        assert self.transport is not None
        self.holds[rid] = self.asked.pop(rid)
        self.transport.write(rid + b"\n")

    def data_received(self, data: bytes) -> None:
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            words = line.split()
            if len(words) == 1:
                self.holds.pop(words[0]).leave()
                continue
            name, group, rid = words
            lock = self.locks.get(name)
            if lock is None:
                lock = self.locks[name] = Lock()
            self.asked[rid] = lock
            lock.ask(group, rid, self)


async def main(port: int) -> None:
    server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    uvloop.run(main(int(sys.argv[1])))
