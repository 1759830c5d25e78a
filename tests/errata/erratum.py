"""An erratum: our algorithm with a handler as the paper prints it, and the property that breaks."""

from __future__ import annotations

from pathlib import Path
from typing import Final, NamedTuple

from grouplock.check.checker import Result, Violation, check, judged
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.check.world import Choice, Violated, World
from grouplock.measure.trace import Step, read
from grouplock.protocol.channel import Channel
from grouplock.protocol.system import System
from tests.variants import Variant

TRACES: Final = Path(__file__).parent / "traces"


class Erratum(NamedTuple):
    variant: Variant
    paper: str  # its number
    place: str  # in the paper
    title: str  # what is wrong, in one line
    breaks: str  # the property
    scope: Scope = Scope(groups=2, requests=2)
    # Where the exhaustive search takes too long: the seed of a random walk that finds it.
    walk: int | None = None
    # Where a walk does not find it soon either: the kept run itself says what happens when.
    directed: bool = False
    # Where it needs a channel that the right algorithm is not given.
    channel: Channel | None = None
    # Where nothing else is judged, because it breaks sooner or is not to be had here.
    alone: bool = False
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
        if self.alone:
            system = system._replace(promises=(self.breaks,))
        return system if self.channel is None else system._replace(channel=self.channel)

    def found(self, system: System) -> Result:
        if self.directed:
            return self.follow(system)
        if self.walk is None:
            return check(system, self.scope)
        return walk(system, self.scope.checked(system, walking=True), self.walk)

    def follow(self, system: System) -> Result:
        """The inputs of the kept run, as far as they can come."""
        scope = self.scope.checked(system, walking=True)
        world, violation = World(system, scope), None
        with (TRACES / f"{self.name}.jsonl").open() as file:
            inputs = [(row.site, row.do) for row in read(file) if isinstance(row, Step)]
        try:
            for site, do in inputs:
                if world.can_do(Choice(site, do)):
                    world.do(Choice(site, do))
        except Violated as wrong:
            violation = Violation(wrong.properties, wrong.reason, tuple(world.steps))
        verdicts = judged(system, scope, violation, complete=False, met=world.met)
        many = len(world.steps)
        return Result(many + 1, many, many, False, verdicts, violation, 0.0)
