"""Group k-exclusion: several groups inside at once."""

from __future__ import annotations

from typing import Final

from grouplock.catalog.entry import Algorithm

ALGORITHMS: Final[tuple[Algorithm, ...]] = ()
