"""A session on a clock of its own: whose word it takes, and for how long."""

from __future__ import annotations

from typing import Any

from grouplock.client.errors import LockLost
from grouplock.client.session import ASKED, HELD, LEAVING, OVER, Request, Session
from grouplock.service.frames import Ask, Gone, Granted, Leave, Refused, Settings
from grouplock.service.limits import UNAVAILABLE

LEASE = 10.0
EPOCH = 1 << 40


class Want(Request):
    def has_ended(self, error: LockLost) -> None:
        self.event = "ended"


class Played:
    """One client of one node, which the test plays."""

    def __init__(self) -> None:
        self.now = 100.0
        self.said: list[Any] = []
        self.later: list[Any] = []
        self.session = Session(
            1,
            bytes(16),
            lambda keeper, frame: self.said.append(frame),
            lambda: self.now,
            lambda seconds, do: self.later.append(do),
            5.0,
        )
        self.session.knows([(0, "n0", "")], LEASE, 1)

    def asked(self, name: str = "lock") -> Want:
        request = Want(self.session, name, ("x",), Settings())
        self.session.enter(request, self)
        return request

    def held(self, name: str = "lock") -> Want:
        request = self.asked(name)
        self.session.receive(Granted(request.seq, 0, 0, EPOCH + 1))
        self.session.own(request, request)
        return request


def test_a_lease_counts_from_when_the_renewal_was_sent() -> None:
    it = Played()
    hold = it.held()
    it.now += 5.0
    it.session.renewed(0, it.now - 3.0, 1)
    it.now += 6.9
    assert it.session.believes(hold)
    it.now += 0.1
    assert not it.session.believes(hold)


def test_a_new_process_of_the_node_renews_nothing_of_the_old_one() -> None:
    it = Played()
    hold = it.held()
    it.now += 1.0
    it.session.renewed(0, it.now, 2)
    assert not it.session.believes(hold)
    assert it.session.about_to_lapse(0)
    it.session.lapse(0)
    assert (hold.state, hold.event) == (LEAVING, "ended")
    assert it.said[-1] == Leave(hold.seq, "lock")


def test_an_answer_after_the_lease_has_ended_brings_no_hold_back() -> None:
    it = Played()
    hold = it.held()
    it.now += LEASE
    it.session.renewed(0, it.now - 0.1, 1)
    assert not it.session.believes(hold)


def test_a_grant_from_before_a_lease_that_broke_is_asked_for_anew() -> None:
    it = Played()
    request = it.asked()
    first = request.seq
    it.now += LEASE
    it.session.renewed(0, it.now, 1)
    it.session.receive(Granted(first, 0, 0, EPOCH + 1))
    assert (request.state, request.seq) == (ASKED, first + 1)
    assert it.said[-2:] == [Ask(2, "lock", ("x",), Settings()), Leave(first, "lock")]
    it.session.receive(Granted(request.seq, 0, 0, EPOCH + 1))
    assert it.session.believes(request)


def test_the_grant_of_a_dead_process_is_not_taken() -> None:
    it = Played()
    request = it.asked()
    it.session.renewed(0, it.now, 2)
    it.session.receive(Granted(request.seq, 0, 0, EPOCH + 1))
    assert request.state == ASKED


def test_what_has_lapsed_is_given_back_until_that_is_answered() -> None:
    it = Played()
    hold = it.held()
    it.now += LEASE
    it.session.lapse(0)
    assert it.session.again(0) == [Leave(hold.seq, "lock")]
    it.session.receive(Gone(hold.seq))
    assert hold.state == OVER
    assert it.session.again(0) == []


def test_what_a_new_connection_finds_over_is_given_back() -> None:
    it = Played()
    hold = it.held()
    it.now += LEASE
    assert it.session.again(0) == [Leave(hold.seq, "lock")]
    assert hold.event == "ended"


def test_what_was_unavailable_is_asked_for_under_its_own_number_and_then_taken_back() -> None:
    it = Played()
    request = it.asked()
    it.session.receive(Refused(1, UNAVAILABLE, "away"))
    it.later.pop()()
    assert it.said[-1] == Ask(1, "lock", ("x",), Settings())
    it.now += 6.0
    it.session.receive(Refused(1, UNAVAILABLE, "away"))
    assert request.error is not None
    assert it.said[-1] == Leave(1, "lock")
    it.session.receive(Granted(1, 0, 0, EPOCH + 1))
    assert request.state != HELD
