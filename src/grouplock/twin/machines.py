"""Virtual time, and the machines on it: each has a clock of its own rate and may be paused."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Final

Do = Callable[[], None]
BEGAN: Final = 1000.0  # what the clocks show at the beginning, more or less


class Timeline:
    """What happens when; of what happens at one instant, what was said first is first."""

    def __init__(self) -> None:
        self.now = 0.0
        self.said = 0
        self.heap: Final[list[tuple[float, int, Do]]] = []

    def at(self, when: float, do: Do) -> None:
        self.said += 1
        heapq.heappush(self.heap, (max(when, self.now), self.said, do))

    def after(self, seconds: float, do: Do) -> None:
        self.at(self.now + seconds, do)

    def run(self, until: float) -> None:
        heap = self.heap
        while heap and heap[0][0] <= until:
            self.now, _, do = heapq.heappop(heap)
            do()
        self.now = until


class Machine:
    """One process and its clock.  What is for a paused one waits; what is for a dead one is lost.

    A restart is a new life: nothing that was meant for an older one reaches it.
    """

    def __init__(self, line: Timeline, place: int, rate: float) -> None:
        self.line: Final = line
        self.place: Final = place  # its address in the network
        self.rate: Final = rate  # seconds of its clock in a true one
        self.life = 0
        self.alive = False
        self.paused = 0  # so many have stopped it
        self.backlog: list[Do] = []

    def clock(self) -> float:
        return BEGAN + self.line.now * self.rate

    def do(self, life: int, what: Do) -> None:
        if not self.alive or life != self.life:
            return
        if self.paused:
            self.backlog.append(what)
        else:
            what()

    def later(self, seconds: float, what: Do) -> None:
        """In so many seconds of its own clock."""
        life = self.life
        self.line.after(max(seconds, 0.0) / self.rate, lambda: self.do(life, what))

    def born(self) -> None:
        self.life += 1
        self.alive = True
        self.paused = 0
        self.backlog = []

    def die(self) -> None:
        self.alive = False
        self.backlog = []

    def pause(self) -> None:
        self.paused += 1

    def resume(self, life: int) -> None:
        """What has waited comes in the order in which it came; time is what it is now."""
        if life != self.life or not self.alive:
            return
        self.paused -= 1
        while self.backlog and not self.paused and self.alive:
            self.do(life, self.backlog.pop(0))
