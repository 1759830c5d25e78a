"""Maekawa's algorithm, interaction by interaction, and what two papers say that it costs."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.quorums import build
from tests.picks import Given, everybody
from tests.schedule import Schedule

KINDS = [("cyclic", 4), ("plane", 7), ("plane", 13), ("grid", 9), ("majority", 5), ("tree", 7)]


def schedule(n: int, quorum: str = "cyclic") -> Schedule:
    return Schedule(find("maekawa").system(n, {}, quorum=quorum))


def all_of(n: int) -> Schedule:
    return Schedule(find("maekawa").system(n, {}, pick=everybody(n)))


@pytest.mark.parametrize(("kind", "n"), [("plane", 7), ("plane", 13), ("grid", 9), ("grid", 25)])
def test_alone_3_messages_for_each_other_member_of_the_quorum(kind: str, n: int) -> None:
    """Paper 000, III.B, and paper 002, table 1: 3(K-1) for quorums of K that hold their site."""
    s = schedule(n, kind)
    quorums = build(kind, n).assignment()
    for site in range(n):
        before = s.sent
        s.ask(site, 0)
        s.settle()
        assert s.who() == [site]
        s.leave(site)
        s.settle()
        assert s.sent - before == 3 * len([y for y in quorums[site] if y != site])


def test_two_hops_to_enter_and_two_to_hand_over() -> None:
    """Paper 000, III.B: waiting time and synchronisation delay."""
    s = schedule(3)  # quorums {0, 1}, {1, 2}, {2, 0}
    s.ask(0, 0)
    s.deliver(0, 1, "Request")
    s.deliver(1, 0, "Locked")
    assert s.who() == [0]
    s.ask(2, 0)
    s.settle()
    assert s.who() == [0]
    s.leave(0)
    s.settle()
    assert s.who() == [2]
    s.leave(2)
    s.settle()
    s.ask(0, 0)
    s.settle()
    s.ask(1, 0)
    s.settle()
    s.leave(0)
    s.deliver(0, 1, "Released")
    assert s.who() == [1]  # its own arbiter was the one that it waited for


def test_at_most_6_messages_for_each_other_member() -> None:
    """Request, Inquire, Relinquish, Locked, Released, and Locked anew for whom it was taken from.

    The literature, and paper 002 in table 1, say 5(K-1).
    """
    s = all_of(3)
    for site in (2, 1, 0):
        s.ask(site, 0)  # each holds its own lock; equal clocks, so the smaller site is older
    s.deliver(0, 1)
    s.deliver(1, 0)
    s.deliver(0, 2)
    s.settle()
    assert s.who() == [0]
    s.drain()
    assert [site for site, _, _ in s.granted] == [0, 1, 2]
    assert 3 * 3 * 2 < s.sent <= 3 * 6 * 2


def test_of_two_requests_that_cross_the_older_is_first() -> None:
    s = all_of(2)
    s.ask(1, 0)
    s.ask(0, 0)
    s.settle()
    assert s.who() == [0]
    s.leave(0)
    s.settle()
    assert s.who() == [1]


def test_a_displaced_head_is_told() -> None:
    """Paper 002, section 3.4: or it keeps a lock that an older request waits for."""
    s = Schedule(find("maekawa").system(5, {}, pick=Given([(0, 4), (1, 4), (2, 4), (3, 4), (4,)])))
    for site in (3, 2, 1):
        s.ask(site, 0)  # equal clocks: the smaller site is older
    s.deliver(3, 4)  # has the lock
    s.deliver(2, 4)  # is older: the lock is asked for
    s.deliver(1, 4)  # is older still, and first now
    sent = [(dst, type(msg).__name__) for src, dst, msg in s.flying if src == 4]
    assert sent == [(3, "Locked"), (3, "Inquire"), (2, "Failed")]
    s.drain()
    assert len(s.granted) == 3


@pytest.mark.parametrize(("kind", "n"), KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_long_schedules_over_many_quorum_systems(kind: str, n: int, seed: int) -> None:
    s = schedule(n, kind)
    s.run(seed, 12, 1, fifo=True)
    assert len(s.granted) == 12 * n
    assert s.sent <= s.system.worst * len(s.granted)
    assert [site.save().locks for site in s.sites] == [((), (), ())] * n
    assert [site.save().arbiter for site in s.sites] == [((0, -1), False, ())] * n
