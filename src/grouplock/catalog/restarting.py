"""Crash tolerance as a wrapper round another algorithm."""

from __future__ import annotations

from typing import Final

from grouplock.catalog.entry import Algorithm

ALGORITHMS: Final[tuple[Algorithm, ...]] = ()
