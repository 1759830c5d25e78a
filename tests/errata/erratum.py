"""An erratum: our algorithm with a handler as the paper prints it, and the property that breaks."""

from __future__ import annotations

from typing import NamedTuple

from grouplock.check.checker import Result, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.protocol.channel import Channel
from grouplock.protocol.system import System
from tests.variants import Variant


class Erratum(NamedTuple):
    variant: Variant
    paper: str  # its number
    place: str  # in the paper
    title: str  # what is wrong, in one line
    breaks: str  # the property
    scope: Scope = Scope(groups=2, requests=2)
    # Where the exhaustive search takes too long: the seed of a random walk that finds it.
    walk: int | None = None
    # Where it needs a channel that the right algorithm is not given.
    channel: Channel | None = None
    # Where that channel is what is wrong.
    only_printed: bool = False

    @property
    def name(self) -> str:
        return self.variant.name

    def printed(self) -> System:
        return self.over(self.variant.wrong())

    def repaired(self) -> System:
        right = self.variant.right()
        return right if self.only_printed else self.over(right)

    def over(self, system: System) -> System:
        return system if self.channel is None else system._replace(channel=self.channel)

    def found(self, system: System) -> Result:
        if self.walk is None:
            return check(system, self.scope)
        return walk(system, self.scope.checked(system, walking=True), self.walk)
