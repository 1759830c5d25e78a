"""Requests with the groups that are acceptable to them: at an arbiter, on the wire, at a leader."""

from __future__ import annotations

from typing import Final, final

from grouplock.parts.fulfilled import Fulfilled
from grouplock.parts.preemption import NOBODY, Arbiter, Stamp
from grouplock.parts.weights import NOTHING, WHOLE, Weight, plus
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, GROUPS, SITE, Records, Shape


@final
class Wish:
    """On the wire."""

    def __init__(self, clock: int, site: int, groups: Groups) -> None:
        self.clock: Final = clock
        self.site: Final = site
        self.groups: Final = groups


WISHES: Final = Records(Shape(Wish, clock=COUNT, site=SITE, groups=GROUPS))

WishState = tuple[tuple[Stamp, Groups], ...]


def meet(groups: Groups, others: Groups) -> bool:
    """Whether one group is acceptable to both."""
    return any([group in others for group in groups])


# At an arbiter.

DeskState = tuple[tuple[Stamp, bool, tuple[Stamp, ...]], WishState, Weight, tuple[Stamp, ...]]


@final
class Desk:
    """An arbiter's lock for a whole group: who holds it for others, and who waits for what.

    The lock is free again when all of its holder's weight has come back.
    """

    def __init__(self) -> None:
        self.arbiter: Final = Arbiter()
        self.groups: dict[Stamp, Groups] = {}  # of the holder and of who waits
        self.returned = NOTHING  # of the holder's weight
        self.handed: list[Stamp] = []  # of whom the holder was told

    def arrive(self, stamp: Stamp, groups: Groups) -> Stamp:
        """A request joins the queue.  Who is to be told that an older one is first, or nobody."""
        self.groups[stamp] = groups
        return self.arbiter.arrive(stamp)

    def drop(self, stamp: Stamp) -> None:
        """The request waits no more, if it did."""
        if self.arbiter.drop(stamp):
            del self.groups[stamp]

    def come_back(self, weight: Weight) -> bool:
        """Whether that was the rest."""
        self.returned = plus(self.returned, weight)
        return self.returned == WHOLE

    def lend(self) -> Stamp:
        """Who holds the lock holds it no more; the oldest who waits does, or nobody."""
        last = self.arbiter.holder
        if last != NOBODY:
            del self.groups[last]
        self.returned, self.handed = NOTHING, []
        return self.arbiter.lend()

    def welcome(self) -> list[Wish]:
        """Who waits and may be inside with the holder, the oldest first."""
        wanted = self.groups[self.arbiter.holder]
        found = []
        for stamp in self.arbiter.queue:
            groups = self.groups[stamp]
            if meet(groups, wanted):
                found.append(Wish(stamp[0], stamp[1], groups))
        return found

    def conflicts(self) -> list[Stamp]:
        """Who waits and may not be."""
        wanted = self.groups[self.arbiter.holder]
        return [stamp for stamp in self.arbiter.queue if not meet(self.groups[stamp], wanted)]

    def save(self) -> DeskState:
        groups = tuple([(stamp, self.groups[stamp]) for stamp in sorted(self.groups)])
        return self.arbiter.save(), groups, self.returned, tuple(sorted(self.handed))

    def load(self, state: DeskState) -> None:
        self.arbiter.load(state[0])
        self.groups, self.returned, self.handed = dict(state[1]), state[2], list(state[3])


# At a leader.

HeardState = tuple[tuple[tuple[int, WishState], ...], WishState, tuple[Stamp, ...]]


@final
class Heard:
    """Who else waits, as a request has heard on its way."""

    def __init__(self) -> None:
        self.queued: dict[int, list[Wish]] = {}  # by the arbiter that told us with its lock
        self.forwarded: dict[Stamp, Groups] = {}
        self.conflicts: list[Stamp] = []

    def clear(self) -> None:
        self.queued, self.forwarded, self.conflicts = {}, {}, []

    def conflict(self, stamp: Stamp) -> None:
        if stamp not in self.conflicts:
            self.conflicts.append(stamp)

    def waiting(self, own: Stamp, fulfilled: Fulfilled) -> list[tuple[Stamp, Groups]]:
        """Who waits for what, as far as we know, the oldest first; we ourselves do not."""
        known = dict(self.forwarded)
        for wishes in self.queued.values():
            for wish in wishes:
                known[(wish.clock, wish.site)] = wish.groups
        known.pop(own, None)
        return [(s, known[s]) for s in sorted(known) if not fulfilled.knows(s)]

    def save(self) -> HeardState:
        queued = []
        for site in sorted(self.queued):
            wishes = [((wish.clock, wish.site), wish.groups) for wish in self.queued[site]]
            queued.append((site, tuple(wishes)))
        forwarded = tuple([(stamp, self.forwarded[stamp]) for stamp in sorted(self.forwarded)])
        return tuple(queued), forwarded, tuple(sorted(self.conflicts))

    def load(self, state: HeardState) -> None:
        self.queued = {
            site: [Wish(stamp[0], stamp[1], groups) for stamp, groups in wishes]
            for site, wishes in state[0]
        }
        self.forwarded, self.conflicts = dict(state[1]), list(state[2])


def most_wanted(groups: Groups, waiting: list[tuple[Stamp, Groups]]) -> int:
    """The one of the groups that most of those who wait accept; the smallest of several."""
    best, most = groups[0], -1
    for group in groups:
        count = len([1 for _, accepted in waiting if group in accepted])
        if count > most:
            best, most = group, count
    return best
