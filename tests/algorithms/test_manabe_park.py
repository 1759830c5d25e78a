"""Manabe and Park's algorithm, interaction by interaction, and the claims of paper 001."""

from __future__ import annotations

import pytest

from grouplock.algorithms.manabe_park import NOBODY
from grouplock.catalog import find
from grouplock.check.checker import VIOLATED, check
from grouplock.check.scope import Scope
from grouplock.parts.phases import INSIDE
from grouplock.properties import CONCURRENT_ENTRY
from grouplock.protocol.pick import Pick, Quorum
from grouplock.protocol.system import System
from tests.check.states import Local, quiet_states
from tests.schedule import Schedule
from tests.variants import Variant


class Given(Pick):
    """Quorums as listed, one for each site."""

    def __init__(self, *quorums: Quorum) -> None:
        self.quorums = quorums

    def quorum(self, node: int, turn: int = 0, alive: object = None, held: object = ()) -> Quorum:
        return self.quorums[node]


def schedule(*quorums: Quorum, choice: str = "any") -> Schedule:
    """Sites with these quorums; with none, three in a ring."""
    picked = Given(*quorums) if quorums else None
    n = len(quorums) or 3
    return Schedule(find("manabe-park").system(n, {"choice": choice}, pick=picked))


# The requester of the first site asks managers 4 and 5; others meet it in one of them.
STAR = ((4, 5), (3, 4), (3, 5), (3, 4), (4, 5), (4, 5))


# Section 4.2: how one comes in.


def test_a_pivot_calls_in_whoever_accepts_its_group() -> None:
    s = schedule()
    s.ask(0, 7)
    s.settle()
    s.ask(1, 7, 8)
    s.ask(2, 6, 7)
    s.settle()
    assert s.who() == [0, 1, 2]
    assert {group for _, _, group in s.granted} == {7}
    s.drain()


def test_who_was_queued_is_called_by_the_lock() -> None:
    s = schedule(*STAR)
    s.ask(0, 7)
    s.ask(1, 7, 8)
    s.deliver(0, 4)
    s.deliver(0, 5)
    s.deliver(1, 4)  # queued behind 0
    s.deliver(4, 0)
    s.deliver(5, 0)
    assert s.who() == [0]
    assert s.deliver(0, 4, "Lock") == []
    s.deliver(4, 1, "Enter")
    assert s.who() == [0, 1]
    s.drain()


def test_the_permission_goes_to_the_older_request() -> None:
    """Both want all of 4 and 5; the one that the second manager saw first is asked to yield."""
    s = schedule(*STAR[:4], (4, 5), (4, 5))
    s.ask(0, 7)
    s.ask(4, 8)  # the manager 4 is its own: it has that at once
    s.deliver(0, 4)  # older by its site
    s.deliver(0, 5)
    s.deliver(4, 5)
    assert s.who() == []
    s.settle()
    assert s.who() == [0]
    s.drain()
    assert [site for site, _, _ in s.granted] == [0, 4]


def test_nobody_conflicting_enters_before_the_last_follower_has_left() -> None:
    """Section 4.2's example of why a Release alone frees nobody."""
    s = schedule((3, 4), (4, 5), (3, 5), (3,), (4,), (5,))
    s.ask(0, 1)
    s.settle()
    s.ask(1, 2)
    s.settle()
    s.ask(2, 1)
    s.settle()
    assert s.who() == [0, 2]
    s.leave(0)
    s.settle()
    assert s.who() == [2]
    s.leave(2)
    s.settle()
    assert s.who() == [1]


def test_a_request_made_while_the_last_one_is_closing() -> None:
    s = schedule()
    s.ask(0, 7)
    s.settle()
    s.ask(1, 7)
    s.settle()
    s.leave(0)
    s.settle()
    s.ask(0, 8)
    s.settle()
    assert s.who() == [1]
    s.drain()
    assert s.granted[-1] == (0, 2, 8)


