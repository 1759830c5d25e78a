"""Surrogate, interaction by interaction, and what paper 000 says that it costs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from grouplock.catalog import BadOption, find
from grouplock.check.checker import HOLDS, VIOLATED, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.properties import CONCURRENT_ENTRY
from grouplock.protocol.message import Message
from grouplock.protocol.pick import Pick
from grouplock.quorums import build
from tests.picks import Given, everybody
from tests.rounds import Rounds

LEAVE = {"release": "leave", "stale": "off"}
WEIGHTS = {"stale": "off"}
LIST: dict[str, str] = {}
ON = {"entry": "on"}
PIVOT = {"entry": "pivot"}
ALL = [LEAVE, WEIGHTS, LIST, ON, PIVOT]
each = pytest.mark.parametrize("options", ALL, ids=["leave", "weights", "list", "on", "pivot"])
KINDS = [
    ("plane", 7),
    ("plane", 13),
    ("grid", 9),
    ("grid", 16),
    ("grid", 25),
    ("tree", 7),
    ("majority", 5),
]


def run_over(
    options: dict[str, str], n: int, quorum: str = "cyclic", pick: Pick | None = None
) -> Rounds:
    return Rounds(find("surrogate").system(n, options, quorum=quorum, pick=pick))


def state(s: Rounds, site: int) -> Any:
    return s.sites[site].save()


# Light load.


@each
@pytest.mark.parametrize(("kind", "n"), [("plane", 7), ("plane", 13), ("grid", 9), ("grid", 25)])
def test_alone_3_messages_for_each_other_member_of_the_quorum(
    options: dict[str, str], kind: str, n: int
) -> None:
    """Paper 000, III.B and VI: Request, Locked, Released."""
    s = run_over(options, n, kind)
    quorums = build(kind, n).assignment()
    for site in range(n):
        before = s.sent
        s.ask(site, 3)
        assert s.hops_until(s.enters(site)) == 2  # Theorem 13: waiting time
        s.leave(site)
        s.settle()
        assert s.sent - before == 3 * len([y for y in quorums[site] if y != site])


@each
def test_what_appears_while_it_runs_costs_nothing(options: dict[str, str]) -> None:
    """Paper 000, abstract and IX: the set of groups may change.  Here each turn has a new one."""
    costs = []
    for first in (0, 1_000_000):
        s = run_over(options, 7, "plane")
        for turn in range(5):
            for site in range(7):
                s.ask(site, first * (turn + 1) + turn)
            s.drain()
        costs.append((s.sent, s.integers, len(s.granted)))
    assert costs[0] == costs[1]


# From one session to the next.


@each
def test_hops_from_one_session_to_the_next(options: dict[str, str]) -> None:
    """Paper 000, IV.A: three with Leave.  IV.B and Theorem 13: two with weights.

    The last to leave is a follower.
    """
    s = run_over(options, 5, pick=Given([(4,)] * 5))
    s.ask(0, 9)
    s.settle()
    for site, group in ((1, 5), (2, 5), (3, 6)):
        s.ask(site, group)
        s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [1, 2]  # site 1 leads
    s.leave(1)
    s.settle()
    s.leave(2)
    assert s.hops_until(s.enters(3)) == (3 if options == LEAVE else 2)


@each
def test_a_leader_may_ask_again_while_its_followers_are_inside(options: dict[str, str]) -> None:
    """Paper 000, IV.A: it is a surrogate leader and goes on unimpeded."""
    s = run_over(options, 4, pick=Given([(3,)] * 4))
    s.ask(0, 9)
    s.settle()
    for site in (1, 2):
        s.ask(site, 5)
    s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [1, 2]
    s.leave(1)
    s.ask(1, 6)
    s.settle()
    assert s.who() == [2]
    s.leave(2)
    s.settle()
    assert s.who() == [1]


@each
def test_at_most_n_are_inside_together_and_sometimes_n_are(options: dict[str, str]) -> None:
    """Paper 000, Theorem 14."""
    n, most = 4, 0
    for seed in range(60):
        s = run_over(options, n, pick=everybody(n))
        s.run(seed, 3, 1, fifo=True)
        most = max(most, s.most)
    assert most == n


# What is sent.


class Watched(Rounds):
    """Remembers what was told of fulfilled requests, who was invited, and what came of it."""

    def __init__(self, *args: Any) -> None:
        self.news: Counter[tuple[int, int, int, int]] = Counter()
        self.weights: list[tuple[int, int]] = []
        self.invited: Counter[tuple[int, int]] = Counter()
        super().__init__(*args)

    def hand(self, src: int, dst: int, msg: Message) -> list[Any]:
        known: Any = msg
        if type(msg).__name__ == "Locked":
            for mark in known.news:
                self.news[(src, dst, mark.clock, mark.site)] += 1
        elif type(msg).__name__ == "Invite":
            self.weights.append((known.num, known.den))
            self.invited[(known.clock, dst)] += 1
        return super().hand(src, dst, msg)


def heavy(options: dict[str, str], seed: int, n: int = 7, kind: str = "plane") -> Watched:
    s = Watched(find("surrogate").system(n, options, quorum=kind))
    s.run(seed, 12, 2, fifo=True)
    return s


@pytest.mark.parametrize("options", [LIST, ON, PIVOT], ids=["list", "on", "pivot"])
@pytest.mark.parametrize("seed", range(5))
def test_nobody_is_invited_in_vain(options: dict[str, str], seed: int) -> None:
    """Paper 000, lemma 3; the code asserts it as well.  Hence at most one Invite a request."""
    s = heavy(options, seed)
    assert s.kinds["Invite"] > 0
    assert max(s.invited.values()) == 1


def test_without_the_list_some_are_and_the_weight_comes_back() -> None:
    """Paper 000, IV.B: at most q Invites too late for a request."""
    most = 0
    for seed in range(30):
        s = heavy(WEIGHTS, seed)
        assert len(s.granted) == 84
        most = max(most, *s.invited.values())
    assert 1 < most <= 1 + 3


@pytest.mark.parametrize("options", [LIST, ON, PIVOT], ids=["list", "on", "pivot"])
def test_each_arbiter_tells_each_site_once_of_a_fulfilled_request(options: dict[str, str]) -> None:
    """Paper 000, Theorem 12: that makes the overhead O(b), amortised."""
    s = heavy(options, 1)
    assert max(s.news.values()) == 1


@each
def test_a_weight_is_two_integers_and_small(options: dict[str, str]) -> None:
    """Paper 000, IV.B.  Unit fractions that do not halve: the denominator grows as a square."""
    invite = find("surrogate").messages.shapes[2]
    assert [name for name, _ in invite.fields] == ["clock", "leading", "group", "num", "den"]
    n = 9
    s = Watched(find("surrogate").system(n, options, pick=Given([(8,)] * n)))
    s.ask(0, 1)
    s.settle()
    for site in range(1, 8):
        s.ask(site, 2)
    s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [1, 2, 3, 4, 5, 6, 7]
    assert s.weights == [(0, 1) if options == LEAVE else (1, 7)] * 6


def test_weights_of_one_invitation_after_another() -> None:
    """1/2, 1/6, 1/12 and so on: with what is left they make one."""
    n = 6
    s = Watched(find("surrogate").system(n, ON, pick=Given([(5,)] * n)))
    s.ask(0, 1)
    s.settle()
    for site in range(1, 5):
        s.ask(site, 1)
        s.settle()
    assert s.weights == [(1, 2), (1, 6), (1, 12), (1, 20)]
    for site in (3, 0, 4, 2):
        s.leave(site)
        s.settle()
    assert state(s, 5).desk[2] == (3, 10)  # the leader keeps its 1/5 while it has a guest
    s.leave(1)
    s.settle()
    assert state(s, 5).desk[2] == (0, 1)


@each
@pytest.mark.parametrize(("kind", "n", "q"), [("plane", 7, 3), ("grid", 9, 5), ("majority", 5, 3)])
def test_no_kind_of_message_is_sent_more_often_than_claimed(
    options: dict[str, str], kind: str, n: int, q: int
) -> None:
    """Paper 000, Theorem 11: Request, Failed, Cancel, Locked that last, Inquire, Relinquish, Locked
    that do not, and Released at most q times each a request, Invite once: 8q + 1 by that count.

    An arbiter's newcomer gets Failed, or another gets Inquire: not both, so 7q + 1, and without
    what a site sends itself less.  VIII.A: a Forward or a Stepdown for each member, at most.
    """
    for seed in range(3):
        s = heavy(options, seed, n, kind)
        served, kinds = len(s.granted), s.kinds
        for name in ("Request", "Failed", "Cancel", "Inquire", "Relinquish"):
            assert kinds[name] <= q * served
        assert kinds["Locked"] <= 2 * q * served
        assert kinds["Forward"] + kinds["Stepdown"] <= q * served
        assert kinds["Failed"] + kinds["Inquire"] <= q * served
        if options != WEIGHTS:
            assert kinds["Released"] <= q * served
        assert s.sent <= s.system.worst * served
        if options == LIST:
            assert s.system.worst <= 8 * q + 1


# Concurrent entry.


@pytest.mark.parametrize("options", [LEAVE, WEIGHTS, LIST], ids=["leave", "weights", "list"])
def test_without_entry_there_is_no_concurrent_entry(options: dict[str, str]) -> None:
    """Paper 000, VIII.A: whoever comes after the leader's locks waits until all have left."""
    system = find("surrogate").system(2, options)
    system = system._replace(promises=(*system.promises, CONCURRENT_ENTRY))
    result = check(system, Scope(groups=1, requests=1))
    assert result.properties[CONCURRENT_ENTRY] == VIOLATED


