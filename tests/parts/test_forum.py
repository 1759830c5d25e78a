"""Who is let in next: the forum's rules, one by one, with nothing sent to anybody."""

from __future__ import annotations

from typing import Any

import pytest

from grouplock.parts.census import vacant
from grouplock.parts.forum import Forum, Order, Rules, load_forum, rules_of, save_forum
from grouplock.parts.ledger import Ledger, Row
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP

A, B, C = range(3)


def rules(**given: Any) -> Rules:
    options = {"policy": "priority", "ahead": "on", "stay": "on", "setup": "off", **given}
    return rules_of(options, 0, options.pop("form", "broadcast") == "broadcast")


def forum(slots: int = 1) -> Forum:
    return Forum(0, 0, [vacant() for _ in range(slots)], [])


def let_in(orders: list[Order]) -> list[tuple[int, int, int]]:
    """(site, group, slot) of the grants among them."""
    return [(o.site, o.group, o.place) for o in orders if o.session]


def recalled(orders: list[Order]) -> list[int]:
    return [o.site for o in orders if not o.session]


def ask(it: Forum, how: Rules, site: int, *groups: int) -> list[Order]:
    ticket = 1 + sum(1 for s, _ in it.tickets() if s == site)
    it.ask(site, ticket, groups)
    return it.serve(how)


# Joining.


def test_whoever_accepts_the_group_joins() -> None:
    it, how = forum(), rules()
    assert let_in(ask(it, how, 1, A)) == [(1, A, 0)]
    assert let_in(ask(it, how, 2, A, B)) == [(2, A, 0)]


def test_while_the_pivot_is_inside_others_pass_who_is_blocked() -> None:
    it, how = forum(), rules(ahead="off")
    ask(it, how, 1, A)
    ask(it, how, 2, A)
    assert let_in(ask(it, how, 3, B)) == []
    assert let_in(ask(it, how, 4, A)) == [(4, A, 0)]
    it.over(1, 1, False)
    assert let_in(it.serve(how)) == []
    assert let_in(ask(it, how, 5, A)) == []


def test_only_so_many_pass_who_is_blocked() -> None:
    it, how = forum(), rules(ahead="off", joins="2")
    ask(it, how, 1, A)
    ask(it, how, 2, B)
    came = [bool(let_in(ask(it, how, site, A))) for site in (3, 4, 5)]
    assert came == [True, True, False]


def test_the_door_opens_again_when_the_blocked_one_withdraws() -> None:
    it, how = forum(), rules(ahead="off")
    ask(it, how, 1, A)
    ask(it, how, 2, A)
    it.over(1, 1, False)
    ask(it, how, 3, B)
    assert let_in(ask(it, how, 4, A)) == []
    it.over(3, 1, False)
    assert let_in(it.serve(how)) == [(4, A, 0)]


# Opening.


def test_a_free_slot_is_the_one_with_the_same_group_then_unused_then_longest_unused() -> None:
    it, how = forum(3), rules()
    chosen = []
    for site, group in ((1, A), (2, B)):
        chosen += let_in(ask(it, how, site, group))
    it.over(1, 1, False)
    it.over(2, 1, False)
    it.serve(how)
    chosen += let_in(ask(it, how, 3, B))
    chosen += let_in(ask(it, how, 4, C))
    chosen += let_in(ask(it, how, 5, A))
    assert chosen == [(1, A, 0), (2, B, 1), (3, B, 1), (4, C, 2), (5, A, 0)]
    for site in (3, 4, 5):
        it.over(site, 1, False)
    it.serve(how)
    assert let_in(ask(it, how, 6, 7)) == [(6, 7, 1)]


def test_the_group_with_most_requests_and_ages_opens_next() -> None:
    it, how = forum(), rules(ahead="off")
    ask(it, how, 1, A)
    for site, group in ((2, B), (3, C), (4, C)):
        ask(it, how, site, group)
    it.over(1, 1, False)
    assert let_in(it.serve(how)) == [(3, C, 0), (4, C, 0)]
    assert it.passed() == 1


def test_first_come_is_an_option() -> None:
    it, how = forum(), rules(ahead="off", policy="fifo")
    ask(it, how, 1, A)
    for site, group in ((2, B), (3, C), (4, C)):
        ask(it, how, site, group)
    it.over(1, 1, False)
    assert let_in(it.serve(how)) == [(2, B, 0)]


@pytest.mark.parametrize("patience", [1, 2, 5])
def test_nobody_is_passed_by_more_sessions_than_patience_allows(patience: int) -> None:
    """B waits; three others want A or C whenever they may."""
    it, how = forum(), rules(ahead="off", patience=str(patience))
    ask(it, how, 1, A)
    ask(it, how, 2, B)
    passed = 0
    ticket, groups, inside = 10, [C, A], [(1, 1)]
    while True:
        for site in (3, 4, 5):
            ticket += 1
            it.ask(site, ticket, (groups[passed % 2],))
        for site, mine in inside:
            it.over(site, mine, False)
        orders = [o for o in it.serve(how) if o.session]
        inside = [(o.site, o.tickets[0]) for o in orders]
        if any(o.site == 2 for o in orders):
            break
        passed += 1
    assert 0 < passed <= patience


# Ahead.


