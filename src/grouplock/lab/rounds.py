"""A run in which every message takes one unit of time, so that hops can be counted.

Nothing is drawn: who asks and who leaves is the caller's to say, and messages arrive in the order
in which they were sent.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.protocol.effects import GRANTED, SEND, Effects
from grouplock.protocol.message import Message
from grouplock.protocol.system import System

MOST_ROUNDS: Final = 10_000  # a conversation that goes on for longer does not end


@final
class Rounds:
    def __init__(self, system: System) -> None:
        self.system: Final = system
        self.sites: Final = system.sites()
        self.flying: list[tuple[int, int, Message]] = []
        self.rids: Final = [0] * system.n
        self.waiting: Final[list[int]] = []  # sites
        self.inside: Final[list[int]] = []  # sites, who came first first
        self.messages = 0
        self.integers = 0
        self.granted = 0
        self.most_inside = 0

    def ask(self, site: int, group: int) -> None:
        out = Effects()
        self.rids[site] += 1
        self.waiting.append(site)
        self.sites[site].request(site << 32 | self.rids[site], (group,), out)
        self.carry_out(site, out)

    def leave(self, site: int) -> None:
        out = Effects()
        self.inside.remove(site)
        self.sites[site].release(site << 32 | self.rids[site], out)
        self.carry_out(site, out)

    def carry_out(self, site: int, out: Effects) -> None:
        """What a site sends itself is part of its step."""
        effects = out.take()
        for effect in effects:  # grows meanwhile
            if effect[0] == SEND and effect[1] == site:
                self.sites[site].on_message(site, effect[2], out)
                effects += out.take()
            elif effect[0] == SEND:
                self.flying.append((site, effect[1], effect[2]))
                self.messages += 1
                self.integers += self.system.messages.integers(effect[2])
            elif effect[0] == GRANTED:
                self.waiting.remove(site)
                self.inside.append(site)
                self.granted += 1
                self.most_inside = max(self.most_inside, len(self.inside))

    def round(self) -> None:
        """All that is on its way arrives."""
        batch, self.flying = self.flying, []
        for src, dst, msg in batch:
            out = Effects()
            self.sites[dst].on_message(src, msg, out)
            self.carry_out(dst, out)

    def settle(self) -> None:
        for _ in range(MOST_ROUNDS):
            if not self.flying:
                return
            self.round()
        raise AssertionError(f"{self.system.name} does not come to rest")

    def hops_to_an_entry(self) -> int:
        """How many rounds until somebody who waits is inside."""
        before, hops = self.granted, 0
        while self.granted == before:
            assert self.flying, f"{self.system.name}: nothing is on its way, and somebody waits"
            self.round()
            hops += 1
        return hops
