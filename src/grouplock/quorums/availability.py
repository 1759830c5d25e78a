"""Availability: how likely it is that some quorum is alive when nodes are down independently.

What may live here: exact for few nodes, from the table of all 2^n scenarios; beyond that a sample
of scenarios from the given tosses. And what the same table says besides: domination.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple, Protocol

from grouplock.quorums.bits import Toss, at_least, coins, truth_table

EXACT_UP_TO = 20  # nodes
SCENARIOS = 4096


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


def is_dominated(system: Surviving) -> bool | None:
    """Whether another coterie is safer at no cost; None where the table would be too large.
    Of a set and its complement at most one contains a quorum of a coterie, and in a non-dominated
    one exactly one does: half of all sets."""
    if system.n > EXACT_UP_TO:
        return None
    return sum(alive_profile(system)) < 1 << (system.n - 1)


def _mixed(profile: Sequence[int], down: float) -> float:
    n = len(profile) - 1
    return sum(sets * (1 - down) ** i * down ** (n - i) for i, sets in enumerate(profile))
