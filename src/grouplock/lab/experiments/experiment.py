"""What an experiment is: the runs that it needs, what they say about claims, and its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from grouplock.lab.claims.claim import Measured
from grouplock.lab.runs import Task, Values, task

Results = Mapping[Task, Values]


class Missing(LookupError):
    """A run that failed; the message names it."""


class Scale(NamedTuple):
    """How much is run.  The axes of a figure are the same at every scale."""

    quick: bool = False
    full: bool = False

    def of(self, usual: int, quick: int, full: int = 0) -> int:
        """How many; `full` where more than usual is worth its time."""
        if self.quick:
            return quick
        return full if self.full and full else usual

    @property
    def name(self) -> str:
        return "quick" if self.quick else "full" if self.full else "usual"


class Line(NamedTuple):
    label: str
    xs: tuple[float, ...]
    means: tuple[float, ...]
    halves: tuple[float, ...]


class Panel(NamedTuple):
    y: str
    lines: tuple[Line, ...]
    even: float | None = None  # a level to compare with: 1 where a ratio is drawn


class Figure(NamedTuple):
    name: str
    title: str
    x: str
    panels: tuple[Panel, ...]
    caption: str
    log: bool = False  # whether x is on a logarithmic scale
    ticks: tuple[str, ...] = ()  # names of the places 0, 1, 2 and so on of x


class Experiment(NamedTuple):
    id: str
    title: str
    about: str  # how it is done, and what had to be chosen
    tasks: Callable[[Scale], list[Task]]
    measure: Callable[[Results, Scale], dict[str, Measured]]
    figures: Callable[[Results, Scale], list[Figure]] = lambda results, scale: []

    @property
    def paper(self) -> str:
        return self.id[:3]


Named = Mapping[str, Values]


def of_scenes(
    id: str,
    title: str,
    about: str,
    scenes: Callable[[Scale], Mapping[str, Task]],
    measure: Callable[[Named], dict[str, Measured]],
    figures: Callable[[Named], list[Figure]] = lambda named: [],
) -> Experiment:
    """An experiment whose runs have names."""

    def named(results: Results, scale: Scale) -> Named:
        return {name: results[task] for name, task in scenes(scale).items()}

    return Experiment(
        id,
        title,
        about,
        lambda scale: list(scenes(scale).values()),
        lambda results, scale: measure(named(results, scale)),
        lambda results, scale: figures(named(results, scale)),
    )


def counted(value: float, note: str = "") -> Measured:
    """What is exact: a count, or a formula's value; sums of thirds are rounded."""
    return Measured(round(float(value), 9), 0.0, note)


def scene(function: str, **arguments: object) -> Task:
    return task(f"scenes.{function}", **arguments)
