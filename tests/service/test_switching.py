"""Setup, lingering sessions, and limits that close doors and throw nobody out."""

from __future__ import annotations

from typing import Any

from grouplock.service.frames import SWITCH, UNKNOWN, Gone, Granted, Ready, Refused, Settings
from tests.service.desk import LEASE, Desk


def granted(heard: list[Any]) -> Granted:
    [frame] = heard
    assert isinstance(frame, Granted)
    return frame


# Setup.


def test_the_first_entrant_sets_up_and_the_others_come_afterwards() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    first = granted(a.ask("x", setup=True))
    assert (first.setup, first.old) == (UNKNOWN, "")
    assert b.ask("x", setup=True) == []
    assert a.say(Ready(1, "lock", True)) == []
    second = granted(b.heard())
    assert (second.setup, second.fence) == (0, first.fence)


def test_a_switch_says_from_which_group() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x", setup=True)
    a.say(Ready(1, "lock", True))
    b.ask("y", setup=True)
    a.leave()
    switch = granted(b.heard())
    assert (switch.setup, switch.old) == (SWITCH, "x")


def test_the_same_group_again_needs_no_setup() -> None:
    desk = Desk()
    a = desk.client(1)
    a.ask("x", setup=True)
    a.say(Ready(1, "lock", True))
    a.leave()
    assert granted(a.ask("x", setup=True)).setup == 0


def test_who_has_no_setup_does_not_keep_others_waiting() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    assert granted(a.ask("x")).setup == 0
    assert granted(b.ask("x", setup=True)).setup == 0


def test_a_setup_that_fails_is_tried_by_the_next_one() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    failed = granted(a.ask("x", setup=True))
    b.ask("x", setup=True)
    [refused] = a.say(Ready(1, "lock", False))
    assert isinstance(refused, Refused)
    retry = granted(b.heard())
    assert retry.setup == UNKNOWN
    assert retry.fence > failed.fence


def test_a_setup_that_never_answers_ends_with_its_lease() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x", setup=True)
    desk.tick(LEASE / 2)
    b.ask("y", setup=True)
    assert b.heard() == []
    desk.tick(LEASE / 2 + 0.1)
    assert granted(b.heard()).setup == UNKNOWN


def test_who_leaves_in_the_middle_of_its_setup_has_failed() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x", setup=True)
    b.ask("x", setup=True)
    assert Gone(1) in a.leave()
    assert granted(b.heard()).setup == UNKNOWN
    assert desk.entries() == 1


# Lingering.


def test_an_empty_session_lingers_for_its_own_group() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    slow = Settings(linger=2.0)
    fence = granted(a.ask("x", settings=slow)).fence
    a.leave()
    assert granted(a.ask("x", settings=slow)).fence == fence
    a.leave()
    assert b.ask("y", settings=slow) == []
    desk.tick(1.9)
    assert b.heard() == []
    desk.tick(0.2)
    assert granted(b.heard()).fence > fence


# Doors that close.


def test_a_long_session_takes_nobody_in_past_a_waiter() -> None:
    desk = Desk()
    callers = [desk.client(i) for i in range(1, 5)]
    limited = Settings(max_session=3.0)
    granted(callers[0].ask("x", settings=limited))
    assert callers[1].ask("y", settings=limited) == []
    granted(callers[2].ask("x", settings=limited))
    desk.tick(3.1)
    assert callers[3].ask("x", settings=limited) == []
    assert callers[0].leave() == [Gone(1)]
    assert callers[1].heard() == [], "whoever is in stays in"
    callers[2].leave()
    granted(callers[1].heard())


def test_an_old_request_is_passed_no_more() -> None:
    desk = Desk()
    callers = [desk.client(i) for i in range(1, 5)]
    limited = Settings(max_wait=3.0)
    granted(callers[0].ask("x", settings=limited))
    assert callers[1].ask("y", settings=limited) == []
    granted(callers[2].ask("x", settings=limited))
    desk.tick(3.1)
    assert callers[3].ask("x", settings=limited) == []


def test_fifo_serves_in_the_order_of_arrival() -> None:
    desk = Desk()
    callers = [desk.client(i) for i in range(1, 7)]
    fifo = Settings(policy="fifo")
    granted(callers[0].ask("a", settings=fifo))
    callers[1].ask("b", settings=fifo)
    for many in callers[2:]:
        many.ask("c", settings=fifo)
    callers[0].leave()
    granted(callers[1].heard())
    desk = Desk()
    callers = [desk.client(i) for i in range(1, 7)]
    granted(callers[0].ask("a"))
    callers[1].ask("b")
    for many in callers[2:]:
        many.ask("c")
    callers[0].leave()
    assert [len(c.heard()) for c in callers[1:]] == [0, 1, 1, 1, 1], "many go before one"
