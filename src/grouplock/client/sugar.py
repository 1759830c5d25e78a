"""A mutex, a readers-writer lock and a semaphore: each a group lock, in a few lines."""

from __future__ import annotations

from itertools import count
from typing import Final

from grouplock.client.cluster import Cluster
from grouplock.client.locks import Hold

_numbers: Final = count(1)


def only_me(cluster: Cluster) -> str:
    """A group that nobody else will ever name: sessions of one hold, each with its own fence."""
    return f"only {cluster.session.number:x} {next(_numbers):x}"


class Mutex:
    """One at a time."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.lock = cluster, cluster.lock(name)

    def hold(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold(only_me(self.cluster), timeout=timeout)


class RWLock:
    """Readers together, or one writer; nobody starves."""

    def __init__(self, cluster: Cluster, name: str) -> None:
        self.cluster, self.lock = cluster, cluster.lock(name)

    def read(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold("read", timeout=timeout)

    def write(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold(only_me(self.cluster), timeout=timeout)


class Semaphore:
    """So many at once; `hold.slot` says which of them."""

    def __init__(self, cluster: Cluster, name: str, slots: int) -> None:
        self.cluster, self.lock = cluster, cluster.lock(name, slots=slots)

    def hold(self, *, timeout: float | None = None) -> Hold:
        return self.lock.hold(only_me(self.cluster), timeout=timeout)
