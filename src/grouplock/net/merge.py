"""The sites' histories as one, in the order of the machine's monotonic clock.

All processes read one clock, so that what is before and after is known without agreement.  Events
come in while the run goes on: they are passed on once every site has told everything up to then.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from grouplock.net.control import Event


class Merger:
    def __init__(self, n: int) -> None:
        self.upto: Final = [0] * n
        self.heap: Final[list[tuple[int, int, int, Event]]] = []  # at, site, order of arrival
        self.order = 0

    def add(self, site: int, upto: int, events: Iterable[Event]) -> None:
        """All that the site has to tell of the time up to then."""
        for event in events:
            self.order += 1
            heapq.heappush(self.heap, (event.at, site, self.order, event))
        self.upto[site] = max(self.upto[site], upto)

    def ready(self) -> Iterator[tuple[int, Event]]:
        """(site, event), nothing of which anything earlier can still come."""
        certain = min(self.upto)
        while self.heap and self.heap[0][0] <= certain:
            _, site, _, event = heapq.heappop(self.heap)
            yield site, event

    def rest(self) -> Iterator[tuple[int, Event]]:
        """What is left where no more will come."""
        while self.heap:
            _, site, _, event = heapq.heappop(self.heap)
            yield site, event


def merge_traces(parts: list[Path], into: IO[str]) -> None:
    """The steps of several sites' traces in order of time; each part is in order already."""
    files = [part.open(encoding="utf-8") for part in parts if part.exists()]
    try:
        for line in heapq.merge(*[_whole_lines(f) for f in files], key=_time_of):
            into.write(line)
    finally:
        for f in files:
            f.close()


def _whole_lines(file: IO[str]) -> Iterator[str]:
    """Without the last line of a process that was ended in the middle of it."""
    return (line for line in file if line.endswith("\n"))


def _time_of(line: str) -> float:
    """Steps are written with their time first: {"at":12.5,"""
    return float(line[len('{"at":') : line.index(",")])
