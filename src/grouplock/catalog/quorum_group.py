"""Group mutual exclusion by permission of a quorum, with sets of groups where they are taken."""

from __future__ import annotations

from typing import Final

from grouplock.catalog.entry import Algorithm

ALGORITHMS: Final[tuple[Algorithm, ...]] = ()
