"""A lock at an arbiter that goes to the oldest request, and what a requester of several keeps.

Who holds one lock and waits for another may be in a circle.  So an arbiter that has lent its lock
to the younger of two asks for it back, and a requester gives back what it is asked for once it
knows that it will not get everything: once an arbiter has told it that an older request is first.
For that, whoever is not first in line has to have been told, the one who was first until now too.
"""

from __future__ import annotations

from bisect import insort
from typing import Final, final

from grouplock.protocol.message import COUNT, Message, Shape

Stamp = tuple[int, int]  # a request: its Lamport clock and its site; the smaller one is the older

NOBODY: Final[Stamp] = (0, -1)  # no request has clock 0
ArbiterState = tuple[Stamp, bool, tuple[Stamp, ...]]
LocksState = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]


# What is said about a lock: by its clock each names a request of the site at one of its ends.


@final
class Failed(Message):
    """To a requester: an older request is first."""

    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


@final
class Inquire(Message):
    """To the holder: somebody older waits; give the lock back, unless you get everything."""

    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


@final
class Relinquish(Message):
    """To the arbiter: the lock is given back, and waited for again."""

    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


PREEMPTION: Final = (
    Shape(Failed, clock=COUNT),
    Shape(Inquire, clock=COUNT),
    Shape(Relinquish, clock=COUNT),
)


@final
class Arbiter:
    """One lock, and who waits for it."""

    def __init__(self) -> None:
        self.holder: Stamp = NOBODY
        self.recalled = False  # whether the present holder was asked to give the lock back
        self.queue: list[Stamp] = []  # who waits, the oldest first

    def arrive(self, stamp: Stamp) -> Stamp:
        """A request joins the queue.  Who is to be told that an older one is first, or nobody."""
        first = self.queue[0] if self.queue else NOBODY
        insort(self.queue, stamp)
        if self.holder == NOBODY:
            return NOBODY
        if stamp > self.holder or (first != NOBODY and stamp > first):
            return stamp
        return first if first != NOBODY and first < self.holder else NOBODY

    def recall(self) -> bool:
        """Whether to ask the holder for the lock: once, when somebody older waits."""
        if self.recalled or self.holder == NOBODY or not self.queue or self.queue[0] > self.holder:
            return False
        self.recalled = True
        return True

    def give_back(self, stamp: Stamp) -> bool:
        """The holder does without for now and waits again.  Whether it was the holder."""
        if stamp != self.holder:
            return False
        insort(self.queue, stamp)
        self.holder = NOBODY
        return True

    def drop(self, stamp: Stamp) -> bool:
        """The request waits no more.  Whether it was in the queue."""
        if stamp not in self.queue:
            return False
        self.queue.remove(stamp)
        return True

    def lend(self) -> Stamp:
        """The lock, which is free, goes to the oldest who waits, or to nobody."""
        self.recalled = False
        self.holder = self.queue.pop(0) if self.queue else NOBODY
        return self.holder

    def save(self) -> ArbiterState:
        return self.holder, self.recalled, tuple(self.queue)

    def load(self, state: ArbiterState) -> None:
        self.holder, self.recalled = state[0], state[1]
        self.queue = list(state[2])


@final
class Locks:
    """What a request has been told by its arbiters."""

    def __init__(self) -> None:
        self.held: set[int] = set()
        self.refused: set[int] = set()  # who told us that an older request is first
        self.wanted: set[int] = set()  # who wants its lock back, which we still hold

    def clear(self) -> None:
        self.held, self.refused, self.wanted = set(), set(), set()

    def gain(self, arbiter: int) -> None:
        self.held.add(arbiter)
        self.refused.discard(arbiter)

    def refuse(self, arbiter: int) -> None:
        self.refused.add(arbiter)

    def want(self, arbiter: int) -> None:
        """The arbiter asks for its lock, which came before that on the same channel."""
        assert arbiter in self.held
        self.wanted.add(arbiter)

    def hand_over(self) -> list[int]:
        """The arbiters that get back what they want, now that we know that we are not first."""
        if not self.refused or not self.wanted:
            return []
        back = sorted(self.wanted)
        for arbiter in back:
            self.held.remove(arbiter)
            self.refused.add(arbiter)
        self.wanted = set()
        return back

    def save(self) -> LocksState:
        return tuple(sorted(self.held)), tuple(sorted(self.refused)), tuple(sorted(self.wanted))

    def load(self, state: LocksState) -> None:
        self.held, self.refused, self.wanted = set(state[0]), set(state[1]), set(state[2])
