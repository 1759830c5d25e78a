"""What connections, leases and processes do to a hold."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

import grouplock
from grouplock.client.cluster import Remote
from grouplock.client.node import Node
from grouplock.client.routes import Patience
from grouplock.service.homes import shard_of
from tests.client.nodes import entries, run, until

SHORT: Final = 1.0  # the shortest lease
IMPATIENT: Final = Patience(unavailable_after=0.05, connect=0.5, again=0.001, again_max=0.01)


def broken(cluster: Remote) -> None:
    """Every connection ends, as if a cable were cut."""
    assert cluster.routes is not None
    for route in list(cluster.routes.open):
        route.transport.abort()


def test_a_broken_connection_is_made_anew_and_the_hold_goes_on() -> None:
    async def main() -> None:
        async with grouplock.Node(listen="127.0.0.1:0") as node:
            async with grouplock.connect(node.address) as cluster:
                async with cluster.lock("x").hold("a") as hold:
                    for _ in range(3):
                        broken(cluster)
                        await cluster.lock("x").inspect()
                        hold.check()
                        assert entries(node) == 1

                async def waits() -> int:
                    async with cluster.lock("x").hold("b") as other:
                        return other.fence

                async with cluster.lock("x").hold("a") as hold:
                    task = asyncio.create_task(waits())
                    await until(lambda: entries(node) == 2)
                    broken(cluster)
                    await cluster.lock("x").inspect()
                assert await task > hold.fence
            await until(lambda: entries(node) == 0)

    run(main())


def test_what_was_released_while_the_connection_was_broken_is_free() -> None:
    async def main() -> None:
        async with (
            grouplock.Node(listen="127.0.0.1:0") as node,
            grouplock.connect(node.address) as cluster,
        ):
            async with cluster.lock("x").hold("a"):
                broken(cluster)
            await until(lambda: entries(node) == 0)

    run(main())


def test_a_blocked_loop_does_not_lose_its_hold() -> None:
    """Renewal has a thread of its own: the application's loop stands still for two leases."""

    async def main() -> None:
        async with (
            grouplock.Node(listen="127.0.0.1:0", lease=SHORT) as node,
            grouplock.connect(node.address) as cluster,
            cluster.lock("x").hold("a") as hold,
        ):
            threading.Event().wait(2 * SHORT)
            hold.check()
            assert entries(node) == 1
            await asyncio.sleep(0)
            hold.check()

    run(main())


def test_who_is_not_renewed_is_told_before_the_lease_ends() -> None:
    async def main() -> None:
        async with (
            grouplock.Node(listen="127.0.0.1:0", lease=SHORT) as node,
            grouplock.connect(node.address, patience=IMPATIENT) as cluster,
        ):

            async def works() -> None:
                async with cluster.lock("x").hold("a"):
                    deaf(cluster)
                    await asyncio.Event().wait()

            with pytest.raises(grouplock.LockLost, match="not answered"):
                await works()
            assert entries(node) == 1, "the node still keeps it"
            await until(lambda: entries(node) == 0)

    def deaf(cluster: Remote) -> None:
        """Nobody can be reached any more."""
        assert cluster.pulse is not None
        broken(cluster)
        cluster.seeds[:] = [("127.0.0.1", 1)]

    run(main())


def test_no_node_is_unavailable_at_once_and_says_where_it_looked() -> None:
    async def main() -> None:
        with pytest.raises(grouplock.Unavailable, match=r"127\.0\.0\.1:1; is one running"):
            async with grouplock.connect("127.0.0.1:1", patience=IMPATIENT):
                pass

    run(main())


def test_a_node_that_goes_away_makes_waiters_unavailable() -> None:
    async def main() -> None:
        node = grouplock.Node(listen="127.0.0.1:0")
        async with node:
            cluster = grouplock.connect(node.address, patience=IMPATIENT)
            await cluster.__aenter__()
        with pytest.raises(grouplock.Unavailable, match="cannot be reached"):
            await cluster.lock("x").hold("a")
        await cluster.__aexit__(None, None, None)

    run(main())


# Several nodes.


