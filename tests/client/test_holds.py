"""Holding and giving back, in one process and over TCP: the same names, the same answers."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import pytest

import grouplock
from grouplock.client.cluster import Cluster
from grouplock.client.node import Node
from tests.client.nodes import Cut, entries, run, until

Body = Callable[[Cluster, Node], Awaitable[None]]
FIRST: Final = 1 << 40 | 1


@contextlib.asynccontextmanager
async def in_process() -> AsyncIterator[tuple[Cluster, Node]]:
    async with grouplock.local() as node:
        yield node, node


@contextlib.asynccontextmanager
async def over_tcp() -> AsyncIterator[tuple[Cluster, Node]]:
    async with (
        grouplock.Node(listen="127.0.0.1:0") as node,
        grouplock.connect(node.address) as cluster,
    ):
        yield cluster, node


WAYS: Final = {"in process": in_process, "over TCP": over_tcp}


@pytest.fixture(params=list(WAYS))
def way(request: pytest.FixtureRequest) -> Callable[[Body], None]:
    def both(body: Body) -> None:
        async def main() -> None:
            async with WAYS[request.param]() as (cluster, node):
                await body(cluster, node)
                await until(lambda: entries(node) == 0)

        run(main())

    return both


def test_a_hold_has_group_slot_and_fence(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("gpus", slots=2)
        async with lock.hold("llama") as hold:
            assert (hold.group, hold.slot, hold.fence) == ("llama", 0, FIRST)
            hold.check()
            assert not hold.lost.is_set()
            other = await lock.try_hold(grouplock.any_of("qwen", "phi"))
            assert other is not None
            assert (other.group, other.slot) == ("qwen", 1)
            assert await lock.try_hold("gemma") is None
            other.release()
            other.release()
            with pytest.raises(grouplock.NotHeld):
                other.check()
        with pytest.raises(grouplock.NotHeld):
            hold.check()

    way(body)


def test_one_group_together_the_other_waits(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("bench")
        inside: list[str] = []
        most: dict[str, int] = {}

        async def job(group: str) -> None:
            async with lock.hold(group):
                inside.append(group)
                assert set(inside) == {group}
                most[group] = max(most.get(group, 0), len(inside))
                await asyncio.sleep(0)
                inside.remove(group)

        await asyncio.gather(*[job(group) for group in "aaabbb"])
        assert most == {"a": 3, "b": 3}

    way(body)


def test_a_timeout_withdraws_the_request(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("bench")

        async def other() -> None:
            async with lock.hold("b", timeout=0.01):
                raise AssertionError("it is not free")

        async with lock.hold("a"):
            with pytest.raises(grouplock.LockTimeout, match=r"'b' within 0\.01 s"):
                await asyncio.create_task(other())
            await until(lambda: entries(node) == 1)

    way(body)


def test_the_body_s_exception_is_what_comes_out(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("bench")

        async def job() -> None:
            async with lock.hold("a"):
                try:
                    await asyncio.Event().wait()
                except asyncio.CancelledError:
                    raise ZeroDivisionError from None

        async def watches() -> None:
            with pytest.raises(ZeroDivisionError):
                await job()
            await asyncio.sleep(0)  # and it is cancelled no longer

        task = asyncio.create_task(watches())
        await until(lambda: entries(node) == 1)
        await taken_away(cluster, "bench")
        await task

    way(body)


# Lost.


async def taken_away(cluster: Cluster, name: str) -> None:
    seen = await cluster.lock(name).inspect()
    assert seen is not None
    for session in seen["sessions"]:
        for holder in session["holders"]:
            assert await cluster.force(name, int(holder["hold"]))


def test_a_lost_hold_cancels_the_body_and_says_so(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("bench")
        held = asyncio.Event()
        ended: list[str] = []

        async def works() -> None:
            async with lock.hold("a"):
                held.set()
                try:
                    await asyncio.Event().wait()
                finally:
                    ended.append("body")

        async def job() -> None:
            with pytest.raises(grouplock.LockLost, match="an operator ended"):
                await works()
            await asyncio.sleep(0)  # it is cancelled no longer
            ended.append("job")

        task = asyncio.create_task(job())
        await held.wait()
        await taken_away(cluster, "bench")
        await task
        assert ended == ["body", "job"]

    way(body)


def test_a_body_that_ends_before_it_learns_of_the_loss(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("bench")

        async def works() -> None:
            async with lock.hold("a") as hold:
                await hold.lost.wait()  # set in the very step that cancels us

        async def job() -> None:
            with pytest.raises(grouplock.LockLost):
                await works()
            await asyncio.sleep(0)

        task = asyncio.create_task(job())
        await until(lambda: entries(node) == 1)
        await taken_away(cluster, "bench")
        await task
        assert task.cancelling() == 0

    way(body)


def test_a_loss_may_be_an_event_only(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("bench")
        async with lock.hold("a", on_lost="event") as hold:
            await taken_away(cluster, "bench")
            await hold.lost.wait()
            with pytest.raises(grouplock.LockLost):
                hold.check()

    way(body)


# Deadlocks and settings.


def test_a_task_does_not_wait_for_itself(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        async with cluster.lock("b").hold("x"):
            with pytest.raises(grouplock.WouldDeadlock, match="would wait for itself"):
                await cluster.lock("b").hold("y")
            with pytest.raises(grouplock.WouldDeadlock, match="give a timeout"):
                await cluster.lock("a").hold("x")
            async with cluster.lock("a").hold("x", timeout=5), cluster.lock("c").hold("x"):
                pass

    way(body)


def test_hold_all_or_nothing(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        async def job(wanted: dict[str, str]) -> None:
            for _ in range(10):
                async with cluster.hold_all(wanted) as holds:
                    assert {name: h.group for name, h in holds.items()} == wanted
                    await asyncio.sleep(0)

        await asyncio.gather(job({"a": "x", "b": "y"}), job({"b": "z", "a": "w"}))
        async with cluster.lock("b").hold("taken"):

            async def other() -> None:
                async with cluster.hold_all({"a": "x", "b": "y"}, timeout=0.01):
                    raise AssertionError("b is not free")

            with pytest.raises(grouplock.LockTimeout):
                await asyncio.create_task(other())
            await until(lambda: entries(node) == 1)

    way(body)


def test_another_setting_is_refused(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        lock = cluster.lock("gpus", slots=2)
        with pytest.raises(grouplock.ConfigMismatch, match="slots=2, not 3"):
            cluster.lock("gpus", slots=3)
        async with lock.hold("a"), node_client(node) as other:
            asking = other.lock("gpus", slots=3).hold("a")
            with pytest.raises(grouplock.ConfigMismatch, match="slots=2, not 3"):
                await asyncio.create_task(asking.__aenter__())

    @contextlib.asynccontextmanager
    async def node_client(node: Node) -> AsyncIterator[Cluster]:
        if node.config.listen:
            async with grouplock.connect(node.address) as other:
                yield other
        else:
            node.locks.clear()  # as if another program asked
            yield node

    way(body)


def test_sugar(way: Callable[[Body], None]) -> None:
    async def body(cluster: Cluster, node: Node) -> None:
        mutex = grouplock.Mutex(cluster, "m")
        fences = []
        for _ in range(2):
            async with mutex.hold() as hold:
                fences.append(hold.fence)
        assert fences == sorted(set(fences)), "each hold has a fence of its own"
        rw = grouplock.RWLock(cluster, "rw")

        async def writes() -> None:
            async with rw.write(timeout=0.01):
                raise AssertionError("somebody reads")

        async def reads() -> None:
            async with rw.read():
                pass

        async with rw.read():
            await asyncio.create_task(reads())
            with pytest.raises(grouplock.LockTimeout):
                await asyncio.create_task(writes())
        seats = grouplock.Semaphore(cluster, "seats", 2)
        async with seats.hold() as one:

            async def another() -> int:
                async with seats.hold() as two:
                    return two.slot

            assert await asyncio.create_task(another()) != one.slot

    way(body)


# Cancelled anywhere.


@pytest.mark.parametrize("name", list(WAYS))
def test_cancelled_at_every_suspension_nothing_is_left(name: str) -> None:
    async def story(cluster: Cluster, free: asyncio.Event) -> None:
        async with cluster.lock("a").hold("x"):
            await asyncio.sleep(0)
        async with cluster.hold_all({"a": "x", "taken": "mine"}, timeout=30) as holds:
            await asyncio.sleep(0)
            holds["a"].release()
        async with cluster.lock("taken").hold("mine"):
            await asyncio.sleep(0)

    async def main() -> int:
        for k in range(1, 100):
            async with WAYS[name]() as (cluster, node):
                free = asyncio.Event()
                cut = Cut(k)

                async def blocker(cluster: Cluster = cluster, free: asyncio.Event = free) -> None:
                    async with cluster.lock("taken").hold("theirs"):
                        await free.wait()

                async def cancelled(
                    cluster: Cluster = cluster, cut: Cut = cut, free: asyncio.Event = free
                ) -> None:
                    with contextlib.suppress(asyncio.CancelledError):
                        await cut.through(story(cluster, free))

                other = asyncio.create_task(blocker())
                await until(lambda node=node: entries(node) == 1)  # type: ignore[misc]
                job = asyncio.create_task(cancelled())
                for _ in range(5):
                    await asyncio.sleep(0)
                free.set()
                await asyncio.gather(other, job)
                await until(lambda node=node: entries(node) == 0)  # type: ignore[misc]
                assert not cluster.session.owners
                if cut.suspensions < k:
                    return k
        raise AssertionError("it goes on and on")

    assert run(main()) > 4


def test_many_threads_use_one_lock_of_a_node() -> None:
    """The node is a monitor: several loops in several threads, each a client over TCP."""

    async def main() -> None:
        async with grouplock.Node(listen="127.0.0.1:0") as node:
            inside: list[str] = []
            wrong: list[Any] = []

            def worker(group: str) -> None:
                async def work() -> None:
                    async with grouplock.connect(node.address) as cluster:
                        for _ in range(20):
                            async with cluster.lock("x").hold(group):
                                inside.append(group)
                                if set(inside) != {group}:
                                    wrong.append(list(inside))
                                await asyncio.sleep(0)
                                inside.remove(group)

                run(work())

            threads = [threading.Thread(target=worker, args=(g,)) for g in "aabb"]
            for thread in threads:
                thread.start()
            for thread in threads:
                await asyncio.to_thread(thread.join)
            assert wrong == []
            await until(lambda: entries(node) == 0)

    run(main())
