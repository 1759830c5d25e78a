"""The clock of leases: it goes on while the machine sleeps, and nobody sets it."""

from __future__ import annotations

import time
from typing import Final

_ID: Final = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def now() -> float:
    return time.clock_gettime(_ID)
