"""The same names without an event loop."""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import pytest

import grouplock.sync
from grouplock.client.node import Node
from tests.client.nodes import entries


def test_hold_try_and_inspect() -> None:
    with grouplock.sync.local() as cluster:
        gpus = cluster.lock("gpus", slots=2)
        with gpus.hold("llama") as hold:
            assert (hold.group, hold.slot, hold.fence) == ("llama", 0, 1 << 40 | 1)
            hold.check()
            other = gpus.try_hold("qwen")
            assert other is not None
            assert gpus.try_hold("phi") is None
            seen = gpus.inspect()
            assert seen is not None
            assert len(seen["sessions"]) == 2
            with other:
                pass
        with pytest.raises(grouplock.NotHeld):
            hold.check()
        assert isinstance(cluster.inner, Node)
        assert entries(cluster.inner) == 0


def test_threads_of_one_group_are_inside_together() -> None:
    with grouplock.sync.local() as cluster:
        lock = cluster.lock("bench")
        together = threading.Barrier(3, timeout=20)

        def job() -> None:
            with lock.hold("a"):
                together.wait()

        threads = [threading.Thread(target=job) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not together.broken


def test_setup_runs_on_the_caller_s_thread_once_a_session() -> None:
    with grouplock.sync.local() as cluster:
        calls: list[Any] = []

        def load(old: str | None, new: str) -> None:
            calls.append((old, new, threading.get_ident()))

        lock = cluster.lock("gpu")
        with lock.hold("a", setup=load), lock.try_hold("a", setup=load) or pytest.fail("not free"):
            pass
        with lock.hold("b", setup=load):
            pass
        me = threading.get_ident()
        assert calls == [(None, "a", me), ("a", "b", me)]


def test_a_loss_is_told_at_the_exit() -> None:
    def works(cluster: grouplock.sync.Cluster) -> None:
        with cluster.lock("x").hold("a") as hold:
            seen = cluster.lock("x").inspect()
            assert seen is not None
            cluster.force("x", int(seen["sessions"][0]["holders"][0]["hold"]))
            assert hold.lost.wait(20)
            with pytest.raises(grouplock.LockLost):
                hold.check()

    with grouplock.sync.local() as cluster, pytest.raises(grouplock.LockLost, match="operator"):
        works(cluster)


def test_hold_all_and_sugar() -> None:
    with grouplock.sync.local() as cluster:
        with cluster.hold_all({"b": "x", "a": "y"}, timeout=5) as holds:
            assert {name: hold.group for name, hold in holds.items()} == {"a": "y", "b": "x"}
        with grouplock.sync.Mutex(cluster, "m").hold(timeout=1):
            pass
        with grouplock.sync.RWLock(cluster, "rw").read(), pytest.raises(grouplock.WouldDeadlock):
            grouplock.sync.RWLock(cluster, "rw").write().__enter__()
        with grouplock.sync.Semaphore(cluster, "s", 2).hold() as hold:
            assert hold.slot == 0


def test_an_interrupt_while_waiting_leaves_nothing() -> None:
    with grouplock.sync.local() as cluster:
        lock = cluster.lock("x")
        assert isinstance(cluster.inner, Node)
        node = cluster.inner
        held, done = threading.Event(), threading.Event()

        def blocker() -> None:
            with lock.hold("theirs"):
                held.set()
                done.wait()

        def interrupts() -> None:
            while entries(node) < 2:
                done.wait(0.001)  # lets others have the table
            os.kill(os.getpid(), signal.SIGINT)

        threads = [threading.Thread(target=blocker), threading.Thread(target=interrupts)]
        threads[0].start()
        assert held.wait(20)
        threads[1].start()
        with pytest.raises(KeyboardInterrupt):
            lock.hold("mine").__enter__()
        assert entries(node) == 1
        done.set()
        for thread in threads:
            thread.join()
        assert entries(node) == 0