@pytest.mark.parametrize("options", [ON, PIVOT], ids=["on", "pivot"])
@pytest.mark.parametrize(("kind", "n"), [("plane", 7), ("grid", 9), ("majority", 5)])
def test_nobody_conflicts_three_hops_to_enter(options: dict[str, str], kind: str, n: int) -> None:
    """Paper 000, VIII.A: Request, Forward, Invite."""
    s = run_over(options, n, kind)
    s.ask(0, 1)
    s.settle()
    for site in range(1, n):
        s.ask(site, 1)
        assert s.hops_until(s.enters(site)) <= 3
    assert s.who() == list(range(n))
    s.leave(0)
    s.settle()
    for site in range(1, n - 1):
        s.leave(site)
        s.settle()
    s.ask(1, 1)
    assert s.hops_until(s.enters(1)) <= 3  # the leader is outside, and still invites
    s.drain()
    assert all(state(s, site).tenure == () for site in range(n))


@pytest.mark.parametrize("options", [ON, PIVOT], ids=["on", "pivot"])
def test_the_leader_learns_of_a_conflict_within_two_hops(options: dict[str, str]) -> None:
    """Paper 000, VIII.A: Request, Stepdown."""
    s = run_over(options, 7, "plane")
    s.ask(0, 1)
    s.settle()
    s.ask(3, 2)
    assert s.hops_until(lambda: state(s, 0).tenure[-1]) == 2
    s.leave(0)
    assert s.hops_until(s.enters(3)) <= 2


