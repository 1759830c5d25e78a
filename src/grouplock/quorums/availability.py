"""Availability: how likely it is that some quorum is alive when nodes are down independently.

What may live here: exact for few nodes, from the table of all 2^n scenarios; beyond that a sample
of scenarios from the given tosses. And what the same table says besides: domination, which for
k-coteries takes a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import sqrt
from typing import NamedTuple, Protocol

from grouplock.quorums import validate
from grouplock.quorums.bits import Toss, at_least, coins, truth_table
from grouplock.quorums.listed import minimal
from grouplock.quorums.system import Family, QuorumSystem

EXACT_UP_TO = 20  # nodes
SCENARIOS = 4096
K_EXACT_UP_TO = 10  # nodes, for domination of k-coteries
K_LISTED = 128  # quorums of one


class Surviving(Protocol):
    n: int

    def survivors(self, alive: Sequence[int]) -> int: ...


class Availability(NamedTuple):
    value: dict[float, float]  # by the probability that a node is down
    exact: bool

    @property
    def how(self) -> str:
        return "exact" if self.exact else f"sampled, {SCENARIOS} scenarios"

    def margin(self, down: float) -> float:
        """Half of a 95% interval about a sampled value; three in a sample where all agreed."""
        a = self.value[down]
        if self.exact:
            return 0.0
        return 1.96 * sqrt(a * (1 - a) / SCENARIOS) if 0 < a < 1 else 3 / SCENARIOS


def availability(system: Surviving, downs: Sequence[float], toss: Toss) -> Availability:
    if system.n <= EXACT_UP_TO:
        profile = alive_profile(system)
        return Availability({p: _mixed(profile, p) for p in downs}, exact=True)
    scenarios = coins(system.n, [1 - p for p in downs], SCENARIOS, toss)
    up = [system.survivors(alive).bit_count() / SCENARIOS for alive in scenarios]
    return Availability(dict(zip(downs, up, strict=True)), exact=False)


def alive_profile(system: Surviving) -> list[int]:
    """Of the sets of i nodes, for each i from 0 to n, how many contain a quorum."""
    table = truth_table(system.n)
    up = system.survivors(table)
    more = [up, *[up & at_least(i, table) for i in range(1, system.n + 1)], 0]
    return [(more[i] & ~more[i + 1]).bit_count() for i in range(system.n + 1)]


def is_dominated(system: QuorumSystem) -> bool | None:
    """Whether another system of its sort is available whenever it is, and more often; None where
    the table would be too large, or the question means nothing.
    Of a set and its complement at most one contains a quorum of a coterie, and in a non-dominated
    one exactly one does: half of all sets. Of a bicoterie, at most one of these: the set contains
    a write quorum, the complement a read quorum."""
    match system.family:
        case Family.COTERIE if system.n <= EXACT_UP_TO:
            return sum(alive_profile(system)) < 1 << (system.n - 1)
        case Family.BICOTERIE if system.reads is not None and system.n <= EXACT_UP_TO:
            both = sum(alive_profile(system)) + sum(alive_profile(system.reads))
            return both < 1 << system.n
        case Family.K_COTERIE:
            return _k_dominated(system)
        case _:
            return None


def _k_dominated(system: QuorumSystem) -> bool | None:
    """True where some set can be a quorum more, False where none keeps to k disjoint ones; None
    where one does but takes the room of others, so that only several together might do."""
    quorums = system.quorums(K_LISTED)
    if quorums is None or system.n > K_EXACT_UP_TO:
        return None
    could = validate.one_more(system.n, quorums, system.k)
    first = next(could, None)
    if first is None:
        return False
    for more in chain([first], could):
        if validate.extension(minimal([*quorums, more]), system.k) is None:
            return True
    return None


def _mixed(profile: Sequence[int], down: float) -> float:
    n = len(profile) - 1
    return sum(sets * (1 - down) ** i * down ** (n - i) for i, sets in enumerate(profile))
