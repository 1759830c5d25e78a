"""The newest request of each site that is known to be fulfilled, and who was told of which.

It takes memory for those sites that were ever heard of, and for those that were told anything.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.parts.preemption import Stamp
from grouplock.protocol.message import COUNT, SITE, Records, Shape

FulfilledState = tuple[tuple[Stamp, ...], tuple[tuple[int, tuple[int, ...]], ...]]


@final
class Mark:
    """A request, by its clock and its site, on the wire."""

    def __init__(self, clock: int, site: int) -> None:
        self.clock: Final = clock
        self.site: Final = site


MARKS: Final = Records(Shape(Mark, clock=COUNT, site=SITE))


@final
class Fulfilled:
    def __init__(self) -> None:
        self.newest: dict[int, int] = {}  # of a site, the clock; what was learned last comes last
        self.learned: dict[int, int] = {}  # of a site, when
        self.told: dict[int, int] = {}  # of a site that we tell, up to when it knows everything
        self.now = 0  # how often something was learned

    def mark(self, stamp: Stamp) -> None:
        clock, site = stamp
        if clock > self.newest.get(site, 0):
            self.newest.pop(site, 0)
            self.newest[site] = clock
            self.now += 1
            self.learned[site] = self.now

    def knows(self, stamp: Stamp) -> bool:
        """Whether this request is known to be fulfilled."""
        return stamp[0] <= self.newest.get(stamp[1], 0)

    def news(self, site: int) -> list[Mark]:
        """What this site was not told yet; it is told now."""
        since = self.told.get(site, 0)
        fresh = []
        for other in reversed(self.newest):
            if self.learned[other] <= since:
                break
            fresh.append(other)
        if fresh:
            self.told[site] = self.now
        return [Mark(self.newest[other], other) for other in sorted(fresh)]

    def save(self) -> FulfilledState:
        """Who knows of which sites' newest, whenever that was learned."""
        marks = tuple([(self.newest[site], site) for site in sorted(self.newest)])
        told = []
        for site in sorted(self.told):
            since = self.told[site]
            known = tuple([o for o in sorted(self.newest) if self.learned[o] <= since])
            if known:
                told.append((site, known))
        return marks, tuple(told)

    def load(self, state: FulfilledState) -> None:
        """Whoever knows less than another knows a part of it, which was learned earlier."""
        clocks = {site: clock for clock, site in state[0]}
        self.newest, self.learned, self.told, self.now = {}, {}, {}, 0
        for site, known in sorted(state[1], key=_how_many):
            for other in known:
                if other not in self.newest:
                    self.mark((clocks[other], other))
            self.told[site] = self.now
        for clock, site in state[0]:
            self.mark((clock, site))


def _how_many(told: tuple[int, tuple[int, ...]]) -> int:
    return len(told[1])