def three(folder: Path, told: str = "") -> list[Node]:
    """`told`: where clients look for the third, which calls the other two itself."""
    at = [f"127.0.0.1:{port}" for port in free_ports(3)]
    nodes = {"a": at[0], "b": at[1], "c": told or at[2]}
    return [
        grouplock.Node(
            name=name, listen=listen, nodes=nodes, secret="s", data=folder / name, lease=SHORT
        )
        for name, listen in zip("abc", at, strict=True)
    ]


def free_ports(n: int) -> list[int]:
    import socket

    found = []
    sockets = [socket.socket() for _ in range(n)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
        found.append(s.getsockname()[1])
    for s in sockets:
        s.close()
    return found


def names_at(node: Node, home: int) -> Iterator[str]:
    return (f"L{i}" for i in range(10_000) if node.session.home[shard_of(f"L{i}")] == home)


def test_three_nodes_each_keeps_its_own(tmp_path: Path) -> None:
    async def main() -> None:
        a, b, c = three(tmp_path)
        async with a, b, c:
            async with grouplock.connect(a.address) as cluster:
                for home, keeper in enumerate((a, b, c)):
                    name = next(names_at(a, home))
                    async with cluster.lock(name).hold("x"):
                        assert entries(keeper) == 1
                        assert [seen["lock"] for seen in await cluster.inspect()] == [name]
            await until(lambda: entries(a, b, c) == 0)

    run(main())


def test_an_embedded_client_holds_what_another_node_keeps(tmp_path: Path) -> None:
    async def main() -> None:
        a, b, c = three(tmp_path)
        async with a, b, c:
            name = next(names_at(a, 2))
            async with a.lock(name).hold("x") as hold:
                assert entries(c) == 1
                threading.Event().wait(1.5 * SHORT)  # its thread renews
                hold.check()
                assert entries(c) == 1
            await until(lambda: entries(c) == 0)

    run(main())


def test_a_client_comes_back_through_another_node(tmp_path: Path) -> None:
    """The home itself cannot be reached from the client: other nodes relay, one after the other."""

    async def main() -> None:
        a, b, c = three(tmp_path, told="127.0.0.1:1")
        async with c, b:
            cluster = grouplock.connect(f"{a.config.listen},{b.config.listen}")
            async with a:
                await cluster.__aenter__()
                assert cluster.routes is not None
                name = next(names_at(a, 2))
                holding = cluster.lock(name).hold("x")
                hold = await holding.__aenter__()
                assert [r.node for r in cluster.routes.open] == [0]
                assert entries(c) == 1
            await cluster.lock(name).inspect()
            assert [r.node for r in cluster.routes.open] == [1]
            hold.check()
            assert entries(c) == 1
            await holding.__aexit__(None, None, None)
            await until(lambda: entries(c) == 0)
            await cluster.__aexit__(None, None, None)

    run(main())


# Processes.


def test_a_forked_child_does_not_own_its_parent_s_holds() -> None:
    async def main() -> None:
        async with (
            grouplock.Node(listen="127.0.0.1:0") as node,
            grouplock.connect(node.address) as cluster,
            cluster.lock("x").hold("a") as hold,
        ):
            child = os.fork()
            if not child:
                try:
                    hold.check()
                except grouplock.NotHeld:
                    hold.release()
                    for of_parent in (cluster, node):
                        with pytest.raises(grouplock.Unavailable, match="connect anew"):
                            asyncio.run(of_parent.lock("y").hold("a").__aenter__())
                    os._exit(17)
                finally:
                    os._exit(1)
            _, status = os.waitpid(child, 0)
            assert os.waitstatus_to_exitcode(status) == 17
            hold.check()
            assert entries(node) == 1

    run(main())


def test_a_restarted_node_s_fences_go_on(tmp_path: Path) -> None:
    async def main() -> None:
        fences = []
        for _ in range(3):
            node = grouplock.Node(data=tmp_path / "d")
            async with node, node.lock("x").hold("a") as hold:
                fences.append(hold.fence)
        assert fences == [epoch << 40 | 1 for epoch in (1, 2, 3)]

    run(main())


def test_two_nodes_do_not_share_a_folder(tmp_path: Path) -> None:
    async def main() -> None:
        async with grouplock.Node(data=tmp_path / "d"):
            with pytest.raises(Exception, match="another node uses this folder"):
                await grouplock.Node(data=tmp_path / "d").__aenter__()

    run(main())
