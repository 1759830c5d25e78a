"""Maekawa_S, interaction by interaction, and what papers say of it."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.measure.workload import Workload
from grouplock.protocol.system import System
from grouplock.quorums.groups import Surficial
from grouplock.sim.run import simulate
from tests.algorithms.test_maekawa_m import Written
from tests.schedule import Schedule


def maekawa(n: int, m: int) -> System:
    return find("maekawa-s").system(n, {}, groups=m)


def meeting(n: int) -> System:
    """All ask the sites 0, 1, 2."""
    return find("maekawa-s").system(n, {}, pick=Written(dict.fromkeys(range(n), (0, 1, 2))))


# What a request costs.


@pytest.mark.parametrize(("n", "m", "size"), [(4, 2, 2), (9, 2, 3), (12, 3, 4), (25, 2, 5)])
def test_a_request_costs_2c_plus_1_messages(n: int, m: int, size: int) -> None:
    """Paper 001, section 4.4; paper 003, section 1."""
    s = Schedule(maekawa(n, m))
    outside = 0
    for site in range(n):
        for group in range(m):
            before = s.sent
            s.ask(site, group)
            s.settle()
            s.leave(site)
            s.settle()
            quorum = Surficial(n, m).surface(group, (site + s.rids[site]) % Surficial(n, m).d)
            if site not in quorum:
                assert s.sent - before == 2 * size + 1
                outside += 1
    assert outside


@pytest.mark.parametrize("groups", [2, 3, 6])
def test_a_conflict_costs_nothing_more(groups: int) -> None:
    """The same: nothing is called back, whatever the load."""
    system = maekawa(12, groups)
    size = len(Surficial(12, groups).surface(0, 0))
    workload = Workload(n=12, groups=groups, requests=50, think=0)
    assert simulate(system, workload).figures.messages_per_request <= 2 * size + 1


def test_a_member_s_own_messages_are_free() -> None:
    s = Schedule(meeting(4))
    for site, messages in ((3, 3 + 1 + 3), (0, 2 + 1 + 2), (1, 3 + 1 + 2), (2, 3 + 0 + 2)):
        before = s.sent
        s.ask(site, 0)
        s.drain()
        assert s.sent - before == messages
        assert messages <= 2 * 3 + 1


def test_q_plus_1_hops_to_enter() -> None:
    """Paper 000, section I: O(q) hops."""
    s = Schedule(meeting(4))
    s.ask(3, 0)
    for src, dst in ((3, 0), (0, 1), (1, 2), (2, 3)):
        assert s.who() == []
        assert len(s.flying) == 1
        s.deliver(src, dst)
    assert s.who() == [3]


@pytest.mark.parametrize(("waits_at", "hops"), [(0, 4), (1, 3), (2, 2)])
def test_2_to_q_plus_1_hops_from_one_holder_to_the_next(waits_at: int, hops: int) -> None:
    """Paper 000, section I: a synchronisation delay of O(q)."""
    pick = Written({4: tuple(range(waits_at, 3)), 5: (0, 1, 2)})
    s = Schedule(find("maekawa-s").system(6, {}, pick=pick))
    s.ask(4, 0)
    s.settle()
    s.ask(5, 1)
    s.settle()
    s.leave(4)
    for member in range(waits_at, 3):
        s.deliver(4, member, "Released")
    for _ in range(hops - 2):
        assert s.who() == []
        [(src, dst, _)] = s.flying
        s.deliver(src, dst)
    assert s.who() == []
    s.deliver(2, 5, "Locked")
    assert s.who() == [5]


# Who is inside together.


def test_all_of_one_group_are_inside_together() -> None:
    """Paper 003, section 1: an unbounded degree of concurrency."""
    s = Schedule(maekawa(12, 3))
    for site in range(12):
        s.ask(site, 1)
    s.settle()
    assert s.who() == list(range(12))


def test_the_group_joins_while_the_reference_is_inside_past_who_waits() -> None:
    """Paper 003, section 1: the reference node."""
    s = Schedule(meeting(7))
    s.ask(3, 0)
    s.settle()
    s.ask(4, 1)
    s.settle()
    s.ask(5, 0)
    s.settle()
    assert s.who() == [3, 5]
    s.leave(3)
    s.settle()
    s.ask(6, 0)
    s.settle()
    assert s.who() == [5]
    s.leave(5)
    s.settle()
    assert s.who() == [4]
    s.drain()


def test_the_next_session_takes_all_of_its_group_who_wait() -> None:
    s = Schedule(meeting(8))
    for site, group in ((3, 0), (4, 1), (5, 2), (6, 1)):
        s.ask(site, group)
        s.settle()
    s.leave(3)
    s.settle()
    assert s.who() == [4, 6]
    s.ask(7, 1)
    s.settle()
    assert s.who() == [4, 6, 7]  # site 4 is the reference, and inside
    s.drain()


def test_where_nobody_waits_the_door_stays_open() -> None:
    """A newcomer is the next reference."""
    s = Schedule(meeting(7))
    s.ask(3, 0)
    s.ask(4, 0)
    s.settle()
    s.leave(3)
    s.settle()
    s.ask(5, 0)
    s.settle()
    assert s.who() == [4, 5]
    s.ask(6, 1)
    s.settle()
    s.ask(3, 0)
    s.settle()
    assert s.who() == [3, 4, 5]  # site 5 is the reference


def test_the_reference_keeps_context_switches_few() -> None:
    """Paper 003, section 1, against Toyomura's algorithm; and against Maekawa_M."""
    workload = Workload(n=25, groups=2, requests=60)

    def sessions(name: str, kind: str | None) -> float:
        system = find(name).system(25, {}, quorum=kind, groups=2)
        figures = simulate(system, workload).figures
        return figures.sessions / figures.served

    few = sessions("maekawa-s", None)
    assert few < 0.8 * sessions("toyomura", "grid")
    assert few < 0.8 * sessions("maekawa-m", None)


# What it must not claim.


def test_the_third_process_is_blocked_needlessly() -> None:
    """Paper 001, section 3, the second type, which it shows of Joung's algorithms."""
    pick = Written({}, {0: {4: (2, 3), 6: (0, 1)}, 1: {5: (0, 2)}})
    s = Schedule(find("maekawa-s").system(7, {}, pick=pick))
    for site, group in ((4, 0), (5, 1), (6, 0)):
        s.ask(site, group)
        s.settle()
    assert s.who() == [4]
    s.drain()


# Races.


def test_a_released_that_the_next_request_has_overtaken() -> None:
    s = Schedule(meeting(4))
    s.ask(3, 0)
    s.settle()
    s.leave(3)
    s.deliver(3, 0, "Released")
    s.ask(3, 1)
    s.deliver(3, 0, "Request")
    s.deliver(0, 1, "Request")  # site 1 still counts the old one as inside, with another group
    assert [type(msg).__name__ for _, _, msg in s.flying] == ["Released", "Released"]
    s.deliver(3, 1, "Released")
    s.deliver(1, 2, "Request")
    s.deliver(3, 2, "Released")
    s.deliver(2, 3, "Locked")
    assert s.who() == [3]
