"""What make check-deep explores: every algorithm, three sites or four, two requests each."""

from __future__ import annotations

from typing import Final, NamedTuple

from grouplock.catalog import Algorithm, find
from grouplock.check.scope import Scope
from grouplock.protocol.system import System

LIMIT: Final = 3_000_000  # states, where there are more than that
Counts = tuple[int, int]  # states and transitions


class Exploration(NamedTuple):
    algorithm: str
    options: dict[str, str]
    n: int
    scope: Scope
    counts: Counts | None  # of the whole, or that it is larger than the limit
    slots: int = 1
    quorum: str | None = None

    @property
    def name(self) -> str:
        """Unlike those of all others; fit for a file."""
        scope = self.scope
        words = [self.algorithm, *self.options.values(), f"n{self.n}", f"g{scope.groups}"]
        words += [f"s{scope.sets}"] if scope.sets > 1 else []
        words += [f"r{scope.requests}", *scope.events]
        words += [f"f{scope.faults}"] if scope.faults > 1 else []
        words += [f"k{self.slots}"] if self.slots > 1 else []
        return "-".join([*words, self.quorum] if self.quorum else words)

    def entry(self) -> Algorithm:
        return find(self.algorithm)

    def system(self) -> System:
        return self.entry().system(self.n, self.options, self.slots, self.quorum, self.scope.groups)
