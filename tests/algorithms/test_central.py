"""The fixed coordinator, interaction by interaction: order, slots, sets, and withdrawals."""

from __future__ import annotations

from grouplock.catalog import find
from grouplock.protocol.effects import WITHDRAWN
from tests.schedule import Schedule


def schedule(n: int, slots: int = 1) -> Schedule:
    return Schedule(find("central").system(n, {}, slots))


def test_three_messages_or_none() -> None:
    s = schedule(3)
    s.ask(1, 0)
    s.settle()
    s.leave(1)
    s.settle()
    assert s.sent == 3
    s.ask(0, 0)
    assert s.who() == [0]
    s.leave(0)
    assert s.sent == 3


def test_the_open_group_is_joined_unless_somebody_waits() -> None:
    s = schedule(5)
    for site, group in ((1, 7), (2, 7), (3, 8), (4, 7)):
        s.ask(site, group)
        s.settle()
    assert s.who() == [1, 2]
    s.drain()
    assert [site for site, _, _ in s.granted] == [1, 2, 3, 4]


def test_as_many_groups_as_slots() -> None:
    s = schedule(5, slots=2)
    for site, group in ((1, 7), (2, 8), (3, 9), (4, 7)):
        s.ask(site, group)
        s.settle()
    assert s.who() == [1, 2]
    s.leave(2)
    s.settle()
    assert s.who() == [1, 3, 4]


def test_a_set_joins_what_is_open() -> None:
    s = schedule(4)
    s.ask(1, 8)
    s.settle()
    s.ask(2, 7, 8, 9)
    s.settle()
    assert s.granted[-1] == (2, 1, 8)


def test_a_set_opens_its_first_group() -> None:
    s = schedule(2)
    s.ask(1, 8, 9)
    s.settle()
    assert s.granted == [(1, 1, 8)]


def test_sessions_have_growing_numbers() -> None:
    s = schedule(2)
    numbers = []
    for _ in range(3):
        s.ask(1, 8)
        s.deliver(1, 0)
        [granted] = s.deliver(0, 1)
        numbers.append(granted[4])
        s.leave(1)
        s.settle()
    assert numbers == [1, 2, 3]


def test_withdrawn_while_it_waits() -> None:
    s = schedule(3)
    s.ask(1, 7)
    s.settle()
    s.ask(2, 8)
    s.settle()
    s.withdraw(2, 1)
    s.deliver(2, 0)
    assert s.deliver(0, 2) == [(WITHDRAWN, 1)]
    s.drain()
    assert [site for site, _, _ in s.granted] == [1]


def test_a_grant_that_crosses_the_withdrawal_is_void() -> None:
    s = schedule(3)
    s.ask(1, 7)
    s.deliver(1, 0)
    s.withdraw(1, 1)
    assert s.deliver(0, 1, "Grant") == []
    s.settle()
    assert not s.withdrawing
    s.ask(2, 8)
    s.settle()
    assert s.who() == [2]


def test_a_grant_that_comes_after_the_withdrawal_is_void() -> None:
    s = schedule(2)
    s.ask(1, 7)
    s.deliver(1, 0)
    s.withdraw(1, 1)
    s.deliver(1, 0)
    assert s.deliver(0, 1, "Cancelled") == [(WITHDRAWN, 1)]
    assert s.deliver(0, 1, "Grant") == []


def test_a_withdrawal_that_overtakes_its_request() -> None:
    s = schedule(3)
    s.ask(1, 7)
    s.withdraw(1, 1)
    s.deliver(1, 0, "Cancel")
    assert s.deliver(0, 1) == [(WITHDRAWN, 1)]
    s.deliver(1, 0, "Ask")
    assert s.flying == []
    s.ask(2, 8)
    s.settle()
    assert s.who() == [2]
    assert s.sites[0].save().early == ()


def test_a_withdrawal_lets_in_who_waited_behind_it() -> None:
    s = schedule(4)
    for site, group in ((1, 7), (2, 8), (3, 7)):
        s.ask(site, group)
        s.settle()
    assert s.who() == [1]
    s.withdraw(2, 1)
    s.settle()
    assert s.who() == [1, 3]
