"""TokenGME, claim by claim; sections and theorems are those of paper 004.

Site 0 begins with the primary token, of group 0 and session 0.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from tests.schedule import Schedule


def schedule(n: int, policy: str = "priority") -> Schedule:
    return Schedule(find("token-gme").system(n, {"policy": policy}))


def sent(s: Schedule, kind: str) -> int:
    return len([m for _, _, m in s.flying if type(m).__name__ == kind])


def with_idle_secondaries(n: int) -> Schedule:
    """A quiet session in which everybody but site 0 keeps a secondary token."""
    s = schedule(n)
    for site in range(1, n):
        s.ask(site, 0)
        s.settle()
        s.leave(site)
    assert s.flying == []
    return s


# Section 3.2: tokens are lent, kept, given back.


def test_a_holder_enters_without_a_message() -> None:
    s = with_idle_secondaries(4)
    before = s.sent
    for site in range(4):
        s.ask(site, 0)
    assert s.who() == [0, 1, 2, 3]
    assert s.sent == before


def test_a_compatible_request_costs_n_messages_now() -> None:
    s = schedule(4)
    s.ask(2, 0)
    s.settle()
    assert s.who() == [2]
    assert (s.sent, s.integers) == (4, 3 * 2 + (4 + 4))  # a secondary has n + 4 integers


def test_a_holder_gives_back_when_it_learns_of_a_conflict() -> None:
    s = with_idle_secondaries(3)
    s.ask(1, 5)
    s.deliver(1, 2, "Ask")
    assert sent(s, "Release") == 2 + 2  # its own, and that of site 2
    assert s.sites[2].save().holds == 0


def test_a_busy_holder_gives_back_when_it_leaves() -> None:
    s = schedule(3)
    s.ask(1, 0)
    s.settle()
    s.ask(2, 5)
    s.settle()
    assert s.who() == [1]
    s.leave(1)
    assert sent(s, "Release") == 2


def test_a_token_of_the_next_session_waits_until_it_is_safe() -> None:
    s = schedule(3)
    s.ask(1, 0)
    s.settle()
    s.ask(2, 5)
    s.settle()
    assert s.sites[2].tokens() == 1  # the primary came, and says that one secondary is out
    assert s.who() == [1]
    s.leave(1)
    s.deliver(1, 2, "Release")
    assert s.who() == [2]


def test_a_follower_may_enter_before_the_heir() -> None:
    """As section 3.2 says: followers do not depend on the primary token's arrival."""
    s = schedule(3)
    s.ask(0, 0)
    for site in (2, 1):
        s.ask(site, 5)
        s.deliver(site, 0)
    s.leave(0)
    s.deliver(0, 1, "Secondary")
    assert s.who() == [1]
    s.leave(1)
    s.deliver(0, 2, "Primary")
    assert s.who() == [2]


def test_the_token_is_safe_if_somebody_released_one_of_its_session() -> None:
    """Clause (2).  Without it site 2 waits for ever, also over FIFO channels."""
    s = schedule(3)
    s.ask(2, 0)
    s.settle()
    s.leave(2)
    s.ask(0, 0)
    s.ask(2, 5)  # gives back its secondary of session 0
    s.deliver(2, 0, "Ask")
    s.ask(1, 5)
    s.deliver(1, 0, "Ask")
    s.leave(0)  # session 1: the primary to site 2, a secondary to site 1
    s.deliver(0, 1, "Secondary")
    s.deliver(2, 1, "Release")
    assert s.who() == [1]
    s.ask(0, 0)
    s.deliver(0, 1, "Ask")
    s.leave(1)
    s.deliver(1, 2, "Release")  # of session 1: site 2 counts that session from now on
    s.deliver(0, 2, "Primary")
    assert s.who() == [2]


def test_requests_that_came_before_the_token_are_offered_to_it() -> None:
    s = schedule(4)
    s.ask(1, 5)
    s.deliver(1, 0)  # the primary is on its way to site 1
    s.ask(2, 5)
    s.deliver(2, 1)
    s.deliver(0, 1, "Primary")
    s.deliver(1, 2, "Secondary")
    assert s.who() == [1, 2]


def test_a_secondary_that_is_lent_before_it_is_safe_says_so() -> None:
    """Two of session 0 are out: the heir, and who borrows from it, wait for both."""
    s = with_idle_secondaries(4)
    s.ask(1, 0)
    s.ask(2, 0)
    s.ask(3, 5)
    s.settle()
    assert s.sites[3].tokens() == 1
    assert s.who() == [1, 2]
    s.leave(1)
    s.deliver(1, 3, "Release")
    s.deliver(1, 0, "Release")
    s.ask(0, 5)
    s.deliver(0, 3, "Ask")
    s.deliver(3, 0, "Secondary")
    assert s.who() == [2]
    s.leave(2)
    s.deliver(2, 3, "Release")
    assert s.who() == [3]
    s.deliver(2, 0, "Release")
    assert s.who() == [0, 3]


def test_an_heir_that_knows_of_all_releases_lends_safe_tokens() -> None:
    s = schedule(4)
    s.ask(1, 0)
    s.settle()
    s.ask(2, 5)
    s.deliver(2, 0)
    s.deliver(2, 1)
    s.ask(3, 5)
    s.deliver(3, 2)
    s.leave(1)
    s.deliver(1, 2, "Release")
    s.deliver(0, 2, "Primary")
    s.deliver(2, 3, "Secondary")  # which has not heard of site 1's Release
    assert s.who() == [2, 3]


