"""Which messages may not overtake which: the latest arrival on each channel that is in use.

A hash table with open addressing: an n x n table would outgrow the cache and, at 10,000 sites,
the memory.  Channels whose last message has arrived are forgotten whenever the table is rebuilt,
so that it grows with what is on its way.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import i64

from grouplock.sim.arrays import repeated, repeated_floats

FREE: Final = -1
SPREAD: Final = 0x9E3779B1  # Knuth's multiplicative hash; keys stay far below 2^31 * 2^32


@final
class LastArrivals:
    def __init__(self) -> None:
        self.capacity: i64 = 64
        self.used: i64 = 0
        self.keys = repeated(FREE, 64)
        self.times = repeated_floats(0.0, 64)

    def after(self, channel: i64, due: float, now: float) -> float:
        """When a message that would arrive at `due` does, not overtaking; and remember it."""
        keys = self.keys
        mask = self.capacity - 1
        at = ((channel & 0x7FFFFFFF) * SPREAD >> 7) & mask
        while keys[at] != channel:
            if keys[at] == FREE:
                keys[at] = channel
                self.times[at] = due
                self.used += 1
                if self.used * 2 > self.capacity:
                    self.rebuild(now)
                return due
            at = (at + 1) & mask
        last = self.times[at]
        if last > due:
            return last
        self.times[at] = due
        return due

    def latest(self, channel: i64) -> float:
        """When the last known message on a channel arrives; 0 where none is known."""
        keys = self.keys
        mask = self.capacity - 1
        at = ((channel & 0x7FFFFFFF) * SPREAD >> 7) & mask
        while keys[at] != FREE:
            if keys[at] == channel:
                return self.times[at]
            at = (at + 1) & mask
        return 0.0

    def rebuild(self, now: float) -> None:
        keys, times = self.keys, self.times
        live: i64 = 0
        for t in times:
            if t > now:
                live += 1
        capacity: i64 = 64
        while capacity < 4 * live:
            capacity *= 2
        self.capacity = capacity
        self.keys = repeated(FREE, capacity)
        self.times = repeated_floats(0.0, capacity)
        self.used = 0
        mask = capacity - 1
        i: i64 = 0
        while i < len(keys):
            if keys[i] != FREE and times[i] > now:
                at = ((keys[i] & 0x7FFFFFFF) * SPREAD >> 7) & mask
                while self.keys[at] != FREE:
                    at = (at + 1) & mask
                self.keys[at] = keys[i]
                self.times[at] = times[i]
                self.used += 1
            i += 1
