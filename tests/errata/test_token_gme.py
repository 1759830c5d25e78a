"""What paper 004's prose leaves open, says in passing, or proves in a way that does not hold.

Told in docs/errata/004.md; more of these are mutants, in tests/mutants/token_gme.py.
"""

from __future__ import annotations

import pytest

from grouplock.algorithms import token_gme
from grouplock.algorithms.token_gme import State
from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.parts.aging_queue import Waiter, next_group
from grouplock.properties import ASSERTION, NO_DEADLOCK
from grouplock.protocol.channel import ANY_ORDER, FIFO
from grouplock.protocol.site import Site
from grouplock.protocol.system import System
from tests.mutants import MUTANTS
from tests.schedule import Schedule
from tests.variants import Variant

ONE = Scope(groups=2, requests=1)


# Section 3.2: a token is safe also if a Release of its own session has come.


def releases_in_the_wrong_order(system: System) -> Schedule:
    """Over FIFO channels.  Site 2 hears of session 1's Release before the primary token comes."""
    s = Schedule(system)
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
    s.deliver(2, 1, "Ask")
    s.deliver(2, 1, "Release")
    assert s.who() == [1]
    s.ask(0, 0)
    s.deliver(0, 1, "Ask")
    s.leave(1)
    s.deliver(1, 2, "Ask")
    s.deliver(1, 2, "Release")  # of session 1: site 2 counts that session from now on
    s.settle()
    return s


def test_without_the_second_clause_it_waits_for_ever() -> None:
    """So the clause is no shortcut: it is needed for progress."""
    without = Variant(
        "token-gme-without-clause-2",
        "token-gme",
        (("if self.old == 0 or self.released_session == self.session:", "if self.old == 0:"),),
        n=3,
    )
    assert releases_in_the_wrong_order(without.right()).who() == [2]
    stuck = releases_in_the_wrong_order(without.wrong())
    assert (stuck.who(), stuck.flying) == ([], [])
    assert [site for site, _ in stuck.waiting] == [2, 0]


# Section 3.2: fulfilled is as of the token.


def test_a_request_is_fulfilled_when_its_token_is_issued() -> None:
    """Not when the token is used: it would be issued twice."""
    late = Variant(
        "token-gme-fulfils-late",
        "token-gme",
        (
            ("            self.fulfilled[site] = self.asked[site]\n", ""),
            ("        assert fulfilled[self.me] == self.asked[self.me]\n", ""),
            (
                "        self.old, self.fulfilled = old, fulfilled\n",
                "        self.old, self.fulfilled = old, fulfilled\n"
                "        self.fulfilled[self.me] = self.asked[self.me]\n",
            ),
        ),
        n=3,
    )
    result = check(late.wrong(), ONE)
    assert result.violation is not None
    assert result.violation.properties == (ASSERTION,)
    assert "a second token" in result.violation.reason or "nobody asked" in result.violation.reason


# Section 3.2: the latest request that a process knows of.


def test_old_asks_do_no_harm_over_fifo_channels() -> None:
    """Where it does over others is the mutant `token-gme-an-old-ask-overwrites`."""
    [mutant] = [m for m in MUTANTS if m.name == "token-gme-an-old-ask-overwrites"]
    result = check(mutant.variant.wrong()._replace(channel=FIFO), mutant.scope)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}


# Section 2.1: channels are reliable.


def test_a_release_that_arrives_twice_breaks_exclusion() -> None:
    """Two secondaries are out, and one of them is counted for both."""
    s = Schedule(find("token-gme").system(3, {}))
    for site in (1, 2):
        s.ask(site, 0)
    s.settle()
    s.ask(0, 5)
    s.settle()
    s.leave(1)
    [release] = [msg for src, dst, msg in s.flying if (src, dst) == (1, 0)]
    s.deliver(1, 0)
    assert s.who() == [2]
    with pytest.raises(AssertionError, match="two groups"):
        s.hand(1, 0, release)


def test_a_token_that_arrives_twice_is_a_token_too_many() -> None:
    twice = find("token-gme").system(2, {})._replace(channel=ANY_ORDER._replace(duplicates=True))
    result = check(twice, ONE)
    assert result.violation is not None
    assert result.violation.properties == (ASSERTION,)
    assert "token" in result.violation.reason


# Section 3.4: the priority of a type increases monotonically until a session of it is initiated.


def test_with_sets_of_groups_a_priority_may_fall() -> None:
    """Section 5.1 keeps the proof.  A is chosen, and who wanted A or B leaves B's requests too."""
    a, b = 1, 2
    queue = [Waiter(0, 1, (a, b), 2), Waiter(1, 1, (b,), 0), Waiter(2, 1, (a,), 0)]
    queue.append(Waiter(3, 1, (a,), 0))
    assert (priority(queue, a), priority(queue, b)) == (5, 4)
    assert next_group(queue, by_priority=True) == a
    left = [Waiter(w.site, w.number, w.groups, w.age + 1) for w in queue if a not in w.groups]
    assert priority(left, b) == 2


def test_a_run_in_which_a_priority_falls() -> None:
    a, b, c, d = 1, 2, 3, 4
    s = Schedule(find("token-gme").system(7, {}))
    s.ask(0, 0)
    for site, groups in ((1, (a, b)), (2, (c,)), (3, (c,))):
        s.ask(site, *groups)
        s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [2, 3]
    for site in (4, 5, 6):
        s.ask(site, d)
        s.settle()
    s.leave(3)
    s.leave(2)
    s.settle()
    assert s.who() == [4, 5, 6]
    for site, group in ((0, b), (2, a), (3, a)):
        s.ask(site, group)
        s.settle()
    before = queue_of(s)
    assert (priority(before, a), priority(before, b)) == (5, 4)
    for site in (6, 5, 4):
        s.leave(site)
    s.settle()
    assert s.who() == [1, 2, 3]
    assert priority(queue_of(s), b) == 2
    s.drain()


def queue_of(s: Schedule) -> list[Waiter]:
    [holder] = [site for site in s.sites if site.tokens()]
    state: State = holder.save()
    return [Waiter(*waiter) for waiter in state.queue]


def priority(queue: list[Waiter], group: int) -> int:
    return sum(1 + w.age for w in queue if group in w.groups)


# Section 5.2: smax is at least 2.


def test_numbers_that_stop_at_1_do_not_do() -> None:
    """Two cycles of one number each: the third request looks like the first."""
    right = find("token-gme").system(3, {"secondary": "once", "numbers": "bounded", "smax": "2"})

    def make(me: int) -> Site[State]:
        peers = [site for site in range(3) if site != me]
        return token_gme.TokenGME(me, peers, True, True, 1)

    system = right._replace(make=make)
    result = walk(system, Scope(groups=2, requests=4), 35)
    assert result.violation is not None
    assert NO_DEADLOCK in result.violation.properties
