"""Metrics in Prometheus' text: what the node counts anyway, read when somebody asks.

`lock_...` is about locks, `grouplock_...` about the node.  Only the busiest locks have lines of
their own: a node may keep a hundred thousand, and a monitor would choke on as many series.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from grouplock.net import clock
from grouplock.net.daemon import Host
from grouplock.service.rights import INSPECT, Rights
from grouplock.service.service import LockService
from grouplock.service.table import WAITING, Lock
from grouplock.service.tally import Histogram, Tally

if TYPE_CHECKING:
    from grouplock.http.holds import Holds

CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
SHOWN: Final = 100  # locks with lines of their own


class Metrics:
    def __init__(self, host: Host, daemon: LockService, holds: Holds) -> None:
        self.host: Final = host
        self.daemon: Final = daemon
        self.holds: Final = holds
        self.name: Final = next(m.name for m in daemon.plan.members if m.node == daemon.me)
        self.tally: Final = Tally()
        with host.mutex:
            daemon.keeper.tally = self.tally

    def text(self, rights: Rights | None) -> bytes:
        """Names only of locks that the one who asks may look at."""
        registry = CollectorRegistry(auto_describe=False)
        registry.register(Snapshot(self, rights))
        return generate_latest(registry)


class Snapshot(Collector):
    def __init__(self, metrics: Metrics, rights: Rights | None) -> None:
        self.metrics: Final = metrics
        self.rights: Final = rights

    def collect(self) -> Iterable[Metric]:
        with self.metrics.host.mutex:
            return [*self.of_locks(), *self.of_the_node()]

    def of_locks(self) -> list[Metric]:
        keeper, now = self.metrics.daemon.keeper, clock.now()
        waiting = GaugeMetricFamily(
            "lock_waiting", "Requests that wait; of the busiest locks, by lock.", labels=["lock"]
        )
        held = GaugeMetricFamily("lock_held", "Holds; of the busiest locks.", labels=["lock"])
        age = GaugeMetricFamily(
            "lock_queue_age_seconds", "Age of the oldest request that waits.", labels=["lock"]
        )
        used = [lock for lock in keeper.locks.values() if lock.requests]
        all_waiting = all_held = 0
        oldest = 0.0
        counts: dict[str, tuple[int, float]] = {}
        for lock in used:
            count, since = self.queue(lock, now)
            counts[lock.name] = count, since
            all_waiting += count
            all_held += len(lock.requests) - count
            oldest = max(oldest, since)
        may = self.rights
        seen = [lock for lock in used if may is None or may.allow(INSPECT, lock.name)]
        for lock in heapq.nlargest(SHOWN, seen, key=lambda lock: len(lock.requests)):
            count, since = counts[lock.name]
            waiting.add_metric([lock.name], count)
            held.add_metric([lock.name], len(lock.requests) - count)
            age.add_metric([lock.name], since)
        tally = self.metrics.tally
        return [
            waiting,
            held,
            age,
            histogram("lock_wait_seconds", "From request to grant.", tally.waits),
            histogram("lock_session_size", "Entries of a session that is over.", tally.sizes),
            counter("lock_switches", "Sessions that were opened.", tally.switches),
            counter("lock_grants", "Requests that were granted.", keeper.grants),
            counter("lock_losses", "Holds and requests that ended without them.", keeper.losses),
            gauge("grouplock_waiting", "Requests that wait, of all locks.", all_waiting),
            gauge("grouplock_held", "Holds, of all locks.", all_held),
            gauge("grouplock_queue_age_seconds", "Age of the oldest request of all.", oldest),
            gauge("grouplock_locks", "Locks that are kept, idle ones too.", len(keeper.locks)),
        ]

    def queue(self, lock: Lock, now: float) -> tuple[int, float]:
        ages = [now - r.since for r in lock.requests.values() if r.phase == WAITING]
        return len(ages), max(ages, default=0.0)

    def of_the_node(self) -> list[Metric]:
        metrics = self.metrics
        daemon, host = metrics.daemon, metrics.host
        frames = CounterMetricFamily(
            "grouplock_messages",
            "Frames of clients and other nodes, but for clients in the node's own process.",
            labels=["direction"],
        )
        frames.add_metric(["in"], host.frames_in)
        frames.add_metric(["out"], host.frames_out)
        faults = CounterMetricFamily("grouplock_faults", "What was refused.", labels=["cause"])
        for cause, count in sorted(host.troubles.counts.items()):
            faults.add_metric([cause], count)
        peers = GaugeMetricFamily("grouplock_peer_up", "Links to other nodes.", labels=["node"])
        for member in daemon.plan.members:
            if member.node != daemon.me:
                peers.add_metric([member.name], float(daemon.up.get(member.node, False)))
        return [
            frames,
            faults,
            peers,
            gauge("grouplock_epoch", "Of this node; a fence begins with it.", daemon.keeper.epoch),
            gauge("grouplock_clients", "Clients, wherever they are attached.", len(daemon.clients)),
            gauge("grouplock_connections", "Connections of clients.", len(host.doors)),
            gauge("grouplock_http_holds", "Holds and requests by HTTP.", len(metrics.holds.all)),
        ]


def gauge(name: str, about: str, value: float) -> Metric:
    return GaugeMetricFamily(name, about, value=value)


def counter(name: str, about: str, value: float) -> Metric:
    return CounterMetricFamily(name, about, value=value)


def histogram(name: str, about: str, counted: Histogram) -> Metric:
    so_far, buckets = 0, []
    for end, count in zip([*counted.ends, float("inf")], counted.counts, strict=True):
        so_far += count
        buckets.append(("+Inf" if end == float("inf") else f"{end:g}", float(so_far)))
    return HistogramMetricFamily(name, about, buckets=buckets, sum_value=counted.sum)
