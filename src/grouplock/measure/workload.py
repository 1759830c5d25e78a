"""A workload: how many sites ask for what, how often, for how long.

The papers' workload: thinking is exponential, time inside uniform on [0, 2*mean], a channel's
delay exponential plus size/bandwidth; groups are uniform, or A% of the groups get B% of the draws.
Times are in units of virtual time; in a live run a unit is a millisecond.
"""

from __future__ import annotations

import math
from typing import NamedTuple


class BadWorkload(ValueError):
    """A workload that cannot be; the message says which value and what would do."""


class Workload(NamedTuple):
    n: int = 9
    groups: int = 3
    sets: int = 1  # how many acceptable groups a request names
    slots: int = 1
    requests: int = 100  # per site
    think: float = 4.0
    inside: float = 2.0
    delay: float = 4.0
    bandwidth: float = 0.0  # integers per unit of time; 0 is unlimited
    skew: tuple[float, float] = (50.0, 50.0)  # A% of the groups get B% of the draws
    seed: int = 1

    def checked(self) -> Workload:
        """Itself, or `BadWorkload`."""
        _at_least("n", self.n, 1)
        _at_least("groups", self.groups, 1)
        _at_least("sets", self.sets, 1)
        _at_least("slots", self.slots, 1)
        _at_least("requests", self.requests, 1)
        _at_least("seed", self.seed, 0)
        for name in ("think", "inside", "delay", "bandwidth"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0):
                raise BadWorkload(f"{name} is {value}; it must be a number of at least 0")
        if self.sets > self.groups:
            raise BadWorkload(
                f"a request cannot name {self.sets} of {self.groups} groups; "
                f"sets must be at most {self.groups}"
            )
        share, draws = self.skew
        if not (0 < share <= 100 and 0 <= draws <= 100):
            raise BadWorkload(f"skew {share:g},{draws:g} must be two percentages, as in 20,80")
        return self

    def weights(self) -> list[float]:
        """How likely each group is drawn; they sum to 1.

        The favoured share of the groups is rounded to whole groups, at least one.
        """
        share, draws = self.skew
        if share == draws or self.groups == 1:
            return [1.0 / self.groups] * self.groups
        favoured = min(max(1, round(self.groups * share / 100)), self.groups)
        if favoured == self.groups:
            return [1.0 / self.groups] * self.groups
        high, low = draws / 100 / favoured, (1 - draws / 100) / (self.groups - favoured)
        return [high] * favoured + [low] * (self.groups - favoured)


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise BadWorkload(f"{name} is {value}; it must be at least {least}")
