"""The meter: it follows who asks, enters and leaves, and keeps the figures of merit.

It keeps sums and counts, not the history, so that a long run costs no more memory than a short
one.  What each figure means is the contract of docs/measures.md.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.measure.quantiles import Quantiles

NEVER: Final = -1.0


@final
class Meter:
    def __init__(self, slots: int) -> None:
        self.waiting: Final = Quantiles()  # request to entry
        self.sync_delay: Final = Quantiles()  # last exit of a session to the next's first entry
        self.asking = 0  # requests that wait now
        self.inside = 0  # holds now
        self.most_inside = 0
        self.served = 0  # holds that have ended
        self.withdrawn = 0
        self.sessions = 0
        self.busy_time = 0.0  # while anybody was inside
        self.hold_time = 0.0  # summed over holds
        self.last_change = 0.0
        self.last_exit = 0.0
        self.holders: Final = [0] * slots
        self.owed: Final = [NEVER] * slots  # when a slot's session ended and somebody waited

    def asked(self) -> None:
        self.asking += 1

    def gave_up(self) -> None:
        """A request that waited was withdrawn."""
        self.withdrawn += 1
        self.one_waits_less()

    def entered(self, at: float, waited: float, slot: int) -> None:
        self.waiting.add(waited)
        self.account(at)
        if self.holders[slot] == 0:
            self.sessions += 1
            if self.owed[slot] != NEVER:
                self.sync_delay.add(at - self.owed[slot])
                self.owed[slot] = NEVER
        self.holders[slot] += 1
        self.inside += 1
        if self.inside > self.most_inside:
            self.most_inside = self.inside
        self.one_waits_less()

    def left(self, at: float, slot: int) -> None:
        self.account(at)
        self.inside -= 1
        self.served += 1
        self.last_exit = at
        self.holders[slot] -= 1
        if self.holders[slot] == 0 and self.asking > 0:
            self.owed[slot] = at

    def one_waits_less(self) -> None:
        self.asking -= 1
        if self.asking == 0:  # a slot that nobody waits for is not late
            for slot in range(len(self.owed)):
                self.owed[slot] = NEVER

    def account(self, at: float) -> None:
        if self.inside > 0:
            self.busy_time += at - self.last_change
            self.hold_time += (at - self.last_change) * self.inside
        self.last_change = at
