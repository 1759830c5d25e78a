"""The tiny driver with crashes: a site stops, some of what it sent is lost, survivors are told."""

from __future__ import annotations

import random
from typing import Any

from grouplock.protocol.effects import Effect, Effects
from grouplock.protocol.message import Message
from grouplock.protocol.system import System
from tests.schedule import Schedule


class Crashing(Schedule):
    def __init__(self, system: System) -> None:
        super().__init__(system)
        self.dead: list[int] = []
        self.notices: list[tuple[int, int]] = []  # (whom to tell, of whose crash)

    def survivors(self) -> list[int]:
        return [site for site in range(self.system.n) if site not in self.dead]

    def crash(self, site: int, lost: tuple[int, ...] = ()) -> None:
        """`lost`: those who do not get what the site has on its way to them."""
        self.dead.append(site)
        for hold in [h for h in self.inside if h[0] == site]:
            self.inside.remove(hold)
            assert self.occupancy.leave(site, hold[1]) == ""
        self.waiting = [w for w in self.waiting if w[0] != site]
        self.timers = [timer for timer in self.timers if timer[0] != site]
        self.flying = [f for f in self.flying if f[0] != site or f[1] not in lost]
        self.notices += [(survivor, site) for survivor in self.survivors()]

    def notice(self, site: int, peer: int) -> list[Effect]:
        self.notices.remove((site, peer))
        if site in self.dead:
            return []
        out = Effects()
        self.sites[site].on_crash(peer, out)
        return self.carry_out(site, out)

    def hand(self, src: int, dst: int, msg: Message) -> list[Effect]:
        return [] if dst in self.dead else super().hand(src, dst, msg)

    def detect(self) -> None:
        """Everybody is told of every crash; then all is delivered, oldest first."""
        while self.notices:
            self.notice(*self.notices[0])
        self.settle()

    def run_crashing(
        self, seed: int, requests: int, groups: int, faults: int, *, fifo: bool = False
    ) -> None:
        """Random requests, deliveries, exits, crashes and notices of them, until all is over."""
        rng = random.Random(seed)
        left = [requests] * self.system.n
        while True:
            busy = {w[0] for w in (*self.waiting, *self.inside)}
            moves: list[tuple[Any, ...]] = []
            moves += [(self.leave, h[0]) for h in self.inside]
            moves += [(self.fly, rng, fifo)] * len(self.flying)
            moves += [(self.notice, *told) for told in self.notices]
            moves += [(self.ring, *timer) for timer in self.timers]
            for site in self.survivors():
                if left[site] and site not in busy:
                    moves.append((self.draw, site, rng, groups, left))
            if not moves:
                break
            if faults and len(self.survivors()) > 1 and rng.random() < 0.03:
                faults -= 1
                site = rng.choice(self.survivors())
                lost = tuple([other for other in range(self.system.n) if rng.random() < 0.5])
                self.crash(site, lost)
                continue
            move, *arguments = rng.choice(moves)
            move(*arguments)
        assert not self.waiting, f"never served: {self.waiting}"
