"""Quorum systems: sizes, degrees, memberships, what a failure leaves."""

from __future__ import annotations

import random
from typing import Any

from grouplock.lab.runs import Values
from grouplock.quorums import GroupQuorums, QuorumSystem, Surficial, build
from grouplock.quorums.system import membership


def coterie(kind: str, n: int, **given: Any) -> QuorumSystem:
    system = build(kind, n, **given)
    assert isinstance(system, QuorumSystem)
    return system


def sizes(kind: str, n: int, **given: Any) -> Values:
    system = coterie(kind, n, **given)
    least, most = system.sizes()
    assigned = system.assignment()
    use = membership(n, assigned)
    mean = sum([len(quorum) for quorum in assigned]) / n
    return {"least": least, "most": most, "mean": mean, "membership": max(use)}


def surficial(n: int, groups: int) -> Values:
    system = Surficial(n, groups)
    return {"degree": system.d, "largest": system.sizes()[1]}


def at_random(n: int, turns: int, seed: int) -> Values:
    """Each site takes any row and column of a grid each time: who has ever asked whom."""
    side = round(n**0.5)
    rng = random.Random(seed)
    asked: list[list[bool]] = [[False] * n for _ in range(n)]
    for _ in range(turns):
        for site in range(n):
            row, column = rng.randrange(side), rng.randrange(side)
            for v in range(n):
                if v // side == row or v % side == column:
                    asked[v][site] = True
    return {"membership": max([sum(row) for row in asked])}


def both_in(kind: str, n: int) -> Values:
    """How likely a random site is in the quorum of another one."""
    assigned = coterie(kind, n).assignment()
    hits = sum([len([v for v in quorum if v != i]) for i, quorum in enumerate(assigned)])
    return {"p": hits / (n * (n - 1))}


def apart(n: int, groups: int) -> Values:
    """Pairs of quorums of group sets that do not meet."""
    system = build("group-sets", n, groups=groups)
    assert isinstance(system, GroupQuorums)
    quorums = [set(q) for family in system.families for q in family.each()]
    pairs = [(a, b) for i, a in enumerate(quorums) for b in quorums[i:]]
    return {"pairs": len(pairs), "apart": len([1 for a, b in pairs if not a & b])}


def without_one(kind: str, n: int, part: int) -> Values:
    """Section 6 of paper 002: whether those asked still have a quorum if one of them is down.

    With parts, all of each part that the quorum touches was asked, since any majority of it does.
    """
    system = coterie(kind, n)
    fewest = n
    for v, quorum in enumerate(system.assignment()):
        touched = {u // part for u in quorum}
        asked = [u for u in range(n) if u // part in touched] if part > 1 else list(quorum)
        left = 0
        for down in quorum:
            alive = [u for u in asked if u != down]
            left += system.pick(v, 0, alive, ()) is not None
        fewest = min(fewest, left)
    return {"survived": fewest}


def read_write(kind: str, n: int, k: int) -> Values:
    system = coterie(kind, n, k=k)
    assert system.reads is not None
    return {"write": system.sizes()[1], "read": system.reads.sizes()[1]}