def test_a_conflict_that_waits_stops_the_invitations_or_with_pivot_does_not() -> None:
    """Paper 001's unnecessary blocking: only entry=pivot is free of it (paper 000, VIII.B, says
    that sets of groups alone make surrogate so)."""
    for options, inside in ((LIST, [0]), (ON, [0]), (PIVOT, [0, 2])):
        s = run_over(options, 4, pick=Given([(3,)] * 4))
        s.ask(0, 1)
        s.settle()
        s.ask(1, 2)
        s.settle()
        s.ask(2, 1)
        s.settle()
        assert s.who() == inside
        s.drain()
        assert len(s.granted) == 3


@pytest.mark.parametrize("options", [ON, PIVOT], ids=["on", "pivot"])
def test_a_leader_that_has_left_invites_nobody_past_a_conflict(options: dict[str, str]) -> None:
    s = run_over(options, 5, pick=Given([(4,)] * 5))
    for site in (0, 1):
        s.ask(site, 1)
        s.settle()
    assert s.who() == [0, 1]
    s.leave(0)
    s.ask(2, 2)
    s.settle()
    s.ask(0, 1)
    s.settle()
    assert s.who() == [1]
    s.drain()
    assert [site for site, _, _ in s.granted] == [0, 1, 2, 0]


@pytest.mark.parametrize("options", [ON, PIVOT], ids=["on", "pivot"])
def test_a_leader_that_has_left_may_be_its_own_follower(options: dict[str, str]) -> None:
    s = run_over(options, 4, pick=Given([(3,)] * 4))
    for site in (0, 1):
        s.ask(site, 1)
        s.settle()
    s.leave(0)
    s.ask(0, 1)
    s.settle()
    assert s.who() == [0, 1]
    assert state(s, 0).leader == (1, 0)
    s.drain()


