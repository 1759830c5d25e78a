"""A tiny driver for tests: it delivers what was sent in an order drawn from a seed.

It keeps every message on its way in one list and picks any of them, so channels are as
unordered as an algorithm may declare; with `fifo` it keeps the order of each channel.
"""

from __future__ import annotations

import random
from typing import Any

from grouplock.properties.exclusion import Occupancy
from grouplock.protocol.effects import (
    CANCEL_TIMER,
    GRANTED,
    SEND,
    TIMER,
    WITHDRAWN,
    Effect,
    Effects,
)
from grouplock.protocol.message import Message
from grouplock.protocol.system import CANCEL, SETS, System


class Schedule:
    """Sites, the messages between them, and who waits or is inside."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.sites = system.sites()
        self.flying: list[tuple[int, int, Message]] = []  # (src, dst, message), oldest first
        self.waiting: list[tuple[int, int]] = []  # (site, rid)
        self.inside: list[tuple[int, int, int]] = []  # (site, rid, group)
        self.withdrawing: list[tuple[int, int]] = []
        self.granted: list[tuple[int, int, int]] = []  # every grant, in order
        self.timers: list[tuple[int, int]] = []  # (site, tag), armed
        self.sent = 0  # messages between two different sites
        self.integers = 0
        self.occupancy = Occupancy(system.slots, system.shared, system.numbered)
        self.rids = [0] * system.n

    # Inputs.  Each returns the effects that are not sends.

    def ask(self, site: int, *groups: int) -> list[Effect]:
        self.rids[site] += 1
        rid = self.rids[site]
        self.waiting.append((site, rid))
        out = Effects()
        self.sites[site].request(rid, groups, out)
        return self.carry_out(site, out)

    def leave(self, site: int) -> list[Effect]:
        hold = next(h for h in self.inside if h[0] == site)
        self.inside.remove(hold)
        assert self.occupancy.leave(site, hold[1]) == ""
        out = Effects()
        self.sites[site].release(hold[1], out)
        return self.carry_out(site, out)

    def withdraw(self, site: int, rid: int) -> list[Effect]:
        self.waiting.remove((site, rid))
        self.withdrawing.append((site, rid))
        out = Effects()
        self.sites[site].withdraw(rid, out)
        return self.carry_out(site, out)

    def deliver(self, src: int, dst: int, kind: str = "", *, newest: bool = False) -> list[Effect]:
        """The oldest message on its way from src to dst, or the newest; of that kind, if given."""
        found = [
            flight
            for flight in self.flying
            if flight[:2] == (src, dst) and kind in ("", type(flight[2]).__name__)
        ]
        assert found, f"no {kind or 'message'} is on its way from {src} to {dst}"
        flight = found[-1 if newest else 0]
        self.flying.remove(flight)
        return self.hand(*flight)

    def hand(self, src: int, dst: int, msg: Message) -> list[Effect]:
        out = Effects()
        self.sites[dst].on_message(src, msg, out)
        return self.carry_out(dst, out)

    def ring(self, site: int, tag: int = 0) -> list[Effect]:
        """A timer runs out."""
        self.timers.remove((site, tag))
        out = Effects()
        self.sites[site].on_timer(tag, out)
        return self.carry_out(site, out)

    def carry_out(self, site: int, out: Effects) -> list[Effect]:
        """What a site sends itself is handled after the handler, in the same step, and free."""
        seen: list[Effect] = []
        effects = out.take()
        for effect in effects:  # grows while we walk it
            if effect[0] == SEND and effect[1] == site:
                self.sites[site].on_message(site, effect[2], out)
                effects += out.take()
            elif effect[0] == SEND:
                self.flying.append((site, effect[1], effect[2]))
                self.sent += 1
                self.integers += self.system.messages.integers(effect[2])
            else:
                seen.append(effect)
                self.note(site, effect)
        return seen

    def note(self, site: int, effect: Effect) -> None:
        if effect[0] == GRANTED:
            _, rid, group, slot, _, _ = effect
            self.waiting.remove((site, rid))
            self.inside.append((site, rid, group))
            self.granted.append((site, rid, group))
            wrong = self.occupancy.enter(site, rid, group, slot)
            assert wrong == "", wrong
        elif effect[0] == WITHDRAWN:
            self.withdrawing.remove((site, effect[1]))
        elif effect[0] in (TIMER, CANCEL_TIMER):
            timer = (site, effect[1])
            if timer in self.timers:
                self.timers.remove(timer)
            if effect[0] == TIMER:
                self.timers.append(timer)

    def who(self) -> list[int]:
        """The sites that are inside, in order."""
        return sorted([site for site, _, _ in self.inside])

    # Whole runs.

    def settle(self) -> None:
        """Deliver, oldest first, until nothing is on its way."""
        while self.flying:
            src, dst, msg = self.flying.pop(0)
            self.hand(src, dst, msg)

    def drain(self) -> None:
        """Deliver and let everybody leave until nobody waits and nothing is on its way."""
        while self.flying or self.inside:
            self.settle()
            if self.inside:
                self.leave(self.inside[0][0])
        assert not self.waiting, f"never served: {self.waiting}"

    def run(
        self,
        seed: int,
        requests: int,
        groups: int,
        *,
        fifo: bool = False,
        withdrawals: bool = True,
    ) -> None:
        """Random requests, deliveries, exits and withdrawals, until all is over."""
        rng = random.Random(seed)
        may_withdraw = withdrawals and CANCEL in self.system.supports
        left = [requests] * self.system.n
        while True:
            busy = {w[0] for w in (*self.waiting, *self.inside, *self.withdrawing)}
            moves: list[tuple[Any, ...]] = []
            moves += [(self.leave, h[0]) for h in self.inside]
            moves += [(self.fly, rng, fifo)] * len(self.flying)
            moves += [(self.ring, *timer) for timer in self.timers]
            for site in range(self.system.n):
                if left[site] and site not in busy:
                    moves.append((self.draw, site, rng, groups, left))
            if may_withdraw and self.waiting and rng.random() < 0.3:
                moves.append((self.withdraw, *rng.choice(self.waiting)))
            if not moves:
                break
            move, *arguments = rng.choice(moves)
            move(*arguments)
        assert not self.waiting, f"never served: {self.waiting}"

    def fly(self, rng: random.Random, fifo: bool) -> None:
        src, dst, msg = rng.choice(self.flying)
        if fifo:
            self.deliver(src, dst)
        else:
            self.flying.remove((src, dst, msg))
            self.hand(src, dst, msg)

    def draw(self, site: int, rng: random.Random, groups: int, left: list[int]) -> None:
        left[site] -= 1
        many = rng.randint(1, groups) if SETS in self.system.supports else 1
        self.ask(site, *sorted(rng.sample(range(groups), many)))
