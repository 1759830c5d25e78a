"""The workload's channel delays, made with the loop's timers where the messages arrive.

A channel's messages come out in the order in which they went in, each after its own exponential
delay plus size over bandwidth, but never before the one ahead of it.  Timers have a resolution of
a millisecond; what is measured is what happened, not what was drawn.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable
from typing import Final

import numpy as np

from grouplock.measure.workload import Workload
from grouplock.protocol.message import Message

STREAM: Final = 2  # tells these draws from others of the same seed
HEADER: Final = 2  # integers of a message beside what it carries
NS_PER_MS: Final = 1_000_000


class Delays:
    """All channels that end at one site."""

    def __init__(
        self, workload: Workload, me: int, hand_over: Callable[[int, Message], None]
    ) -> None:
        self.mean: Final = workload.delay
        self.per_integer: Final = 1 / workload.bandwidth if workload.bandwidth else 0.0
        self.hand_over: Final = hand_over
        self.rng: Final = np.random.default_rng([workload.seed, STREAM, me])
        self.queues: Final[dict[int, deque[Message]]] = {}
        self.last_due: Final[dict[int, int]] = {}

    def arrived(self, src: int, msg: Message, integers: int) -> None:
        if not self.mean and not self.per_integer:
            self.hand_over(src, msg)
            return
        delay = self.rng.exponential(self.mean) + (integers + HEADER) * self.per_integer
        now = time.monotonic_ns()
        due = max(now + round(delay * NS_PER_MS), self.last_due.get(src, 0))
        self.last_due[src] = due
        self.queues.setdefault(src, deque()).append(msg)
        asyncio.get_running_loop().call_later((due - now) / 1e9, self.next_of, src)

    def next_of(self, src: int) -> None:
        """As many calls as messages: each hands over the oldest."""
        self.hand_over(src, self.queues[src].popleft())
