"""Where a site that takes one request at a time stands."""

from __future__ import annotations

from typing import Final

IDLE: Final = 0
WAITING: Final = 1
INSIDE: Final = 2
