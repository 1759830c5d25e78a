"""Cao and Singhal's algorithm, interaction by interaction; sections are those of paper 002.

What it costs is in test_cao_singhal_claims.py, and crashes are in test_cao_singhal_crashes.py.
"""

from __future__ import annotations

from typing import Any

import pytest

from grouplock.catalog import find
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.protocol.system import System
from tests.check.states import every_state
from tests.picks import Given
from tests.rounds import Rounds
from tests.schedule import Schedule
from tests.variants import Variant

SETTINGS = [o for o in find("cao-singhal").settings() if o["faults"] == "off"]
each = pytest.mark.parametrize("options", SETTINGS, ids=["-".join(o.values()) for o in SETTINGS])
KINDS = [("plane", 7), ("plane", 13), ("grid", 9), ("grid", 25), ("tree", 15), ("majority", 9)]
ONE_ARBITER = Given([(0,)] * 5)
TWO_ARBITERS = Given([(0, 1)] * 5)

# A.5 and A.6 as printed: a transfer counts while the reply is here, and no reply is given back.
PRINTED_TRANSFER = (
    "if seat is not None and number > seat.past:",
    "if seat is not None and seat.number:",
)
NO_RETURN = ("            out.send(msg.arbiter, Release(msg.stamp, msg.number, []))\n", "")


def system(n: int, pick: Given | None = None, **options: str) -> System:
    return find("cao-singhal").system(n, options, pick=pick)


# Whatever the order of things.


@each
@pytest.mark.parametrize(("kind", "n"), KINDS)
def test_long_schedules_over_many_quorum_systems(
    options: dict[str, str], kind: str, n: int
) -> None:
    requests = 6
    s = Schedule(find("cao-singhal").system(n, options, quorum=kind))
    s.run(n, requests, 1)
    assert len(s.granted) == requests * n
    assert s.sent <= s.system.worst * len(s.granted)
    for site in s.sites:
        state = site.save()
        assert (state.seats, state.desk.lock, state.desk.queue, state.desk.passed) == (
            (),
            None,
            (),
            (),
        )


@each
@pytest.mark.parametrize(("kind", "n"), KINDS)
def test_long_walks_with_starved_channels(options: dict[str, str], kind: str, n: int) -> None:
    found = find("cao-singhal").system(n, options, quorum=kind)
    scope = Scope(groups=1, requests=3)
    assert walk(found, scope.checked(found, walking=True), n).violation is None


# Section 4, assertion 1.


def behind(state: tuple[Any, ...]) -> list[int]:
    """By permission that somebody has: how many passes its arbiter has not heard of."""
    found = []
    for arbiter, local in enumerate(state):
        desk = local.site.desk
        seats = [
            (site, seat[1])
            for site, other in enumerate(state)
            for seat in other.site.seats
            if seat[0] == arbiter and seat[1]
        ]
        assert len(seats) <= 1, "a permission is in one place"
        for site, number in seats:
            assert desk.lock is not None
            assert number >= desk.number
            assert number > desk.number or desk.lock.site == site
            found.append(number - desk.number)
    return found


@pytest.mark.parametrize("ahead", ["off", "on"])
@pytest.mark.parametrize("direct", ["off", "on"])
def test_assertion_1_a_permission_is_in_one_place_and_its_arbiter_is_behind(
    ahead: str, direct: str
) -> None:
    """I1 is 0 passes behind, I2 is 1.  Section 5.3 says that they stay valid; I2 does not.

    Nobody is told of an heir before its arbiter knows that it has the permission, but with `ahead`.
    """
    seen = set()
    for pick in (None, Given([(0,)] * 3)):
        found = system(3, pick, ahead=ahead, direct=direct)
        for state in every_state(found, Scope(groups=1, requests=1)):
            seen.update(behind(state))
    assert seen == ({0, 1} if ahead == "off" else {0, 1, 2})


def test_section_5_3_i2_does_not_hold_where_releases_are_late() -> None:
    """The lock is site 1's, site 3 is inside, and did not get the permission from site 1."""
    s = Schedule(system(4, Given([(0,)] * 4), ahead="on"))
    for site in (1, 2, 3):
        s.ask(site, 0)
        s.deliver(site, 0, "Request")
    s.deliver(0, 1, "Reply")
    s.deliver(0, 1, "Transfer")
    s.deliver(0, 2, "Transfer")
    s.leave(1)  # its release stays on its way, and so does that of site 2
    s.deliver(1, 2, "Reply")
    s.leave(2)
    s.deliver(2, 3, "Reply")
    assert s.who() == [3]
    lock = s.sites[0].save().desk.lock
    assert lock is not None
    assert lock.site == 1
    s.drain()


