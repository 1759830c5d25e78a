"""Suzuki and Kasami on SimPy, in the two ways in which people write such a thing.

`usual` has a process for each site and one for each message.  `lean` has none: a message is one
event with one callback.  Both draw their own variates, or take those of the project's simulator,
and then must report the same waiting times.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Generator
from typing import Any

import simpy

from grouplock.measure.demands import Demands
from grouplock.measure.workload import Workload
from grouplock.sim.delays import BITS, PLACE, UNITS, Delays


class Variates:
    """The workload's random numbers: drawn one by one, or those that the simulator draws."""

    def __init__(self, workload: Workload, given: bool) -> None:
        self.w = workload
        self.given = given
        self.random = random.Random(workload.seed)
        if given:
            self.demands = [Demands(workload, site) for site in range(workload.n)]
            self.delays = Delays(workload.seed)

    def think(self, site: int) -> float:
        if self.given:
            self.demands[site].advance()
            return float(self.demands[site].think())
        return self.random.expovariate(1 / self.w.think)

    def inside(self, site: int) -> float:
        if self.given:
            return float(self.demands[site].inside())
        return self.random.uniform(0, 2 * self.w.inside)

    def delay(self) -> float:
        if self.given:
            return float(int(self.delays.single.one()) >> BITS) * (self.w.delay / UNITS)
        return self.random.expovariate(1 / self.w.delay)

    def row(self, src: int) -> list[tuple[int, float]]:
        """Addressee and delay of each message of a broadcast."""
        n = self.w.n
        if self.given:
            unit = self.w.delay / UNITS
            row = [int(v) for v in self.delays.row(n - 1)]
            return [((v & PLACE) + ((v & PLACE) >= src), float(v >> BITS) * unit) for v in row]
        rate = 1 / self.w.delay
        draw = self.random.expovariate
        return [(dst, draw(rate)) for dst in range(n) if dst != src]


class Simulation:
    """What both ways share: the algorithm, as a direct translation of its paper."""

    def __init__(self, workload: Workload, given: bool) -> None:
        n = workload.n
        self.w = workload
        self.env = simpy.Environment()
        self.variates = Variates(workload, given)
        self.asked = [[0] * n for _ in range(n)]
        self.served = [0] * n
        self.queue: deque[int] = deque()
        self.holder = 0
        self.busy = False  # the holder is inside
        self.last = [[0.0] * n for _ in range(n)]
        self.since = [0.0] * n
        self.messages = 0
        self.entries = 0
        self.waited = 0.0

    def arrival(self, src: int, dst: int, delay: float) -> float:
        """When a message arrives: not before an earlier one of its channel."""
        when = max(self.last[src][dst], self.env.now + delay)
        self.last[src][dst] = when
        self.messages += 1
        return when - self.env.now

    def entered(self, site: int) -> None:
        self.busy = True
        self.entries += 1
        self.waited += self.env.now - self.since[site]

    def waits(self, at: int, site: int) -> bool:
        return self.asked[at][site] == self.served[site] + 1

    def on_ask(self, src: int, dst: int, number: int) -> None:
        if number > self.asked[dst][src]:
            self.asked[dst][src] = number
        if self.holder == dst and not self.busy and self.waits(dst, src):
            self.pass_token(dst, src)

    def left(self, site: int) -> None:
        self.busy = False
        self.served[site] = self.asked[site][site]
        queued = set(self.queue)
        for step in range(1, self.w.n):
            other = (site + step) % self.w.n
            if self.waits(site, other) and other not in queued:
                self.queue.append(other)
        if self.queue:
            self.pass_token(site, self.queue.popleft())

    def pass_token(self, src: int, dst: int) -> None:
        raise NotImplementedError


class Usual(Simulation):
    """A process for each site, a process for each message."""

    def __init__(self, workload: Workload, given: bool) -> None:
        super().__init__(workload, given)
        self.arrived = [self.env.event() for _ in range(workload.n)]
        for site in range(workload.n):
            self.env.process(self.client(site))

    def client(self, site: int) -> Generator[Any, Any, None]:
        env = self.env
        for _ in range(self.w.requests):
            yield env.timeout(self.variates.think(site))
            self.since[site] = env.now
            if self.holder != site:
                self.asked[site][site] += 1
                number = self.asked[site][site]
                for dst, delay in self.variates.row(site):
                    env.process(self.ask(site, dst, number, self.arrival(site, dst, delay)))
                yield self.arrived[site]
                self.arrived[site] = env.event()
            self.entered(site)
            yield env.timeout(self.variates.inside(site))
            self.left(site)

    def ask(self, src: int, dst: int, number: int, delay: float) -> Generator[Any, Any, None]:
        yield self.env.timeout(delay)
        self.on_ask(src, dst, number)

    def pass_token(self, src: int, dst: int) -> None:
        self.holder = -1
        self.env.process(self.token(dst, self.arrival(src, dst, self.variates.delay())))

    def token(self, dst: int, delay: float) -> Generator[Any, Any, None]:
        yield self.env.timeout(delay)
        self.holder = dst
        self.busy = True  # before the client's own event is handled
        self.arrived[dst].succeed()


class Lean(Simulation):
    """No processes: one timeout with one callback for whatever happens."""

    def __init__(self, workload: Workload, given: bool) -> None:
        super().__init__(workload, given)
        self.left_to_make = [workload.requests] * workload.n
        for site in range(workload.n):
            self.think(site)

    def later(self, delay: float, callback: Any, value: Any) -> None:
        event = self.env.timeout(delay, value)
        event.callbacks.append(callback)

    def think(self, site: int) -> None:
        if self.left_to_make[site]:
            self.left_to_make[site] -= 1
            self.later(self.variates.think(site), self.wants, site)

    def wants(self, event: Any) -> None:
        site = event.value
        self.since[site] = self.env.now
        if self.holder == site:
            self.enter(site)
            return
        self.asked[site][site] += 1
        number = self.asked[site][site]
        timeout, heard = self.env.timeout, self.heard
        for dst, delay in self.variates.row(site):
            event = timeout(self.arrival(site, dst, delay), (site, dst, number))
            event.callbacks.append(heard)

    def heard(self, event: Any) -> None:
        self.on_ask(*event.value)

    def enter(self, site: int) -> None:
        self.entered(site)
        self.later(self.variates.inside(site), self.leaves, site)

    def leaves(self, event: Any) -> None:
        self.think(event.value)
        self.left(event.value)

    def pass_token(self, src: int, dst: int) -> None:
        self.holder = -1
        self.later(self.arrival(src, dst, self.variates.delay()), self.receives, dst)

    def receives(self, event: Any) -> None:
        self.holder = event.value
        self.enter(event.value)


def run(way: str, workload: Workload, given: bool = False) -> dict[str, float]:
    simulation = {"usual": Usual, "lean": Lean}[way](workload, given)
    began = time.perf_counter()
    simulation.env.run()
    wall = time.perf_counter() - began
    return {
        "messages": simulation.messages,
        "entries": simulation.entries,
        "waiting_mean": simulation.waited / simulation.entries,
        "wall_s": wall,
    }
