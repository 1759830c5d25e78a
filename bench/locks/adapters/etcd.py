"""etcd over gRPC (aetcd's generated stubs, one channel for a process).

`Keys`: a key for each request, under the client's lease, ordered by the revision that made it.
Who finds no earlier key of another group is inside.  Putting the key and looking is one
transaction; who must wait learns of deletions from one watch for each lock and process.
`LockService`: etcd's own recipe, which runs in the server and excludes everybody.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Final

from aetcd import rpc
from grpc.aio import insecure_channel

LEASE_S: Final = 60  # longer than a run of rounds: nobody needs to renew


class Channel:
    async def open(self, where: str, clients: Sequence[int]) -> None:
        self.channel = insecure_channel(f"127.0.0.1:{where}")
        self.kv = rpc.KVStub(self.channel)
        self.leases = rpc.LeaseStub(self.channel)
        self.watches = rpc.WatchStub(self.channel)
        self.lease: dict[int, int] = {}
        self.beats: list[asyncio.Task[None]] = []
        for client in clients:
            granted = await self.leases.LeaseGrant(rpc.LeaseGrantRequest(TTL=LEASE_S))
            self.lease[client] = granted.ID
        self.beats.append(asyncio.create_task(self._renew()))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(LEASE_S / 3)
            wanted = [rpc.LeaseKeepAliveRequest(ID=one) for one in self.lease.values()]
            async for _ in self.leases.LeaseKeepAlive(iter(wanted)):
                pass

    async def close(self) -> None:
        for beat in self.beats:
            beat.cancel()
        await self.channel.close()


class Keys(Channel):
    def __init__(self) -> None:
        self.views: dict[str, View] = {}

    async def handle(self, client: int, lock: str, groups: int) -> KeyHandle:
        if lock not in self.views:
            self.views[lock] = View(lock)
            view = self.views[lock]
            self.beats.append(asyncio.create_task(view.follow(self.kv, self.watches)))
        await self.views[lock].ready.wait()
        return KeyHandle(self, self.views[lock], client, lock)


class View:
    """A lock's queue as this process knows it: exactly what it was at one revision."""

    def __init__(self, lock: str) -> None:
        self.prefix, self.end = f"{lock}/".encode(), f"{lock}0".encode()
        self.keys: dict[bytes, tuple[int, bytes]] = {}  # revision and group of each key
        self.waiting: dict[bytes, tuple[int, bytes, asyncio.Future[None]]] = {}
        self.revision = 0
        self.ready = asyncio.Event()

    async def follow(self, kv: Any, watches: Any) -> None:
        now = await kv.Range(rpc.RangeRequest(key=self.prefix, range_end=self.end))
        for pair in now.kvs:
            self.keys[pair.key] = (pair.mod_revision, pair.value)
        self.revision = now.header.revision
        ask = rpc.WatchCreateRequest(
            key=self.prefix, range_end=self.end, start_revision=self.revision + 1
        )
        stream = watches.Watch()
        await stream.write(rpc.WatchRequest(create_request=ask))
        async for answer in stream:
            self.ready.set()
            for event in answer.events:
                if event.type == 0:
                    self.keys[event.kv.key] = (event.kv.mod_revision, event.kv.value)
                else:
                    self.keys.pop(event.kv.key, None)
                self.revision = event.kv.mod_revision
            self.look()

    def look(self) -> None:
        """Whoever has no earlier key of another group before it goes in."""
        for key, (mine, name, granted) in list(self.waiting.items()):
            if mine > self.revision:
                continue  # what stands here is from before this request
            if not any(at < mine and group != name for at, group in self.keys.values()):
                del self.waiting[key]
                granted.set_result(None)


class KeyHandle:
    def __init__(self, owner: Keys, view: View, client: int, lock: str) -> None:
        self.kv, self.view, self.lease = owner.kv, view, owner.lease[client]
        self.key = f"{lock}/{client}".encode()
        self.range = rpc.RequestOp(
            request_range=rpc.RangeRequest(key=view.prefix, range_end=view.end)
        )
        self.delete = rpc.DeleteRangeRequest(key=self.key)

    async def enter(self, group: int) -> None:
        name = str(group).encode()
        put = rpc.PutRequest(key=self.key, value=name, lease=self.lease)
        done = await self.kv.Txn(
            rpc.TxnRequest(success=[rpc.RequestOp(request_put=put), self.range])
        )
        found = done.responses[1].response_range.kvs
        mine = done.header.revision
        if not any(pair.mod_revision < mine and pair.value != name for pair in found):
            return
        granted = asyncio.get_running_loop().create_future()
        self.view.waiting[self.key] = (mine, name, granted)
        self.view.look()
        await granted

    async def leave(self) -> None:
        await self.kv.DeleteRange(self.delete)


class LockService(Channel):
    async def open(self, where: str, clients: Sequence[int]) -> None:
        await super().open(where, clients)
        self.ask = self.channel.unary_unary("/v3lockpb.Lock/Lock")
        self.release = self.channel.unary_unary("/v3lockpb.Lock/Unlock")

    async def handle(self, client: int, lock: str, groups: int) -> ServiceHandle:
        return ServiceHandle(self, lock.encode(), self.lease[client])


class ServiceHandle:
    """Two messages of one and two fields, not worth a generated module."""

    def __init__(self, owner: LockService, lock: bytes, lease: int) -> None:
        self.ask, self.release = owner.ask, owner.release
        self.request = b"\x0a" + varint(len(lock)) + lock + b"\x10" + varint(lease)
        key = lock + b"/%x" % lease
        self.unlock = b"\x0a" + varint(len(key)) + key

    async def enter(self, group: int) -> None:
        await self.ask(self.request)

    async def leave(self) -> None:
        await self.release(self.unlock)


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))
