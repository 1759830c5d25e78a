"""A schedule in which every message takes one unit of time, and one that counts kinds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from grouplock.protocol.effects import Effect
from grouplock.protocol.message import Message
from grouplock.protocol.system import System
from tests.schedule import Schedule


class Rounds(Schedule):
    def __init__(self, system: System) -> None:
        self.kinds: Counter[str] = Counter()  # of messages that arrived from another site
        self.most = 0  # inside together
        super().__init__(system)

    def hand(self, src: int, dst: int, msg: Message) -> list[Effect]:
        if src != dst:
            self.kinds[type(msg).__name__] += 1
        return super().hand(src, dst, msg)

    def note(self, site: int, effect: Effect) -> None:
        super().note(site, effect)
        self.most = max(self.most, len(self.inside))

    def enters(self, site: int) -> Callable[[], bool]:
        """To wait for with `hops_until`."""
        return lambda: site in self.who()

    def hops_until(self, done: Callable[[], bool]) -> int:
        """How many times everything that is on its way has to arrive."""
        hops = 0
        while not done():
            assert self.flying, "nothing is on its way"
            hops += 1
            batch, self.flying = self.flying, []
            for flight in batch:
                self.hand(*flight)
        return hops
