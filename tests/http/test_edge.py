"""The edge in the test's own process: two nodes, short patience, and what it leaves behind."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any, Final

import pytest

from grouplock.client.config import BadConfig, loaded
from grouplock.client.node import Node, hosted, last_words
from grouplock.http import holds, server
from grouplock.http.server import spoken
from grouplock.net.daemon import Host
from grouplock.net.doors import Manners
from grouplock.net.errors import NetError
from grouplock.service.homes import shard_of
from grouplock.service.service import LockService
from tests.client.nodes import run, until
from tests.client.test_remote import free_ports

LEASE_S: Final = 1.0
SHORT: Final = Manners(hello_within_s=0.05)


class Here:
    """A node of this process that speaks HTTP."""

    def __init__(self, host: Host, spoken: server.Spoken) -> None:
        self.host: Final = host
        self.spoken: Final = spoken
        self.port: Final = spoken.port
        assert isinstance(host.daemon, LockService)
        self.daemon: Final = host.daemon

    def entries(self) -> int:
        return sum([len(lock.requests) for lock in self.daemon.keeper.locks.values()])

    def homed_at(self, node: int) -> str:
        return next(f"L{i}" for i in range(1000) if self.daemon.home[shard_of(f"L{i}")] == node)

    async def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        told = b"" if body is None else json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        said = await self.raw(f"{head}Content-Length: {len(told)}\r\n\r\n".encode() + told)
        status, _, rest = said.partition(b"\r\n")
        return int(status.split()[1]), json.loads(rest.partition(b"\r\n\r\n")[2])

    async def raw(self, said: bytes) -> bytes:
        """All that is answered until the connection is closed."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(said)
        heard = b""
        with contextlib.suppress(ConnectionResetError):
            heard = await reader.read()
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()
        return heard

    async def take(self, lock: str, group: str, **more: Any) -> tuple[int, Any]:
        return await self.ask("POST", "/v1/holds", {"lock": lock, "groups": [group], **more})


@contextlib.asynccontextmanager
async def here(faults: list[NetError], manners: Manners, **config: Any) -> AsyncIterator[Here]:
    plain = hosted(loaded(None, {}, {"lease": LEASE_S, **config}), faults.append)
    host = Host(plain.daemon, plain.codec, plain.place, plain.disk, faults.append, manners)
    await host.start()
    try:
        async with spoken(host, ("127.0.0.1", 0), None) as said:
            yield Here(host, said)
    finally:
        await host.stop(lambda: last_words(host))


@contextlib.asynccontextmanager
async def two() -> AsyncIterator[tuple[Here, Here]]:
    names = {n: f"127.0.0.1:{p}" for n, p in zip("ab", free_ports(2), strict=True)}
    faults: list[NetError] = []
    told = {"nodes": names, "secret": "s"}
    async with (
        here(faults, Manners(), name="a", listen=names["a"], **told) as a,
        here(faults, Manners(), name="b", listen=names["b"], **told) as b,
    ):
        await until(lambda: a.daemon.up.get(1, False) and b.daemon.up.get(0, False))
        yield a, b


def test_a_lock_of_another_node_is_held_for_longer_than_a_lease() -> None:
    async def main() -> None:
        async with two() as (a, b):
            name = a.homed_at(1)
            status, first = await a.take(name, "x", wait=20)
            assert (status, first["state"], b.entries()) == (201, "held", 1)
            _, waits = await b.take(name, "y")
            # The home renews nothing by itself: without the edge's beats this one ends too soon.
            ends = asyncio.get_running_loop().time() + 2.2 * LEASE_S
            while asyncio.get_running_loop().time() < ends:
                status, renewed = await a.ask("POST", f"/v1/holds/{first['token']}/renew")
                assert status == 200
                assert 0 < renewed["expires_in"] <= LEASE_S
                assert renewed["fence"] == first["fence"]
                status, waits = await b.ask("GET", f"/v1/holds/{waits['token']}?wait=0.1")
                assert (status, waits["state"]) == (200, "waiting")
            await a.ask("DELETE", f"/v1/holds/{first['token']}")
            _, second = await b.ask("GET", f"/v1/holds/{waits['token']}?wait=20")
            assert int(second["fence"]) > int(first["fence"])
            status, listed = await a.ask("GET", "/v1/locks")
            assert [lock["lock"] for lock in listed] == [name]
            hold = listed[0]["sessions"][0]["holders"][0]["hold"]
            assert (await b.ask("POST", "/v1/force", {"lock": name, "hold": hold, "now": True}))[
                0
            ] == 200
            _, ended = await b.ask("GET", f"/v1/holds/{second['token']}?wait=20&state=held")
            assert ended["error"]["cause"] == "forced"
            assert b.entries() == 0

    run(main())


