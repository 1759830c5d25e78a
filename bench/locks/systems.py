"""The list: which systems there are, what serves them, what their clients can do.

`family` is the column of the issue that a system counts for; `note` is what is not like for like.
"""

from __future__ import annotations

from importlib import import_module
from typing import Final, NamedTuple

from bench.locks.scenarios import PROCESSES, Scenario


class System(NamedTuple):
    name: str
    family: (
        str  # ours-here, ours, ours-fifo, redis-py, redis-raw, PostgreSQL, etcd, ZooKeeper, control
    )
    server: str  # a key of `servers.SERVERS`, or "" where there is none
    adapter: str  # module:class among the adapters
    note: str
    groups: bool = True  # whether it can do more than exclude everybody
    threads: bool = False
    processes: int = PROCESSES
    only: tuple[str, ...] = ()  # these scenarios alone

    def takes(self, scenario: Scenario) -> bool:
        if self.only:
            return scenario.name in self.only
        return self.groups or not scenario.groups

    def make(self) -> object:
        module, name = self.adapter.split(":")
        return getattr(import_module(f"bench.locks.adapters.{module}"), name)()


NO_LEASE: Final = "no lease, no fence; one server, in memory"
SYSTEMS: Final = {
    one.name: one
    for one in (
        System(
            "grouplock-here",
            "ours-here",
            "grouplock-here",
            "ours:Embedded",
            "three nodes, this process is one and the lock's home; leases and fences on",
            processes=1,
            only=("A1",),
        ),
        System(
            "grouplock",
            "ours",
            "grouplock",
            "ours:Remote",
            "three nodes, leases and fences on; one machine for all of them",
        ),
        System(
            "grouplock fifo",
            "ours-fifo",
            "grouplock",
            "ours:Fifo",
            "the same with policy=fifo: its proved bound is 2(m-1) sessions",
            only=("C2", "C8", "S2"),
        ),
        System(
            "plain",
            "control",
            "plain",
            "plain:Plain",
            "the floor: few lines on uvloop, no lease, no fence, one server",
        ),
        System(
            "redis-py lock",
            "redis-py",
            "redis",
            "redis_py:LockOfRedisPy",
            "a lease, no fence; polls every 2 ms, not fair; one server, in memory",
            False,
        ),
        System("redis-py blpop", "redis-py", "redis", "redis_py:Token", NO_LEASE, False),
        System("redis-py lua", "redis-py", "redis", "redis_py:Lua", NO_LEASE),
        System("redis-raw", "redis-raw", "redis", "redis_raw:Raw", NO_LEASE),
        System(
            "pg advisory",
            "PostgreSQL",
            "postgresql",
            "postgres:Advisory",
            "held by the connection, no fence; one server",
            False,
        ),
        System(
            "pg tables",
            "PostgreSQL",
            "postgresql",
            "postgres:Tables",
            "held by a transaction, no fence; one server",
        ),
        System(
            "etcd",
            "etcd",
            "etcd",
            "etcd:Keys",
            "one member; every step is synced to disk; aetcd's stubs on gRPC; lease, revision",
        ),
        System(
            "etcd lock",
            "etcd",
            "etcd",
            "etcd:LockService",
            "one member; synced to disk; etcd's own lock service over gRPC; lease",
            False,
        ),
        System(
            "kazoo",
            "ZooKeeper",
            "zookeeper",
            "zookeeper:Recipe",
            "one member; synced to disk; kazoo's recipe in threads; session",
            threads=True,
        ),
        System(
            "no lock", "control", "", "control:NoLock", "excludes nobody: the check must see it"
        ),
        System(
            "asyncio.Lock",
            "control",
            "",
            "control:AsyncioLock",
            "one process, no network",
            False,
            processes=1,
            only=("B5",),
        ),
    )
}
