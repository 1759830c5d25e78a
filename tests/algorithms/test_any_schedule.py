"""Whatever the order of things: nobody is inside who may not be, and everybody is served.

The schedule itself fails on a forbidden entry and on a request that is never granted.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm, find
from grouplock.protocol.effects import GRANTED, Effect
from grouplock.protocol.system import SLOTS, System
from tests.schedule import Schedule

EVERY = [
    pytest.param(algorithm, options, id="-".join([algorithm.name, *options.values()]))
    for algorithm in ALGORITHMS
    for options in algorithm.settings()
]


@pytest.mark.parametrize(("algorithm", "options"), EVERY)
@pytest.mark.parametrize("seed", range(20))
def test_a_random_schedule(algorithm: Algorithm, options: dict[str, str], seed: int) -> None:
    """Requests name one group or several at random, where the algorithm takes sets."""
    slots = 1 + seed % 2 if SLOTS in algorithm.supports else 1
    system = algorithm.system(2 + seed % 4, options, slots, groups=3)
    schedule = Schedule(system)
    schedule.run(seed, 5, 3, fifo=system.channel.fifo or seed % 5 == 0)
    assert schedule.granted


@pytest.mark.parametrize("name", ["ricart-agrawala", "ra1"])
@pytest.mark.parametrize("fifo", [True, False])
@pytest.mark.parametrize("seed", range(20))
def test_how_often_a_request_is_overtaken(name: str, fifo: bool, seed: int) -> None:
    """At most twice by each other site over FIFO channels, at most n times over others.

    As their pages claim; in ra1 for requests of different groups, so each site has its own.
    """
    n, requests = 4, 12
    schedule = Watched(find(name).system(n, {}))
    schedule.run(seed, requests, n, fifo=fifo)
    assert schedule.most_overtaken <= (2 if fifo else n)
    assert schedule.most_overtaken > 0


class Watched(Schedule):
    """Counts, while a request waits, the entries of each other site; a site has its own group."""

    def __init__(self, system: System) -> None:
        self.granted_before = [0] * system.n  # when the present request was made
        self.most_overtaken = 0
        super().__init__(system)

    def ask(self, site: int, *groups: int) -> list[Effect]:
        self.granted_before[site] = len(self.granted)
        return super().ask(site, site)

    def note(self, site: int, effect: Effect) -> None:
        super().note(site, effect)
        if effect[0] == GRANTED:
            passed = [who for who, _, _ in self.granted[self.granted_before[site] : -1]]
            others = [passed.count(other) for other in range(self.system.n) if other != site]
            self.most_overtaken = max(self.most_overtaken, *others)
