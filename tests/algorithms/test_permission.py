"""Ricart-Agrawala and RA1, interaction by interaction."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from tests.schedule import Schedule


def schedule(name: str, n: int) -> Schedule:
    return Schedule(find(name).system(n, {}))


BOTH = pytest.mark.parametrize("name", ["ricart-agrawala", "ra1"])


@BOTH
@pytest.mark.parametrize("n", [1, 2, 7])
def test_a_request_costs_2_n_minus_1_messages(name: str, n: int) -> None:
    """Paper 004, section 1.1, of RA1; the same for its ancestor."""
    s = schedule(name, n)
    for turn in range(3):
        s.ask(0, turn)
        s.settle()
        s.leave(0)
        assert s.sent == 2 * (n - 1) * (turn + 1)


@BOTH
def test_nobody_else_asks_two_hops_to_enter(name: str) -> None:
    s = schedule(name, 3)
    s.ask(1, 0)
    assert s.deliver(1, 0) == s.deliver(1, 2) == []
    s.deliver(0, 1)
    assert s.who() == []
    s.deliver(2, 1)
    assert s.who() == [1]


@BOTH
def test_one_hop_from_one_holder_to_the_next(name: str) -> None:
    """Paper 004, section 1.1: synchronisation delay."""
    s = schedule(name, 2)
    s.ask(0, 0)
    s.settle()
    s.ask(1, 1)
    s.settle()
    assert s.who() == [0]
    s.leave(0)
    s.deliver(0, 1)
    assert s.who() == [1]


@BOTH
def test_of_two_asks_that_cross_the_older_is_first(name: str) -> None:
    """Equal stamps are decided by the site."""
    s = schedule(name, 2)
    s.ask(1, 1)
    s.ask(0, 0)
    s.deliver(0, 1)
    s.deliver(1, 0)
    s.settle()
    assert s.who() == [0]
    s.drain()
    assert [site for site, _, _ in s.granted] == [0, 1]


@BOTH
def test_an_idle_site_learns_the_time(name: str) -> None:
    """Else a later request of its own would go before one that it has allowed already."""
    s = schedule(name, 3)
    for _ in range(3):
        s.ask(0, 0)
        s.settle()
        s.leave(0)
    s.ask(0, 0)  # its stamp is 4
    s.deliver(0, 1)
    s.ask(1, 1)
    s.deliver(1, 0)
    s.deliver(1, 2)
    s.deliver(2, 1)
    assert s.who() == []  # site 0 has not allowed it, for it is older
    s.drain()
    assert [site for site, _, _ in s.granted][-2:] == [0, 1]


def test_one_group_shares() -> None:
    """Paper 004, section 1.1, of RA1: maximum concurrency is n."""
    s = schedule("ra1", 5)
    for site in range(5):
        s.ask(site, 7)
    s.settle()
    assert s.who() == [0, 1, 2, 3, 4]


def test_a_plain_mutex_does_not_share() -> None:
    s = schedule("ricart-agrawala", 3)
    for site in range(3):
        s.ask(site, 7)
    s.settle()
    assert s.who() == [0]


def test_a_stranger_in_between_keeps_a_group_apart() -> None:
    """Why RA1's expected concurrency is O(1) under load (paper 004, section 1.1)."""
    s = schedule("ra1", 3)
    s.ask(0, 1)
    s.settle()
    s.ask(1, 2)
    s.settle()
    s.ask(2, 1)
    s.settle()
    assert s.who() == [0]  # site 2 is of its group, and waits for site 1, which waits for site 0
    s.leave(0)
    s.settle()
    assert s.who() == [1]
