"""Who behaves badly at a node's door costs a closed connection, and nobody else notices."""

from __future__ import annotations

import asyncio

from tests.client.nodes import run, until

import grouplock
from grouplock.client.node import Node
from grouplock.net.doors import NODE_MARK, Manners
from grouplock.service import codec
from grouplock.service.frames import VERSION, Hello, Look

HELLO = codec.encode(Hello(VERSION, 7, bytes(16), 1, False))


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


async def knock(node: Node, said: bytes) -> bytes:
    """All that is answered until the door is shut."""
    host, port = node.address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(said)
    try:
        answered = await reader.read()
    except ConnectionResetError:
        answered = b""
    writer.close()
    return answered


async def still_serves(node: Node) -> None:
    async with grouplock.connect(node.address) as cluster, cluster.lock("x").hold("a"):
        pass


def test_what_is_no_frame_closes_the_connection() -> None:
    async def main() -> None:
        async with Node(listen="127.0.0.1:0") as node:
            for said in (
                b"\xff" * 100,
                framed(b"\xc1"),
                framed(HELLO) + framed(b"\x91\x63"),
                framed(codec.encode(Look(1, 0))),
                NODE_MARK + b"\0" * 50,
            ):
                await knock(node, said)
            await still_serves(node)
            assert node.host is not None
            assert node.host.troubles.counts["oversized-frame"] == 1
            assert node.host.troubles.counts["bad-frame"] == 2
            await until(lambda: not node.host or not node.host.doors)

    run(main())


def test_a_silent_stranger_is_shown_out() -> None:
    async def main() -> None:
        node = Node(listen="127.0.0.1:0", manners=Manners(hello_within_s=0.05))
        async with node:
            assert await knock(node, b"") == b""
            await still_serves(node)

    run(main())


def test_beyond_the_limit_of_connections_the_rest_live_on() -> None:
    async def main() -> None:
        async with Node(listen="127.0.0.1:0", manners=Manners(connections=3)) as node:
            await still_serves(node)
            async with (
                grouplock.connect(node.address) as one,
                grouplock.connect(node.address),
                grouplock.connect(node.address),
            ):
                assert await knock(node, framed(HELLO)) == b""
                async with one.lock("x").hold("a"):
                    pass

    run(main())


def test_who_does_not_read_is_shown_out() -> None:
    async def main() -> None:
        manners = Manners(unread_limit=50_000)
        async with Node(listen="127.0.0.1:0", manners=manners) as node:
            host, port = node.address.split(":")
            async with node.lock("x").hold("g" * 200):
                _, writer = await asyncio.open_connection(host, int(port))
                writer.write(framed(HELLO))
                asks = framed(codec.encode(Look(1, 0, "x"))) * 100
                assert node.host is not None
                counts = node.host.troubles.counts
                while not counts.get("not-reading"):
                    writer.write(asks)
                    await asyncio.sleep(0)
                writer.transport.abort()
            await still_serves(node)

    run(main())


def test_a_frame_in_pieces_is_a_frame() -> None:
    async def main() -> None:
        async with Node(listen="127.0.0.1:0") as node:
            host, port = node.address.split(":")
            reader, writer = await asyncio.open_connection(host, int(port))
            for byte in framed(HELLO):
                writer.write(bytes([byte]))
                await asyncio.sleep(0)
            length = int.from_bytes(await reader.readexactly(4), "big")
            assert codec.to_client(await reader.readexactly(length)).node == 0
            writer.close()
            await writer.wait_closed()

    run(main())
