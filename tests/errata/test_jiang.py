"""Paper 003: what is shown by a schedule made by hand; told in docs/errata/003.md."""

from __future__ import annotations

import pytest

from grouplock.protocol.pick import Quorum
from grouplock.protocol.system import System
from tests.picks import ReadWrite
from tests.schedule import Schedule
from tests.variants import Variant

X, Y = 0, 1

# Five rows of two, k = 2: a row and a node of the next.  Who leads, who is in its way, who waits.
WRITES: list[Quorum] = [(0, 1, 2), (4, 5, 6), (6, 7, 8)]
LEADER, STRANGER, WAITER = 2, 9, 8
OWN = [{LEADER: 0, STRANGER: 1, WAITER: 2}.get(site, 0) for site in range(10)]
TORUS = ReadWrite(WRITES, OWN, [(0, 2, 4, 7, 8)] * 10)

QUEUE_ALONE = Variant(
    "jiang-scans-the-queue-alone",
    "jiang",
    (
        (
            "            if other.site != claim.site and other not in told:\n",
            "            waits = (other.stamp, other.site) in self.registry.lock.queue\n"
            "            if waits and other.site != claim.site and other not in told:\n",
        ),
    ),
    n=10,
    options={"patience": "never"},
    slots=2,
    pick=TORUS,
)


def a_stranger_holds_what_is_missing(system: System) -> Schedule:
    """The waiter has the grants of 7 and 8, which are registrars of a leader of its group."""
    s = Schedule(system)
    s.ask(STRANGER, Y)
    s.settle()
    s.ask(WAITER, X)
    s.settle()
    assert s.who() == [STRANGER]
    s.ask(LEADER, X)
    s.settle()
    return s


@pytest.mark.parametrize(
    ("system", "inside"),
    [(QUEUE_ALONE.right(), [LEADER, WAITER, STRANGER]), (QUEUE_ALONE.wrong(), [LEADER, STRANGER])],
    ids=["ours", "as printed"],
)
def test_j7_who_has_a_grant_is_told_too(system: System, inside: list[int]) -> None:
    s = a_stranger_holds_what_is_missing(system)
    assert s.who() == inside
    assert s.flying == []
    s.leave(STRANGER)
    s.settle()
    assert s.who() == [LEADER, WAITER]
    s.drain()
