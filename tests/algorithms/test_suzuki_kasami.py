"""Suzuki and Kasami's token, interaction by interaction; paper 004, section 3.1, retells it."""

from __future__ import annotations

from grouplock.catalog import find
from tests.schedule import Schedule


def schedule(n: int) -> Schedule:
    return Schedule(find("suzuki-kasami").system(n, {}))


def test_the_holder_enters_without_a_message() -> None:
    s = schedule(4)
    for turn in range(3):
        s.ask(0, 0)
        assert s.who() == [0]
        s.leave(0)
        assert (s.sent, turn + 1) == (0, len(s.granted))


def test_a_request_costs_n_messages() -> None:
    """n-1 Asks of one integer, and the Token with n and its queue."""
    s = schedule(4)
    s.ask(2, 0)
    s.settle()
    assert s.who() == [2]
    assert (s.sent, s.integers) == (4, 3 * 1 + 4)


def test_one_hop_from_one_holder_to_the_next() -> None:
    s = schedule(3)
    s.ask(0, 0)
    s.ask(1, 0)
    s.settle()
    s.leave(0)
    s.deliver(0, 1, "Token")
    assert s.who() == [1]


def test_the_queue_begins_at_the_right_hand_neighbour() -> None:
    """So that among sites found waiting at one exit none is always last."""
    s = schedule(4)
    s.ask(2, 0)
    s.settle()
    for site in (0, 1, 3):
        s.ask(site, 0)
    s.settle()
    s.drain()
    assert [site for site, _, _ in s.granted] == [2, 3, 0, 1]


def test_who_is_queued_is_not_overtaken() -> None:
    s = schedule(3)
    s.ask(0, 0)
    s.ask(2, 0)
    s.settle()
    s.leave(0)
    s.ask(0, 0)
    s.settle()
    s.ask(1, 0)
    s.settle()
    s.drain()
    assert [site for site, _, _ in s.granted] == [0, 2, 0, 1]


def test_an_ask_that_was_answered_long_ago_does_no_harm() -> None:
    s = schedule(3)
    s.ask(1, 0)
    s.deliver(1, 0)
    s.deliver(0, 1, "Token")
    s.leave(1)
    s.ask(2, 0)
    s.deliver(2, 1)
    s.deliver(1, 2, "Token")
    s.leave(2)
    s.deliver(1, 2)  # the first Ask, at last: site 2 holds the token and keeps it
    assert s.sites[2].tokens() == 1
    s.ask(1, 0)
    s.settle()
    assert s.who() == [1]


def test_of_two_asks_the_older_may_come_last() -> None:
    s = schedule(3)
    s.ask(1, 0)
    s.deliver(1, 0)
    s.deliver(0, 1)
    s.leave(1)
    s.ask(0, 0)
    s.deliver(0, 1)
    s.deliver(1, 0)
    s.leave(0)
    s.ask(1, 0)
    s.deliver(1, 2, newest=True)
    s.deliver(1, 2)
    assert s.sites[2].save().asked == (0, 2, 0)
    s.drain()
    assert [site for site, _, _ in s.granted] == [1, 0, 1]
