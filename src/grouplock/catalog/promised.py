"""Promises that many algorithms make together, by name."""

from __future__ import annotations

from typing import Final

from grouplock.properties import CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK, SERVED, TOGETHER

MUTEX: Final = (EXCLUSION, SERVED, NO_DEADLOCK)
SHARING: Final = (*MUTEX, TOGETHER)  # holders of one group meet inside
GROUP: Final = (*MUTEX, CONCURRENT_ENTRY, TOGETHER)