@pytest.mark.parametrize("options", [ON, PIVOT], ids=["on", "pivot"])
def test_what_waits_behind_a_fulfilled_conflict_is_forwarded_when_that_is_known(
    options: dict[str, str],
) -> None:
    """Section VIII.A has no rule for it: the arbiter sees a conflict that is none any more."""
    s = run_over(options, 7, pick=Given([(0,), (1,), (2,), (2, 0), (0, 1), (1, 2), (0, 1)]))
    s.ask(3, 5)
    s.settle()
    s.ask(6, 5)
    s.deliver(6, 0)
    s.deliver(0, 3, "Forward")
    s.deliver(3, 6, "Invite")
    s.ask(4, 6)
    settle_but(s, 6, 1)
    assert s.who() == [3, 6]
    s.deliver(6, 1, "Request")  # its Cancel stays on its way
    s.leave(6)
    s.leave(3)
    settle_but(s, 6, 1)
    assert s.who() == [4]
    s.ask(5, 6)
    settle_but(s, 6, 1)
    assert s.who() == ([4] if options == ON else [4, 5])
    s.deliver(6, 1, "Cancel")
    s.settle()
    assert s.who() == [4, 5]


def settle_but(s: Rounds, src: int, dst: int) -> None:
    """Deliver everything that is on its way, but for one channel."""
    late = []
    while s.flying:
        flight = s.flying.pop(0)
        if flight[:2] == (src, dst):
            late.append(flight)
        else:
            s.hand(*flight)
    s.flying = late


# Sets of groups.


@each
def test_sets_cost_no_message_and_at_most_as_many_integers_as_groups(
    options: dict[str, str],
) -> None:
    """Paper 000, VIII.B: the overhead grows by the number of groups that a request names."""
    costs = []
    for extra in ((), (10, 11)):
        s = run_over(options, 7, "plane")
        for turn in range(4):
            for site in range(7):
                s.ask(site, turn, *[100 * site + group for group in extra])
            s.drain()
        costs.append((s.sent, s.integers, s.granted))
    assert costs[0][0] == costs[1][0]
    assert costs[0][2] == costs[1][2]
    assert costs[0][1] < costs[1][1] <= 3 * costs[0][1]


@each
def test_a_leader_chooses_the_group_that_most_accept(options: dict[str, str]) -> None:
    """Paper 000, VIII.B."""
    s = run_over(options, 6, pick=Given([(5,)] * 6))
    s.ask(0, 9)
    s.settle()
    for site, groups in ((1, (1, 2, 3)), (2, (1,)), (3, (2,)), (4, (2, 4))):
        s.ask(site, *groups)
        s.settle()
    s.leave(0)
    s.settle()
    assert sorted(s.inside)[0][2] == 2
    assert s.who() == [1, 3, 4]
    s.drain()


# The catalog.


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"release": "leave"}, "release=leave goes with stale=off and entry=off alone"),
        ({**LEAVE, "entry": "on"}, "release=leave goes with stale=off and entry=off alone"),
        ({"stale": "off", "entry": "pivot"}, "entry=pivot needs stale=on"),
    ],
)
def test_what_the_paper_does_not_combine_is_refused(options: dict[str, str], line: str) -> None:
    with pytest.raises(BadOption, match=line):
        find("surrogate").system(3, options)


# Memory.


def test_a_site_remembers_whom_it_heard_of_and_nobody_else() -> None:
    for options in ALL:
        n = 400
        s = run_over(options, n, "grid")
        for site in (0, 7, 0):
            s.ask(site, 1)
            s.settle()
            s.leave(site)
            s.settle()
        quiet = state(s, 399)
        assert [i for i in range(n) if state(s, i) == quiet] != []
        assert max(len(repr(state(s, i))) for i in range(n)) < 500


# Long schedules.


@each
@pytest.mark.parametrize(("kind", "n"), KINDS)
def test_long_schedules_over_many_quorum_systems(
    options: dict[str, str], kind: str, n: int
) -> None:
    for seed in range(2):
        s = run_over(options, n, kind)
        s.run(seed, 6, 3, fifo=True)
        assert len(s.granted) == 6 * n
        assert s.sent <= s.system.worst * len(s.granted)
        for site in range(n):
            now = state(s, site)
            assert now.tenure == ()
            assert now.locks == ((), (), ())
            assert now.desk == (((0, -1), False, ()), (), (0, 1), ())


@each
@pytest.mark.parametrize(("kind", "n"), [("plane", 7), ("grid", 9), ("tree", 7), ("majority", 5)])
def test_walks_with_starved_channels(options: dict[str, str], kind: str, n: int) -> None:
    system = find("surrogate").system(n, options, quorum=kind)
    for seed in range(3):
        result = walk(system, Scope(groups=2, requests=4), seed)
        assert result.violation is None, f"seed {seed}: {result.violation}"
        assert HOLDS not in result.properties.values() or result.states > 1
