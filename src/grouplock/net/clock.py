"""The clock of leases: it goes on while the machine sleeps, and nobody sets it."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Final

now: Final[Callable[[], float]] = partial(
    time.clock_gettime, getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)
)
