"""A queue of requests that grow older with each session that passes them by.

The next session's group is the one with most requests, each counted with its age, or that of the
oldest request (paper 004, section 3.2.1, and its control in section 4).
"""

from __future__ import annotations

from typing import Final, final

from grouplock.protocol.groups import Groups
from grouplock.protocol.message import CELL, COUNT, GROUPS, SITE, Shape


@final
class Waiter:
    """A queued request; its age is the sessions begun since it came."""

    def __init__(self, site: int, number: int, groups: Groups, age: int) -> None:
        self.site: Final = site
        self.number: Final = number
        self.groups: Final = groups
        self.age: Final = age


WAITER: Final = Shape(Waiter, site=SITE, number=CELL, groups=GROUPS, age=COUNT)

Saved = tuple[tuple[int, int, Groups, int], ...]


def is_queued(queue: list[Waiter], site: int) -> bool:
    for waiter in queue:  # noqa: SIM110  a loop compiles to a loop, any() to a generator
        if waiter.site == site:
            return True
    return False


def conflict_waits(queue: list[Waiter], group: int) -> bool:
    """Whether anybody in the queue does not accept the group."""
    for waiter in queue:  # noqa: SIM110
        if group not in waiter.groups:
            return True
    return False


def next_group(queue: list[Waiter], by_priority: bool) -> int:
    """By number of requests plus their ages, or that of the request at the head."""
    eligible = queue if by_priority else queue[:1]
    best, best_weight = -1, -1
    weights: dict[int, int] = {}
    for w in queue:
        for group in w.groups:
            weights[group] = weights.get(group, 0) + 1 + w.age
    for w in eligible:  # the oldest in the queue wins a tie
        for group in w.groups:
            if weights[group] > best_weight:
                best, best_weight = group, weights[group]
    return best


def save(queue: list[Waiter]) -> Saved:
    return tuple([(w.site, w.number, w.groups, w.age) for w in queue])


def load(saved: Saved) -> list[Waiter]:
    return [Waiter(*w) for w in saved]
