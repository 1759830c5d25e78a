"""The simulator again, as simply as it can be said: what the fast one is compared with.

One heap entry a message, one table of last arrivals, everything recorded.  It draws the same
numbers in the same order, so that both must make the same steps at the same times.
"""

from __future__ import annotations

import heapq
from typing import Any

from grouplock.measure.demands import Demands
from grouplock.measure.workload import Workload
from grouplock.protocol.message import Message
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.system import System
from grouplock.sim.delays import BITS, PLACE, UNITS, Delays

Step = tuple[float, int, str, Any]  # when, which site, what, detail


class Dumb:
    def __init__(self, system: System, workload: Workload, fifo: bool) -> None:
        self.system, self.w, self.fifo = system, workload, fifo
        self.sites = system.sites()
        self.demands = [Demands(workload, site) for site in range(system.n)]
        self.delays = Delays(workload.seed)
        self.last: dict[tuple[int, int], float] = {}
        self.queue: list[tuple[float, int, int, str, Any]] = []
        self.order = 0
        self.now = 0.0
        self.left = [workload.requests] * system.n
        self.rid = [site << 32 for site in range(system.n)]
        self.steps: list[Step] = []
        self.timers: dict[tuple[int, int], tuple[int, int]] = {}  # which arming counts
        for site in range(system.n):
            self.think(site)

    def later(self, when: float, site: int, what: str, detail: Any = None) -> None:
        self.order += 1
        heapq.heappush(self.queue, (when, self.order, site, what, detail))

    def think(self, site: int) -> None:
        if self.left[site]:
            self.left[site] -= 1
            self.demands[site].advance()
            self.later(self.now + self.demands[site].think(), site, "request")

    def transmit(self, src: int, dst: int, msg: Message, delay: float) -> None:
        size = self.system.messages.integers(msg) + 2
        wire = size / self.w.bandwidth if self.w.bandwidth else 0.0
        when = self.now + wire + delay
        if self.fifo:
            when = max(when, self.last.get((src, dst), 0.0))
            self.last[src, dst] = when
        self.later(when, dst, "deliver", (src, msg))

    def run(self) -> list[Step]:
        while self.queue:
            self.now, _, site, what, detail = heapq.heappop(self.queue)
            out = Outgoing(self, site)
            it = self.sites[site]
            if what == "request":
                self.rid[site] += 1
                self.note(site, what, self.rid[site])
                it.request(self.rid[site], self.demands[site].groups(), out)
            elif what == "release":
                self.think(site)
                self.note(site, what, self.rid[site])
                it.release(self.rid[site], out)
            elif what == "timer":
                if self.timers.get((site, detail[0])) != detail:
                    continue  # cancelled, or armed again
                del self.timers[site, detail[0]]
                self.note(site, what, detail[0])
                it.on_timer(detail[0], out)
            else:
                src, msg = detail
                self.note(site, what, (src, self.system.messages.pack(msg)))
                it.on_message(src, msg, out)
            while out.own:
                it.on_message(site, out.own.pop(0), out)
        return self.steps

    def note(self, site: int, what: str, detail: Any) -> None:
        self.steps.append((self.now, site, what, detail))


class Outgoing(Outbox):
    def __init__(self, world: Dumb, me: int) -> None:
        self.world, self.me = world, me
        self.own: list[Message] = []

    def send(self, dst: int, msg: Message) -> None:
        if dst == self.me:
            self.own.append(msg)
            return
        mean = self.world.w.delay
        delay = float(int(self.world.delays.single.one()) >> BITS) * (mean / UNITS)
        self.world.transmit(self.me, dst, msg, delay)

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        if len(dsts) < 2:
            for dst in dsts:
                self.send(dst, msg)
            return
        for value in [int(v) for v in self.world.delays.row(len(dsts))]:
            delay = float(value >> BITS) * (self.world.w.delay / UNITS)
            self.world.transmit(self.me, dsts[value & PLACE], msg, delay)

    def timer(self, tag: int, after: float) -> None:
        world = self.world
        armed = world.timers[self.me, tag] = (tag, world.order)
        world.later(world.now + after, self.me, "timer", armed)

    def cancel_timer(self, tag: int) -> None:
        self.world.timers.pop((self.me, tag), None)

    def ended(self, session: int) -> None:
        pass

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = -2
    ) -> None:
        world = self.world
        world.later(world.now + world.demands[self.me].inside(), self.me, "release")