def test_the_next_session_is_decided_when_the_pivot_leaves() -> None:
    it, how = forum(), rules()
    ask(it, how, 1, A)
    ask(it, how, 2, A)
    ask(it, how, 3, B)
    it.over(1, 1, False)
    orders = it.serve(how)
    assert let_in(orders) == [(3, B, 0)]
    assert [(m.site, m.tickets) for m in orders[0].after] == [(2, [1])]
    assert let_in(ask(it, how, 4, A)) == []  # nobody joins what others wait for
    assert let_in(ask(it, how, 5, B)) == [(5, B, 0)]  # they join the one whose pivot is to come


def test_at_home_the_first_alone_is_let_in_ahead_and_the_members_are_told() -> None:
    it, how = forum(), rules(form="home")
    for site, group in ((1, A), (2, A), (3, B), (4, B)):
        ask(it, how, site, group)
    it.over(1, 1, False)
    orders = it.serve(how)
    assert let_in(orders) == [(3, B, 0)]
    assert [(o.site, o.heir) for o in orders if not o.session] == [(2, (2, 3, 1))]
    it.over(2, 1, False)
    assert let_in(it.serve(how)) == [(4, B, 0)]


def test_a_session_ahead_without_members_is_given_up() -> None:
    it, how = forum(), rules()
    for site, group in ((1, A), (2, A), (3, B)):
        ask(it, how, site, group)
    it.over(1, 1, False)
    it.serve(how)
    it.over(3, 1, False)
    it.serve(how)
    assert it.ended == [2]
    assert let_in(ask(it, how, 4, A)) == [(4, A, 0)]


# Staying.


def test_members_are_recalled_once_when_somebody_waits() -> None:
    it, how = forum(), rules()
    assert ask(it, how, 1, A)[0].stay
    assert recalled(ask(it, how, 2, B)) == [1]
    assert recalled(ask(it, how, 3, C)) == []


def test_a_grant_says_that_somebody_waits() -> None:
    it, how = forum(), rules(ahead="off")
    ask(it, how, 1, A)
    ask(it, how, 2, B)
    assert [o.stay for o in ask(it, how, 3, A)] == [False]
    assert recalled(it.serve(how)) == []


# Setups.


def test_nobody_else_enters_before_the_setup_is_done() -> None:
    it, how = forum(), rules(setup="on", form="home")
    first = ask(it, how, 1, A)
    assert [(o.site, o.setup) for o in first] == [(1, UNKNOWN_GROUP)]
    assert let_in(ask(it, how, 2, A)) == []
    assert it.ready(1, 1)
    assert not it.ready(1, 1)
    assert let_in(it.serve(how)) == [(2, A, 0)]


def test_the_next_one_hears_of_the_old_group_or_that_nobody_knows() -> None:
    it, how = forum(), rules(setup="on", form="home")
    ask(it, how, 1, A)
    it.ready(1, 1)
    it.over(1, 1, False)
    it.serve(how)
    assert [o.setup for o in ask(it, how, 2, B)] == [A]
    it.over(2, 1, True)
    it.serve(how)
    assert [o.setup for o in ask(it, how, 3, B)] == [UNKNOWN_GROUP]
    it.ready(3, 1)
    it.over(3, 1, False)
    it.serve(how)
    assert [o.setup for o in ask(it, how, 4, B)] == [NO_SETUP]


# Lingering and closing.


def test_an_empty_session_lingers_until_it_is_late() -> None:
    it, how = forum(), rules(linger="5", ahead="off")
    ask(it, how, 1, A)
    it.over(1, 1, False)
    it.serve(how)
    assert let_in(ask(it, how, 2, B)) == []
    assert let_in(ask(it, how, 3, A)) == [(3, A, 0)]
    it.over(3, 1, False)
    it.serve(how)
    it.slots[0].present[0].late = True
    assert let_in(it.serve(how)) == [(2, B, 0)]


def test_doors_close_for_the_oldest_request() -> None:
    it, how = forum(), rules(ahead="off")
    ask(it, how, 1, A)
    ask(it, how, 2, B)
    it.close_doors(how.patience)
    assert let_in(ask(it, how, 3, A)) == []
    it.ask(4, 1, (C,))
    it.ask(5, 1, (C,))
    it.over(1, 1, False)
    assert let_in(it.serve(how)) == [(2, B, 0)]


# As values.


def test_a_forum_survives_saving() -> None:
    it, how = forum(2), rules()
    for site, group in ((1, A), (2, B), (3, C), (4, A)):
        ask(it, how, site, group)
    saved = save_forum(it)
    assert save_forum(load_forum(saved)) == saved


def test_a_ledger_takes_tickets_in_any_order_and_twice() -> None:
    ledger = Ledger()
    for ticket in (3, 1, 3, 5, 2):
        ledger.add(7, ticket)
    assert ledger.save() == ((7, 3, (5,)),)
    assert [ledger.has(7, t) for t in (1, 3, 4, 5, 6)] == [True, True, False, True, False]
    ledger.raise_to(7, 4)
    assert ledger.save() == ((7, 5, ()),)
    ledger.merge([Row(7, 2, [8]), Row(8, 1, [])])
    assert ledger.save() == ((7, 5, (8,)), (8, 1, ()))
    again = Ledger()
    again.load(ledger.save())
    assert again.save() == ledger.save()