def test_an_enter_that_comes_too_late_is_dropped() -> None:
    """Both managers call site 2; when it hears of the second, it has come and gone."""
    s = schedule((3, 4), (3, 4), (3, 4), (3, 4), (3, 4))
    s.ask(0, 7)
    s.settle()
    s.ask(2, 7)
    s.deliver(2, 3)
    s.deliver(2, 4)
    s.deliver(3, 2, "Enter")
    s.leave(2)
    s.ask(2, 8)
    s.deliver(4, 2, "Enter")
    assert s.who() == [0]
    s.drain()
    assert s.granted[-1] == (2, 2, 8)


# Section 5: a group for the waiters.


@pytest.mark.parametrize(("choice", "group"), [("any", 1), ("waiters", 2)])
def test_the_group_that_most_waiters_accept(choice: str, group: int) -> None:
    s = schedule(*[(0, 1, 2, 3)] * 5, choice=choice)
    s.ask(4, 9)
    s.settle()
    s.ask(0, 1, 2)
    s.settle()
    for site in (2, 3):
        s.ask(site, 2)
        s.settle()
    s.ask(1, 1)
    s.settle()
    s.leave(4)
    s.settle()
    assert {g for _, _, g in s.granted[1:]} == {group}
    s.drain()


def test_one_waiter_that_two_managers_tell_of_counts_once() -> None:
    s = schedule(*[(0, 1)] * 5, choice="waiters")
    s.ask(4, 9)
    s.settle()
    s.ask(0, 1, 2)
    s.settle()
    s.ask(2, 2)
    s.settle()
    s.leave(4)
    s.settle()
    assert s.who() == [0, 2]
    assert s.granted[-1][2] == 2


def test_the_newest_request_of_a_waiter_counts() -> None:
    """Manager 4 still tells of the request of 3 that manager 5 has let in; 5 tells of the next."""
    s = schedule((4, 6), (5, 6), *[(4, 5)] * 5, choice="waiters")
    s.ask(1, 1)
    s.settle()
    s.ask(0, 9)
    s.settle()
    s.ask(2, 1, 2)
    s.deliver(2, 4)
    s.ask(3, 1)
    s.deliver(3, 4)
    s.deliver(3, 5)
    s.deliver(5, 3, "Enter")
    s.leave(3)
    s.deliver(3, 5, "NoNeed")
    s.leave(1)
    for manager in (5, 6):
        s.deliver(1, manager, "Release")
        s.deliver(manager, 1, "Finished")
    s.ask(3, 2)
    s.deliver(3, 5, "Ask")
    s.deliver(2, 5, "Ask")
    s.deliver(1, 6, "Over")
    s.deliver(6, 0, "Ok")
    s.leave(0)
    for manager in (4, 6):
        s.deliver(0, manager, "Lock")
        s.deliver(0, manager, "Release")
        s.deliver(manager, 0, "Finished")
    s.deliver(0, 4, "Over")
    s.deliver(4, 2, "Ok")
    s.deliver(1, 5, "Over")
    s.deliver(5, 2, "Ok")
    assert s.granted[-1] == (2, 1, 2)
    s.drain()


# Section 4.4: messages.


def cost(s: Schedule) -> int:
    sent, s.sent = s.sent, 0
    return sent


APART = ((3, 4, 5), (3, 6, 7), (4, 6, 8), (9,), (9,), (9,), (9,), (9,), (9,), (9,))


def test_section_4_4_six_a_manager_when_alone() -> None:
    s = schedule(*APART)
    s.ask(0, 7)
    s.settle()
    s.leave(0)
    s.settle()
    assert cost(s) == 6 * 3


def test_section_4_4_three_a_manager_for_a_follower() -> None:
    """|Q meet Q'| = 1: an Enter of one, an Ok of the others."""
    s = schedule(*APART)
    s.ask(0, 7)
    s.settle()
    cost(s)
    s.ask(1, 7)
    s.settle()
    s.leave(1)
    s.settle()
    assert cost(s) == 3 * 3
    assert s.who() == [0]


