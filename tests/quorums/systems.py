"""Which systems the tests try: every kind, for every n and k that it exists for."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from grouplock.quorums import KINDS, GroupQuorums, QuorumError, QuorumSystem, build
from grouplock.quorums.bits import Toss
from grouplock.quorums.catalog import GROUPS

ORDINARY = [kind.name for kind in KINDS.values() if kind.sort != GROUPS]
SLOTTED = [kind.name for kind in KINDS.values() if "k" in kind.takes]
MOST_K = 5


def every(kind: str, up_to: int, quorums: int = 10**9) -> Iterator[QuorumSystem]:
    """The systems of a kind with up to so many nodes, and at most so many quorums."""
    slots = range(1, MOST_K + 1) if kind in SLOTTED else [None]
    for n in range(1, up_to + 1):
        for k in slots:
            try:
                system = made(kind, n, **({} if k is None else {"k": k}))
            except QuorumError:
                continue
            if system.count() <= quorums:
                yield system


def made(kind: str, n: int, **arguments: object) -> QuorumSystem:
    system = build(kind, n, **arguments)
    assert isinstance(system, QuorumSystem)
    return system


def made_groups(kind: str, n: int, **arguments: object) -> GroupQuorums:
    system = build(kind, n, **arguments)
    assert isinstance(system, GroupQuorums)
    return system


def label(system: QuorumSystem) -> str:
    return f"{system.kind} n={system.n} k={system.k}"


def tosses(seed: int = 1) -> Toss:
    chance = np.random.default_rng(seed)
    return lambda bits: int.from_bytes(chance.bytes(-(-bits // 8))) >> (-bits % 8)
