"""Counts for whoever watches a node: kept only where somebody asked for them."""

from __future__ import annotations

from typing import Final, final

# Upper ends of the buckets; what is above the last one has a bucket of its own.
WAITS: Final[tuple[float, ...]] = (
    0.001,
    0.005,
    0.02,
    0.1,
    0.5,
    1.0,
    5.0,
    20.0,
    60.0,
    300.0,
)  # seconds
SIZES: Final[tuple[float, ...]] = (1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0)  # entries


@final
class Histogram:
    def __init__(self, ends: tuple[float, ...]) -> None:
        self.ends: Final = ends
        self.counts: Final[list[int]] = [0] * (len(ends) + 1)
        self.sum = 0.0

    def add(self, value: float) -> None:
        self.sum += value
        at = 0
        for end in self.ends:
            if value <= end:
                break
            at += 1
        self.counts[at] += 1


@final
class Tally:
    """How long grants were waited for, and how many entries a session had when it was over."""

    def __init__(self) -> None:
        self.waits: Final = Histogram(WAITS)
        self.sizes: Final = Histogram(SIZES)
        self.switches = 0
        self.open: Final[dict[str, dict[int, list[int]]]] = {}  # lock, slot: session, entries

    def granted(self, name: str, slot: int, session: int, waited: float) -> None:
        self.waits.add(waited)
        slots = self.open.get(name)
        if slots is None:
            slots = self.open[name] = {}
        now = slots.get(slot)
        if now is not None and now[0] == session:
            now[1] += 1
            return
        if now is not None:
            self.sizes.add(float(now[1]))
        self.switches += 1
        slots[slot] = [session, 1]

    def forgotten(self, name: str) -> None:
        """The lock is, and its last sessions are over."""
        slots = self.open.pop(name, None)
        if slots is not None:
            for _, entries in slots.values():
                self.sizes.add(float(entries))