def test_a_hold_at_another_node_ends_with_its_ttl() -> None:
    async def main() -> None:
        async with two() as (a, b):
            name = a.homed_at(1)
            _, first = await a.take(name, "x", wait=20)
            status, second = await b.take(name, "y", wait=20)
            assert (status, second["state"]) == (201, "held")
            status, ended = await a.ask("GET", f"/v1/holds/{first['token']}")
            assert (status, ended["error"]["cause"]) == (410, "expired")

    run(main())


def test_a_home_that_cannot_be_reached_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(holds, "PATIENCE_S", 0.05)

    async def main() -> None:
        ports = free_ports(2)
        names = {n: f"127.0.0.1:{p}" for n, p in zip("ab", ports, strict=True)}
        told = {"nodes": names, "secret": "s", "name": "a", "listen": names["a"]}
        async with here([], Manners(), **told) as alone:
            status, said = await alone.take(alone.homed_at(1), "x", wait=20)
            assert (status, said["error"]["cause"]) == (503, "unavailable")
            assert alone.homed_at(1) in said["error"]["what"]

    run(main())


def test_what_waits_is_withdrawn_when_the_node_goes_down_and_what_is_held_is_not() -> None:
    async def main() -> None:
        async with here([], Manners(), listen="127.0.0.1:0") as node:
            await node.take("x", "a")
            waits = asyncio.ensure_future(node.take("x", "b", wait=60))
            await until(lambda: node.entries() == 2)
        status, said = await waits
        assert (status, said["error"]["cause"]) == (503, "unavailable")
        assert node.entries() == 1
        assert node.spoken.promised

    run(main())


def test_with_nothing_held_the_node_ends_clean() -> None:
    async def main() -> None:
        async with here([], Manners(), listen="127.0.0.1:0") as node:
            _, taken = await node.take("x", "a")
            await node.ask("DELETE", f"/v1/holds/{taken['token']}")
        assert not node.spoken.promised
        assert last_words(node.host) is not None

    run(main())


def test_now_or_never_has_its_answer_from_another_node() -> None:
    async def main() -> None:
        async with two() as (a, b):
            name = a.homed_at(1)
            status, _ = await a.take(name, "x", at_once=True)
            assert status == 201
            status, said = await a.take(name, "y", at_once=True)
            assert (status, said["error"]["cause"]) == (409, "busy")
            assert b.entries() == 1

    run(main())


def test_who_does_not_read_is_sent_away() -> None:
    async def main() -> None:
        faults: list[NetError] = []
        async with here(faults, SHORT, listen="127.0.0.1:0") as node:
            _, writer = await asyncio.open_connection("127.0.0.1", node.port, limit=1)
            writer.transport.pause_reading()  # type: ignore[attr-defined]
            writer.write(b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 3000)
            await until(lambda: bool(faults))
            assert [fault.cause for fault in faults] == ["not-reading"]
            writer.transport.abort()
            assert (await node.ask("GET", "/healthz"))[0] == 200

    run(main())


def test_more_connections_than_there_may_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "CONNECTIONS", 2)

    async def main() -> None:
        faults: list[NetError] = []
        async with here(faults, Manners(), listen="127.0.0.1:0") as node:
            others = [await asyncio.open_connection("127.0.0.1", node.port) for _ in range(2)]
            assert await node.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n") == b""
            assert [fault.cause for fault in faults] == ["too-many-strangers"]
            for _, writer in others:
                writer.close()
                await writer.wait_closed()

    run(main())


def test_who_asks_slowly_or_not_at_all_is_sent_away() -> None:
    async def main() -> None:
        faults: list[NetError] = []
        async with here(faults, SHORT, listen="127.0.0.1:0") as node:
            assert await node.raw(b"") == b""
            assert await node.raw(b"GET /healthz HTTP/1.1\r\nHost:") == b""
            assert [fault.cause for fault in faults] == ["silent-stranger"]
            head = b"POST /v1/holds HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            said = await node.raw(head + b"Content-Length: 9\r\n\r\n{")
            assert said.startswith(b"HTTP/1.1 408 ")
            assert b'"too-slow"' in said
            assert (await node.ask("GET", "/healthz"))[0] == 200

    run(main())


def test_a_node_inside_an_application_speaks_none() -> None:
    with pytest.raises(BadConfig, match="only `grouplock serve` speaks it"):
        Node(http="127.0.0.1:0")  # type: ignore[call-arg]


def test_a_bug_of_ours_is_told_and_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a table that may be wrong")

    async def main() -> None:
        told: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(context))
        async with here([], Manners(), listen="127.0.0.1:0") as node:
            monkeypatch.setattr(holds.Holds, "take", broken)
            status, said = await node.take("secret-name", "a")
            assert (status, said["error"]["cause"]) == (500, "internal")
            assert "secret-name" not in str(said)
            assert [type(context["exception"]) for context in told] == [ZeroDivisionError]
            assert (await node.ask("GET", "/healthz"))[0] == 200

    run(main())
