"""What a leader answers for, from its entry until its arbiters are told that they may be free."""

from __future__ import annotations

from typing import Final, final

from grouplock.parts.preemption import Stamp
from grouplock.parts.weights import Weight, share

# clock, group, parts, guests, done, inside, closed; empty where there is none.
TenureState = tuple[()] | tuple[int, int, int, tuple[Stamp, ...], tuple[Stamp, ...], bool, bool]


@final
class Tenure:
    def __init__(self, clock: int, group: int) -> None:
        self.clock: Final = clock  # of the request that leads
        self.group: Final = group
        self.parts = 1  # the leader has a weight of 1/parts
        self.guests: list[Stamp] = []  # invited, and not known to have left
        self.done: list[Stamp] = []  # known to have left
        self.inside = True  # the leader itself
        self.closed = False  # nobody is invited any more

    def give(self, others: int) -> Weight:
        """The weight that each of so many gets."""
        weight = share(self.parts, others)
        self.parts += others
        return weight

    def over(self) -> bool:
        return not self.inside and (self.closed or not self.guests)


def save_tenure(tenure: Tenure | None) -> TenureState:
    if tenure is None:
        return ()
    t = tenure
    guests, done = tuple(sorted(t.guests)), tuple(sorted(t.done))
    return t.clock, t.group, t.parts, guests, done, t.inside, t.closed


def load_tenure(state: TenureState) -> Tenure | None:
    if not state:
        return None
    clock, group, parts, guests, done, inside, closed = state
    tenure = Tenure(clock, group)
    tenure.parts, tenure.guests, tenure.done = parts, list(guests), list(done)
    tenure.inside, tenure.closed = inside, closed
    return tenure