def test_an_old_ask_that_comes_last_is_ignored() -> None:
    s = schedule(3)
    s.ask(1, 0)
    s.deliver(1, 0)
    s.deliver(0, 1)
    s.leave(1)
    s.ask(1, 5)
    s.deliver(1, 2, "Ask", newest=True)
    s.deliver(1, 2, "Ask")
    state = s.sites[2].save()
    assert (state.asked, state.accepts) == ((0, 2, 0), ((), (5,), ()))
    s.drain()


# Section 3.2.1: the next session's group.


@pytest.mark.parametrize(("policy", "first"), [("priority", [2, 3]), ("fifo", [1])])
def test_the_group_with_most_waiting_requests_or_the_oldest(policy: str, first: list[int]) -> None:
    s = schedule(4, policy)
    s.ask(0, 0)
    for site, group in ((1, 5), (2, 6), (3, 6)):
        s.ask(site, group)
        s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == first


def test_age_makes_up_for_number() -> None:
    """A request that was passed over once weighs 1 + 1, as much as two new ones."""
    s = schedule(5)
    s.ask(0, 0)
    for site, group in ((1, 5), (2, 6), (3, 6)):
        s.ask(site, group)
        s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [2, 3]  # 2 against 1
    for site in (0, 4):
        s.ask(site, 7)
        s.settle()
    s.leave(3)
    s.leave(2)
    s.settle()
    assert s.who() == [1]  # 1 + 1 against 2, and it is the older one


def test_a_tie_goes_to_whoever_is_queued_first() -> None:
    s = schedule(3)
    s.ask(0, 0)
    s.ask(2, 6)
    s.settle()
    s.ask(1, 5)
    s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [2]


# Section 3.5: what it costs.


def test_theorem_8_a_burst_of_releases_belongs_to_earlier_requests() -> None:
    """2n-1 a request is amortised: one request sets off (n-1)^2 Releases."""
    n = 6
    s = with_idle_secondaries(n)
    assert s.sent == (n - 1) * n
    s.ask(1, 5)
    s.settle()
    s.leave(1)
    s.settle()
    assert s.sent == (n - 1) * n + n + (n - 1) ** 2
    assert s.sent <= (2 * n - 1) * n  # n requests in all


def test_theorem_9_sizes() -> None:
    """Ask 2, Release 1, Primary n + 5 and 4 for each in its queue."""
    n = 4
    s = schedule(n)
    s.ask(0, 0)
    for site, group in ((1, 5), (2, 6), (3, 6)):
        s.ask(site, group)
        s.settle()
    assert s.integers == 3 * (n - 1) * 2
    s.leave(0)
    assert s.integers == 3 * (n - 1) * 2 + (n + 4) + (n + 5 + 4)


def test_theorem_10_one_hop_from_one_session_to_the_next() -> None:
    s = schedule(2)
    s.ask(0, 0)
    s.ask(1, 5)
    s.settle()
    s.leave(0)
    s.deliver(0, 1)
    assert s.who() == [1]


def test_theorem_11_two_hops_to_enter() -> None:
    s = schedule(3)
    s.ask(1, 5)
    s.deliver(1, 0)
    s.deliver(0, 1)
    assert s.who() == [1]


def test_theorem_12_all_inside_together() -> None:
    s = schedule(7)
    for site in range(7):
        s.ask(site, 5)
    s.settle()
    assert s.who() == list(range(7))


# Section 5.1: sets of groups.


def test_all_that_accept_the_group_share_it() -> None:
    s = schedule(4)
    s.ask(0, 0, 1)
    s.ask(1, 0, 2)
    s.ask(2, 0, 3)
    s.settle()
    assert s.who() == [0, 1, 2]
    assert {group for _, _, group in s.granted} == {0}


def test_a_set_waits_behind_a_queued_conflict_and_a_single_group_does_not() -> None:
    s = schedule(4)
    s.ask(0, 0)
    s.ask(1, 5)
    s.settle()
    s.ask(2, 0, 5)
    s.settle()
    assert s.who() == [0]
    s.ask(3, 0)
    s.settle()
    assert s.who() == [0, 3]
    s.leave(0)
    s.leave(3)
    s.settle()
    assert s.granted[-2:] == [(1, 1, 5), (2, 1, 5)]


def test_a_request_counts_for_every_group_it_names() -> None:
    s = schedule(4)
    s.ask(0, 0)
    for site, groups in ((1, (5,)), (2, (6, 7)), (3, (7, 8))):
        s.ask(site, *groups)
        s.settle()
    s.leave(0)
    s.settle()
    assert sorted(s.granted)[-2:] == [(2, 1, 7), (3, 1, 7)]


def test_the_next_session_may_be_of_the_same_group() -> None:
    """Old secondaries are given back all the same, because of the conflict that is queued."""
    s = schedule(5)
    s.ask(4, 0)
    s.settle()
    s.ask(0, 0)
    s.ask(1, 5)
    s.settle()
    for site in (2, 3):
        s.ask(site, 0, 9)
        s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [4]  # 2 and 3 have tokens of session 1, of group 0 again, not safe yet
    s.leave(4)
    s.settle()
    assert s.granted[-2:] == [(2, 1, 0), (3, 1, 0)]
    s.drain()
    assert s.granted[-1] == (1, 1, 5)
