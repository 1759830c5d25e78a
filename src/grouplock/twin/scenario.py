"""A scenario: all that a run follows from, as data that can be cut down, printed and kept."""

from __future__ import annotations

import random
from typing import Final, NamedTuple

# What the nemesis can do.  `who` are places: nodes first, then clients.
CRASH: Final = "crash"  # kill -9; it is back after `lasts`
STOP: Final = "stop"  # a node ends in order, and is back after `lasts`
TORN: Final = "torn"  # as a crash, and the next start dies while it syncs its first record
PAUSE: Final = "pause"  # SIGSTOP, then SIGCONT
STALL: Final = "stall"  # a client's application keeps its loop busy; its pulse goes on
CUT: Final = "cut"  # nothing gets from `who` to `others`, nor back
ONE_WAY: Final = "one-way"  # nothing gets from `who` to `others`
BREAK: Final = "break"  # connections between the two break
SLOW: Final = "slow"  # frames from `who` to `others` take up to seconds longer
KINDS: Final = (CRASH, STOP, TORN, PAUSE, STALL, CUT, ONE_WAY, BREAK, SLOW)

BOUND: Final = 0.001  # clocks drift less than that, as the service relies on it
CALM_LEASES: Final = 12.0  # after the nemesis: so long until everything has to be answered


class Fault(NamedTuple):
    at: float
    kind: str
    who: tuple[int, ...]
    lasts: float = 0.0
    others: tuple[int, ...] = ()


class Scenario(NamedTuple):
    seed: int
    nodes: int = 3
    clients: int = 4
    tasks: int = 2  # of each client
    requests: int = 12  # of each task
    locks: int = 2
    slots: int = 1  # of the first lock; the others have one
    groups: int = 3
    lease: float = 2.0
    delay: float = 0.002
    drift: float = BOUND  # how far clocks may be off, as a share
    faults: tuple[Fault, ...] = ()

    @property
    def within_bound(self) -> bool:
        return self.drift <= BOUND

    @property
    def ends_at(self) -> float:
        """When the nemesis has stopped and everybody is back."""
        return max([f.at + f.lasts for f in self.faults], default=0.0)


def drawn(seed: int) -> Scenario:
    """Of each seed another mixture: some faults are off, some are wild."""
    chance = random.Random(f"scenario {seed}")
    bare = Scenario(
        seed,
        nodes=chance.choice((1, 2, 3, 3, 4)),
        clients=chance.choice((2, 3, 4, 5)),
        tasks=chance.choice((1, 2, 3)),
        requests=chance.choice((6, 12, 20)),
        locks=chance.choice((1, 2, 3)),
        slots=chance.choice((1, 1, 2, 3)),
        groups=chance.choice((2, 3, 4)),
        lease=chance.choice((1.0, 2.0, 10.0)),
        delay=chance.choice((0.0005, 0.002, 0.02, 0.1)),
        drift=chance.choice((BOUND, BOUND, BOUND, 0.2)),
    )
    kinds = [kind for kind in KINDS if chance.random() < 0.5] or [CRASH]
    count = chance.choice((2, 5, 10, 20))
    span = 6.0 * bare.lease
    nodes = list(range(bare.nodes))
    clients = list(range(bare.nodes, bare.nodes + bare.clients))
    # Misfortunes come together: half of them are about one client and one node, at one time.
    moment, few = (
        chance.uniform(0.0, span),
        Places([chance.choice(nodes)], [chance.choice(clients)]),
    )
    faults = []
    for _ in range(count):
        if chance.random() < 0.5:
            at = moment + chance.uniform(0.0, bare.lease)
            faults.append(fault(bare, chance, chance.choice(kinds), at, few))
        else:
            at, everybody = chance.uniform(0.0, span), Places(nodes, clients)
            faults.append(fault(bare, chance, chance.choice(kinds), at, everybody))
    return bare._replace(faults=tuple(sorted(faults)))


class Places(NamedTuple):
    nodes: list[int]
    clients: list[int]


def fault(bare: Scenario, chance: random.Random, kind: str, when: float, at: Places) -> Fault:
    when = round(when, 4)
    nodes, clients = at
    lasts = round(bare.lease * chance.choice((0.05, 0.3, 1.1, 2.5)) * chance.uniform(0.5, 1.5), 4)
    if kind in (STOP, TORN):
        return Fault(when, kind, (chance.choice(nodes),), lasts)
    if kind == STALL:
        return Fault(when, kind, (chance.choice(clients),), lasts)
    if kind in (CRASH, PAUSE):
        return Fault(when, kind, (chance.choice(chance.choice((nodes, clients))),), lasts)
    if kind in (BREAK, SLOW):
        one = chance.choice(nodes)
        other = chance.choice([place for place in nodes + clients if place != one])
        pair = (one, other) if chance.random() < 0.5 else (other, one)
        return Fault(when, kind, pair[:1], 0.0 if kind == BREAK else lasts, pair[1:])
    places = nodes + clients
    chance.shuffle(places)
    edge = chance.randrange(1, len(places))
    some, rest = sorted(places[:edge]), sorted(places[edge:])
    if len(rest) > 1 and chance.random() < 0.3:  # a bridge: one machine still reaches both sides
        rest = rest[1:]
    return Fault(when, kind, tuple(some), lasts, tuple(rest))
