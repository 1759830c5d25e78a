"""Sites on a clock without chance: every channel takes the same time, and everything is counted.

The papers reason about delays that are all equal; the simulator's are exponential.  This driver is
for their arguments: one request at a time or a given few, hops told exactly, messages by kind.
It is slow and small.  With `clients` it runs closed loops as the simulator does.
"""

from __future__ import annotations

import heapq
import random
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from grouplock.measure.meter import Meter
from grouplock.properties.exclusion import Occupancy
from grouplock.protocol.effects import CANCEL_TIMER, GRANTED, SEND, TIMER, Effects
from grouplock.protocol.message import Message
from grouplock.protocol.system import System

FOREVER: Final = float("inf")


class Stay(NamedTuple):
    """One request that was served."""

    site: int
    groups: tuple[int, ...]
    group: int
    asked: float
    entered: float


class Clockwork:
    def __init__(self, system: System, hop: float = 1.0) -> None:
        self.system: Final = system
        self.hop: Final = hop
        self.sites: Final = system.sites()
        self.now = 0.0
        self.queue: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self.scheduled = 0
        self.slow: Final[dict[tuple[int, int], float]] = {}  # channels that take another time
        self.rids: Final = [0] * system.n
        self.waiting: Final[dict[int, tuple[int, tuple[int, ...], float, float]]] = {}
        self.inside: Final[dict[int, tuple[int, int]]] = {}  # site -> rid, slot
        self.dead: Final[list[int]] = []
        self.timers: Final[dict[tuple[int, int], int]] = {}  # those that are armed, numbered
        self.stays: Final[list[Stay]] = []
        self.session_began = 0.0  # when somebody came in where nobody was
        self.meter: Final = Meter(system.slots)
        self.occupancy: Final = Occupancy(system.slots, system.shared, system.numbered)
        self.kinds: Final[Counter[str]] = Counter()  # messages between two sites, when sent
        self.sizes: Final[Counter[str]] = Counter()  # their integers
        self.watchers: Final[list[Callable[[int, int, Message], None]]] = []
        self.after: Callable[[int], None] = lambda site: None  # what a client does outside

    # What is counted.

    @property
    def messages(self) -> int:
        return sum(self.kinds.values())

    @property
    def integers(self) -> int:
        return sum(self.sizes.values())

    def who(self) -> list[int]:
        return sorted(self.inside)

    def entered(self, site: int) -> float:
        """When it was let in last."""
        return [stay.entered for stay in self.stays if stay.site == site][-1]

    # What is to happen.

    def at(self, when: float, do: Callable[..., None], *arguments: Any) -> None:
        assert when >= self.now, "the past is over"
        self.scheduled += 1
        heapq.heappush(self.queue, (when, self.scheduled, do, arguments))

    def ask(self, site: int, *groups: int, at: float = -1.0, stay: float = FOREVER) -> None:
        """Now, or then; it leaves after `stay`, or when it is told to."""
        self.at(max(at, self.now), self.request, site, groups, stay)

    def leave(self, site: int, at: float = -1.0) -> None:
        self.at(max(at, self.now), self.release, site)

    def run(self, until: float = FOREVER) -> None:
        """All that happens up to then; without an end, until nothing does any more."""
        while self.queue and self.queue[0][0] <= until:
            self.now, _, do, arguments = heapq.heappop(self.queue)
            do(*arguments)
        if until < FOREVER:
            self.now = until

    def clients(
        self, requests: int, groups: int, think: float, stay: float, seed: int, fixed: bool = True
    ) -> None:
        """Everybody asks so many times; thinking is exponential, a stay fixed or up to its double.

        Runs to the end; every request has been served then.
        """
        rng = random.Random(seed)
        left = [requests] * self.system.n

        def ask(site: int) -> None:
            if left[site]:
                left[site] -= 1
                when = self.now + (rng.expovariate(1 / think) if think else 0.0)
                inside = stay if fixed else rng.uniform(0, 2 * stay)
                self.ask(site, rng.randrange(groups), at=when, stay=inside)

        self.after = ask
        for site in range(self.system.n):
            ask(site)
        self.run()
        assert not self.waiting, f"never served: {sorted(self.waiting)}"

    # Inputs.

    def request(self, site: int, groups: tuple[int, ...], stay: float) -> None:
        if site in self.dead:
            return
        self.rids[site] += 1
        self.waiting[site] = (self.rids[site], groups, self.now, stay)
        self.meter.asked()
        out = Effects()
        self.sites[site].request(self.rids[site], groups, out)
        self.carry_out(site, out)

    def release(self, site: int) -> None:
        if site in self.dead:
            return
        rid, slot = self.inside.pop(site)
        wrong = self.occupancy.leave(site, rid)
        assert wrong == "", wrong
        self.meter.left(self.now, slot)
        out = Effects()
        self.sites[site].release(rid, out)
        self.carry_out(site, out)
        self.after(site)

    def deliver(self, src: int, dst: int, msg: Message) -> None:
        if dst in self.dead:
            return
        out = Effects()
        self.sites[dst].on_message(src, msg, out)
        self.carry_out(dst, out)

    def ring(self, site: int, tag: int, number: int) -> None:
        """A timer runs out, unless it was armed anew or cancelled meanwhile."""
        if site not in self.dead and self.timers.get((site, tag)) == number:
            del self.timers[(site, tag)]
            out = Effects()
            self.sites[site].on_timer(tag, out)
            self.carry_out(site, out)

    def crash(self, site: int, told_after: float = 0.0) -> None:
        """It stops now; what it has sent arrives; each survivor learns of it after that time."""
        self.dead.append(site)
        if site in self.inside:
            rid, slot = self.inside.pop(site)
            self.occupancy.leave(site, rid)
            self.meter.left(self.now, slot)
        if self.waiting.pop(site, None) is not None:
            self.meter.gave_up()
        for survivor in range(self.system.n):
            if survivor not in self.dead:
                self.at(self.now + told_after, self.notice, survivor, site)

    def notice(self, site: int, peer: int) -> None:
        if site not in self.dead:
            out = Effects()
            self.sites[site].on_crash(peer, out)
            self.carry_out(site, out)

    # Effects.

    def carry_out(self, site: int, out: Effects) -> None:
        """What a site sends itself is handled after the handler, in the same step, and free."""
        effects = out.take()
        for effect in effects:  # grows while we walk it
            if effect[0] == SEND and effect[1] == site:
                self.sites[site].on_message(site, effect[2], out)
                effects += out.take()
            elif effect[0] == SEND:
                self.send(site, effect[1], effect[2])
            elif effect[0] == GRANTED:
                self.grant(site, effect)
            elif effect[0] == TIMER:
                self.timers[(site, effect[1])] = self.scheduled
                self.at(self.now + effect[2], self.ring, site, effect[1], self.scheduled)
            elif effect[0] == CANCEL_TIMER:
                self.timers.pop((site, effect[1]), None)

    def send(self, src: int, dst: int, msg: Message) -> None:
        kind = type(msg).__name__
        self.kinds[kind] += 1
        self.sizes[kind] += self.system.messages.integers(msg)
        for watch in self.watchers:
            watch(src, dst, msg)
        self.at(self.now + self.slow.get((src, dst), self.hop), self.deliver, src, dst, msg)

    def grant(self, site: int, effect: tuple[Any, ...]) -> None:
        _, rid, group, slot, _, _ = effect
        mine, groups, asked, stay = self.waiting.pop(site)
        assert mine == rid
        assert group in groups
        wrong = self.occupancy.enter(site, rid, group, slot)
        assert wrong == "", wrong
        slot = self.occupancy.slot_of(site, rid)
        if not self.inside:
            self.session_began = self.now
        self.inside[site] = (rid, slot)
        self.meter.entered(self.now, self.now - asked, slot)
        self.stays.append(Stay(site, groups, group, asked, self.now))
        if stay < FOREVER:
            self.at(self.now + stay, self.release, site)
