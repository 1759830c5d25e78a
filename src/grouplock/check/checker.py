"""Check a system: explore everything within a scope, give a verdict on each promise."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from typing import Final, NamedTuple, final

from grouplock.check.cells import BROKEN, Cells, Move
from grouplock.check.explore import Explorer
from grouplock.check.perform import Input, perform
from grouplock.check.scope import OVERLAP, Scope
from grouplock.measure.trace import Step
from grouplock.properties import (
    ASSERTION,
    CONCURRENT_ENTRY,
    INTEGRITY,
    SERVED,
    TOGETHER,
)
from grouplock.protocol.system import System

HOLDS: Final = "holds"
NOT_VIOLATED: Final = "not-violated"
VIOLATED: Final = "violated"
UNREACHED: Final = "unreached"

SLICE: Final = 50_000  # states between two looks at the clock and at ctrl-C
NO_LIMIT: Final = (1 << 31) - 1


class Progress(NamedTuple):
    states: int
    transitions: int
    frontier: int
    depth: int
    doing: str


class Violation(NamedTuple):
    properties: tuple[str, ...]
    reason: str
    steps: tuple[Step, ...]  # a shortest run that shows it


class Result(NamedTuple):
    states: int
    transitions: int
    depth: int
    complete: bool
    properties: dict[str, str]
    violation: Violation | None
    wall_s: float
    steps: tuple[Step, ...] = ()  # those of a walk

    @property
    def failed(self) -> bool:
        return self.violation is not None or (
            self.complete and UNREACHED in self.properties.values()
        )


def check(
    system: System,
    scope: Scope,
    limit: int = NO_LIMIT,
    tell: Callable[[Progress], None] = lambda progress: None,
) -> Result:
    """Explore until everything is known, something is wrong, or `limit` states were found.

    An interrupt (ctrl-C) ends it with what is known so far.
    """
    return Checker(system, scope.checked(system), limit, tell).run()


@final
class Checker:
    def __init__(
        self, system: System, scope: Scope, limit: int, tell: Callable[[Progress], None]
    ) -> None:
        self.system: Final = system
        self.scope: Final = scope
        self.limit: Final = limit
        self.tell: Final = tell
        self.cells: Final = Cells(system, scope)
        self.explorer: Final = Explorer(
            self.cells, system.promises, system.slots, system.shared, system.numbered
        )

    def run(self) -> Result:
        began = time.monotonic()
        try:
            complete = self.explore() and self.follow_circles()
        except KeyboardInterrupt:
            complete = False
        return self.result(complete, time.monotonic() - began)

    def explore(self) -> bool:
        """Whether all states were expanded."""
        explorer = self.explorer
        states = 0
        while not explorer.done() and states < self.limit:
            explorer.run(min(self.limit, states + SLICE))
            states, transitions, frontier, depth = explorer.figures()
            self.tell(Progress(states, transitions, frontier, depth, "exploring"))
        return explorer.done() and explorer.verdict is None

    def follow_circles(self) -> bool:
        """What the states alone do not tell: requests that wait for ever in a circle of duties."""
        explorer = self.explorer
        if not explorer.circles_possible:
            return True
        states, transitions, _, depth = explorer.figures()
        told = Progress(states, transitions, 0, depth, "looking for circles")
        while explorer.untangle(SLICE):
            self.tell(told)
        if not explorer.has_circles():
            return True
        for promise, without_exits in ((SERVED, False), (CONCURRENT_ENTRY, True)):
            if promise in self.system.promises:
                explorer.begin_answers(without_exits)
                while explorer.spread_answers(without_exits):
                    self.tell(told._replace(doing=f"following circles: {promise}"))
                explorer.judge_answers(without_exits)
        return explorer.verdict is None

    # What is said in the end.

    def result(self, complete: bool, wall_s: float) -> Result:
        states, transitions, _, depth = self.explorer.figures()
        violation = self.violation()
        verdicts = judged(self.system, self.scope, violation, complete, self.explorer.met)
        return Result(states, transitions, depth, complete, verdicts, violation, wall_s)

    def violation(self) -> Violation | None:
        verdict = self.explorer.verdict
        if verdict is None:
            return None
        rows = self.explorer.path_to(verdict.state)
        labels = [self.label(a, b) for a, b in itertools.pairwise(rows)]
        if verdict.fault >= 0:
            labels.append(self.broken_label(rows[-1], verdict.fault))
        return Violation(verdict.properties, verdict.reason, trace(self.system, labels))

    def label(self, before: list[int], after: list[int]) -> tuple[int, Input]:
        """The step from one state to the next: who does what."""
        for column, cell in enumerate(before):
            for move in self.cells.moves(cell):
                if not move.bits & BROKEN and self.applied(before, column, move) == after:
                    return column, move.do
        for do, row in self.cells.fault_moves(before):
            if row == after:
                return do[1], do
        raise AssertionError("a state that its parent does not lead to")

    def broken_label(self, row: list[int], fault: int) -> tuple[int, Input]:
        for column, cell in enumerate(row):
            for move in self.cells.moves(cell):
                if move.bits & BROKEN and self.cells.faults[move.cell] == self.cells.faults[fault]:
                    return column, move.do
        for do, target in self.cells.fault_moves(row):
            if target[0] < 0:
                return do[1], do
        raise AssertionError("a broken step that nobody takes")

    def applied(self, row: list[int], column: int, move: Move) -> list[int]:
        fresh = [
            self.cells.push(cell, bundle) if bundle else cell
            for cell, bundle in zip(row, move.sends, strict=True)
        ]
        fresh[column] = move.cell
        return fresh


def judged(
    system: System, scope: Scope, violation: Violation | None, complete: bool, met: bool
) -> dict[str, str]:
    """The verdict on each promise, and on what nobody has to promise."""
    broken = violation.properties if violation else ()
    verdicts = {}
    for name in (*system.promises, INTEGRITY, ASSERTION):
        if name == TOGETHER:
            if can_meet(system, scope):
                verdicts[name] = HOLDS if met else UNREACHED
        elif name in broken:
            verdicts[name] = VIOLATED
        else:
            verdicts[name] = HOLDS if complete else NOT_VIOLATED
    return verdicts


def can_meet(system: System, scope: Scope) -> bool:
    """Whether there can be two requests at one time; else nobody can be expected to meet."""
    return system.n > 1 or (OVERLAP in scope.events and scope.requests > 1)


def together(results: list[Result]) -> Result:
    """Several walks as one result: the last one has the violation, if any has."""
    verdicts = dict(results[-1].properties)
    if TOGETHER in verdicts and any(r.properties[TOGETHER] == HOLDS for r in results):
        verdicts[TOGETHER] = HOLDS
    return Result(
        sum(r.states for r in results),
        sum(r.transitions for r in results),
        max(r.depth for r in results),
        False,
        verdicts,
        results[-1].violation,
        sum(r.wall_s for r in results),
    )


def trace(system: System, labels: list[tuple[int, Input]]) -> tuple[Step, ...]:
    """The steps of the sites, run again from the beginning with all effects."""
    sites = system.sites()
    steps: list[Step] = []
    for at, (site, do) in enumerate(labels, 1):
        if site == system.n:
            continue  # the manager's own steps show in what it tells the sites
        if do[0] == "crash":
            steps.append(Step(float(at), site, ("crash",), ()))
            continue
        if do[0] == "restart":
            sites[site] = system.make(site)
            do = ("restart", do[-1])
        try:
            effects = perform(system, sites[site], do)
        except Exception:  # noqa: BLE001  the failing step ends the run; its reason is in the end
            effects = ()
        steps.append(Step(float(at), site, do, effects))
    return tuple(steps)