def test_section_4_4_nine_a_manager_at_worst() -> None:
    """Every manager has offered its permission to somebody younger, and gives it back later."""
    s = schedule((3, 4, 5), (3, 4, 5), (3, 4, 5), *APART[3:])
    s.ask(1, 8)
    s.deliver(1, 3)
    s.deliver(1, 4)
    s.deliver(1, 5)
    s.deliver(3, 1)  # two of three Oks are here
    s.deliver(4, 1)
    s.ask(0, 7)
    for manager in (3, 4, 5):
        s.deliver(0, manager)
    s.deliver(3, 1, "Cancel")  # before the third Ok
    s.settle()
    assert s.who() == [0]
    s.leave(0)
    s.settle()
    s.leave(1)
    s.settle()
    assert cost(s) == 6 * 3 + 9 * 3
    assert [site for site, _, _ in s.granted] == [0, 1]


def test_two_hops_to_enter_and_four_to_hand_over() -> None:
    s = schedule((3, 4), (3, 4), (3,), (3,), (3,))
    s.ask(0, 7)
    s.deliver(0, 3)
    s.deliver(0, 4)
    s.deliver(3, 0)
    s.deliver(4, 0)
    assert s.who() == [0]
    s.ask(1, 8)
    s.settle()
    s.leave(0)
    for kind, down in (("Release", True), ("Finished", False), ("Over", True)):
        for manager in (3, 4):
            s.deliver(0, manager, kind) if down else s.deliver(manager, 0, kind)
    assert s.who() == []
    s.deliver(3, 1, "Ok")
    s.deliver(4, 1, "Ok")
    assert s.who() == [1]


# Theorem 4, and what is not claimed.


def unnecessarily_blocked(state: tuple[Local, ...]) -> bool:
    """Whether somebody waits that accepts the group of a pivot that is inside."""
    groups = [
        call.group
        for local in state
        for call in local.calls
        if local.site.phase == INSIDE and local.site.caller == NOBODY
    ]
    return any(group in wanted for group in groups for local in state for wanted in local.wanted)


SCOPES = [Scope(groups=2, requests=1), Scope(groups=3, sets=2), Scope(groups=1, requests=2)]


@pytest.mark.parametrize("choice", ["any", "waiters"])
@pytest.mark.parametrize("scope", SCOPES)
def test_theorem_4_nobody_is_blocked_while_the_pivot_is_inside(scope: Scope, choice: str) -> None:
    """In every state of all interleavings in which no message is on its way."""
    system = find("manabe-park").system(3, {"choice": choice})
    looked = [unnecessarily_blocked(state) for state in quiet_states(system, scope)]
    assert len(looked) > 50
    assert not any(looked)


def test_that_property_can_fail() -> None:
    forgets = ("self.status == LOCKED and self.group in ask.groups", "False")
    wrong = Variant("forgets-to-call", "manabe-park", (forgets,), n=3).wrong()
    assert any(unnecessarily_blocked(s) for s in quiet_states(wrong, SCOPES[0]))


def test_after_the_pivot_a_follower_keeps_out_its_own_group() -> None:
    """No concurrent entry in Joung's sense: the paper does not claim it (its section 2)."""
    system = claiming(find("manabe-park").system(3, {}))
    result = check(system, Scope(groups=1, requests=2))
    assert result.properties[CONCURRENT_ENTRY] == VIOLATED
    s = schedule()
    s.ask(0, 7)
    s.settle()
    s.ask(1, 7)
    s.settle()
    s.leave(0)
    s.settle()
    s.ask(2, 7)
    s.settle()
    assert s.who() == [1]


def claiming(system: System) -> System:
    return system._replace(promises=(*system.promises, CONCURRENT_ENTRY))