# Races.


def late_transfer(found: System) -> Schedule:
    """A transfer from before a yield comes when the permission is back by a third site."""
    s = Schedule(found)
    for site in (4, 3, 2):
        s.ask(site, 0)  # equal stamps, so the smaller site is first
    s.deliver(4, 0)
    s.deliver(0, 4, "Reply")
    for site in (2, 3, 4):
        s.deliver(site, 1)
    s.deliver(1, 4, "Fail")
    s.deliver(3, 0)
    s.deliver(2, 0)
    s.deliver(0, 4, "Inquire")
    s.deliver(4, 0, "Yield")  # and the transfer to site 2 is on its way to site 4
    s.deliver(0, 2, "Reply")
    s.deliver(1, 2, "Reply")
    s.deliver(1, 2, "Transfer")
    s.leave(2)
    s.deliver(2, 0, "Release")
    s.deliver(2, 1, "Release")
    s.deliver(2, 3)
    s.deliver(2, 3)
    s.deliver(0, 3, "Fail")
    s.deliver(1, 3, "Fail")
    s.deliver(0, 3, "Transfer")
    s.deliver(1, 3, "Transfer")
    s.leave(3)
    for dst in (0, 1):
        s.deliver(3, dst, "Release")
    s.deliver(3, 4)
    s.deliver(3, 4)
    assert s.who() == [4]
    s.deliver(0, 4, "Transfer")
    s.leave(4)
    s.settle()
    s.ask(2, 0)
    s.settle()
    return s


def test_a_transfer_from_before_a_yield_is_dropped() -> None:
    s = late_transfer(system(5, TWO_ARBITERS))
    assert s.who() == [2]


def test_errata_a_transfer_from_before_a_yield_as_printed_locks_the_arbiter_for_ever() -> None:
    """A.5 as printed; see docs/errata/002.md.  Channels were FIFO all the time."""
    edits = (PRINTED_TRANSFER, NO_RETURN)
    s = late_transfer(Variant("late", "cao-singhal", edits, 5, pick=TWO_ARBITERS).wrong())
    assert s.who() == []
    assert s.waiting == [(2, 2)]


def overtaken(found: System) -> int:
    """Hops of a handover whose transfer came before the reply that it is about."""
    s = Rounds(found)
    for site in (1, 2, 3):
        s.ask(site, 0)
        s.deliver(site, 0, "Request")
    s.deliver(0, 2, "Fail")
    s.deliver(0, 3, "Fail")
    s.deliver(0, 1, "Reply")
    s.deliver(0, 1, "Transfer")
    s.leave(1)
    s.deliver(1, 0, "Release")
    s.deliver(0, 2, "Transfer")
    s.deliver(1, 2, "Reply")
    assert s.who() == [2]
    s.leave(2)
    return s.hops_until(s.enters(3))


def test_errata_a_transfer_before_its_reply_is_worth_a_hop() -> None:
    """Theorem 4 says T; by A.5 as printed it is 2T."""
    printed = Variant("early", "cao-singhal", (PRINTED_TRANSFER,), 4, pick=ONE_ARBITER)
    assert overtaken(printed.right()) == 1
    assert overtaken(printed.wrong()) == 2


def test_releases_may_come_in_any_order() -> None:
    s = Schedule(system(4, ONE_ARBITER))
    for site in (1, 2):
        s.ask(site, 0)
        s.deliver(site, 0, "Request")
    s.deliver(0, 1, "Reply")
    s.deliver(0, 1, "Transfer")
    s.leave(1)
    s.deliver(1, 2, "Reply")
    s.leave(2)
    s.ask(3, 0)
    s.deliver(3, 0)
    s.deliver(2, 0, "Release")
    assert list(dict(s.sites[0].save().desk.passed)) == [2]
    s.deliver(1, 0, "Release")
    s.deliver(0, 3, "Reply")
    assert s.who() == [3]


def test_no_permission_comes_for_a_request_that_is_over_where_none_is_withdrawn() -> None:
    """Also with `ahead`, of which section 5.3 says no more than that no condition is violated."""
    raises = (NO_RETURN[0], "            raise AssertionError('nobody wants it')\n")
    for options in ({}, {"ahead": "on"}, {"direct": "on"}, {"ahead": "on", "direct": "on"}):
        found = Variant("back", "cao-singhal", (raises,), 3, options).wrong()
        count = sum(1 for _ in every_state(found, Scope(groups=1, requests=1)))
        assert count == (3_271 if "direct" in options else 3_217)
