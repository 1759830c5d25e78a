"""Maekawa_M and Toyomura's algorithm, interaction by interaction, and what papers say of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pytest

from grouplock.catalog import BadOption, find
from grouplock.check.checker import HOLDS, UNREACHED, VIOLATED, check
from grouplock.check.scope import BadScope, Scope
from grouplock.measure.workload import BadWorkload, Workload
from grouplock.properties import CONCURRENT_ENTRY, TOGETHER
from grouplock.protocol.pick import Pick, Quorum
from grouplock.protocol.system import System
from grouplock.quorums.groups import Surficial
from grouplock.sim.run import simulate
from tests.schedule import Schedule
from tests.variants import Variant


class Written(Pick):
    """Quorums as they are written down: by group and site, or by site alone."""

    def __init__(
        self,
        quorums: Mapping[int, Quorum],
        groups: Mapping[int, Mapping[int, Quorum]] | None = None,
    ) -> None:
        self.quorums = quorums
        self.groups = groups or {}

    def quorum(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum:
        return self.quorums[node]

    def of(self, group: int) -> Pick:
        return Written(self.groups[group]) if self.groups else self


def maekawa(n: int, m: int, **options: str) -> System:
    return find("maekawa-m").system(n, options, groups=m)


# What a request costs.


@pytest.mark.parametrize(("n", "m", "size"), [(4, 2, 2), (9, 2, 3), (12, 3, 4), (25, 2, 5)])
def test_alone_a_request_costs_three_messages_for_each_node_of_its_quorum(
    n: int, m: int, size: int
) -> None:
    """Paper 003, section 1: 3|Q|; what a member tells itself is free."""
    s = Schedule(maekawa(n, m))
    for site in range(n):
        for group in range(m):
            before = s.sent
            s.ask(site, group)
            s.settle()
            s.leave(site)
            s.settle()
            quorum = Surficial(n, m).surface(group, (site + s.rids[site]) % Surficial(n, m).d)
            assert len(quorum) == size
            assert s.sent - before == 3 * len([v for v in quorum if v != site])


def test_a_request_carries_two_integers_an_answer_none() -> None:
    s = Schedule(maekawa(9, 2))
    s.ask(8, 0)
    sent = s.sent
    s.drain()
    assert (s.sent, s.integers) == (3 * sent, 2 * sent)


def test_two_hops_to_enter_and_two_to_hand_over() -> None:
    """Paper 004, section 1.1: the delays of Maekawa's algorithm."""
    s = Schedule(find("toyomura").system(3, {}, quorum="majority"))
    s.ask(0, 0)
    [(_, other, _)] = s.flying
    s.deliver(0, other, "Request")
    assert s.who() == []
    s.deliver(other, 0, "Locked")
    assert s.who() == [0]
    s.ask(other, 1)
    s.settle()
    assert s.who() == [0]
    s.leave(0)
    s.settle()
    assert s.who() == [other]


@pytest.mark.parametrize("r", [1, 2, 3])
def test_at_worst_3q_and_3qr_messages(r: int) -> None:
    """Paper 003, section 1: 3|Q| to 6|Q| with one lock, to 3|Q| + 3r|Q| with r: it is reached.

    An old request for group 0 comes last to its three nodes, each of which has lent r locks to
    younger ones of group 1; these wait for node 3, which an older one of group 0 holds.
    """
    first, old, young = 4, 5, range(6, 6 + 3 * r)
    zero = {first: (3,), old: (0, 1, 2)}
    one = {site: (site % 3, 3) for site in young}
    pick = Written({}, {0: zero, 1: one})
    system = find("maekawa-m").system(6 + 3 * r, {"locks": str(r)}, pick=pick)
    s = Schedule(system)
    s.ask(first, 0)
    s.settle()
    assert s.who() == [first]
    s.ask(old, 0)
    last, s.flying = s.flying, []
    for site in young:
        s.ask(site, 1)
    s.settle()
    s.flying = last
    s.settle()
    assert s.who() == [first, old]
    s.drain()
    assert s.sent == 3 * 1 + 3 * r * (3 * 2) + (3 * 3 + 3 * r * 3)


# How many are inside together.


@pytest.mark.parametrize(("n", "m", "degree"), [(4, 2, 2), (9, 2, 3), (12, 3, 2), (16, 2, 4)])
def test_one_lock_admits_the_degree(n: int, m: int, degree: int) -> None:
    """Paper 000, section I, and paper 003, section 1: concurrency is limited by the degree."""
    s = Schedule(maekawa(n, m, locks="1"))
    assert Surficial(n, m).d == degree
    for site in range(n):
        s.ask(site, 0)
    s.settle()
    assert len(s.who()) == degree


def test_r_locks_admit_r_times_the_degree() -> None:
    """Paper 003, section 1: a limited r bounds the concurrency."""
    s = Schedule(maekawa(9, 2, locks="2"))
    for site in range(9):
        s.ask(site, 0)
    s.settle()
    assert len(s.who()) == 2 * 3


@pytest.mark.parametrize("name", ["maekawa-m", "toyomura"])
def test_as_many_locks_as_sites_admit_all(name: str) -> None:
    """Paper 000, section I: unrestricted maximum concurrency."""
    s = Schedule(find(name).system(12, {}, groups=3))
    for site in range(12):
        s.ask(site, 2)
    s.settle()
    assert s.who() == list(range(12))


# What it must not claim.


@pytest.mark.parametrize("locks", ["1", "2"])
def test_fewer_locks_than_sites_lack_concurrent_entry(locks: str) -> None:
    """Four of one group, and a quorum with more of them than it has locks."""
    pick = Written(dict.fromkeys(range(3), (0, 1)))
    system = find("maekawa-m").system(3, {"locks": locks}, pick=pick)
    assert CONCURRENT_ENTRY not in system.promises
    claimed = system._replace(promises=(CONCURRENT_ENTRY,))
    result = check(claimed, Scope(groups=1, requests=1))
    assert result.properties[CONCURRENT_ENTRY] == VIOLATED
    assert maekawa(3, 2).promises.count(CONCURRENT_ENTRY) == 1


def test_one_lock_lets_two_together_where_quorums_of_a_group_do_not_meet() -> None:
    """Why `together` is no promise of `locks=1`, though it may be seen."""
    meeting = Written(dict.fromkeys(range(2), (0, 1)))
    one = find("maekawa-m").system(2, {"locks": "1"}, pick=meeting)
    assert TOGETHER not in one.promises
    result = check(one._replace(promises=(TOGETHER,)), Scope(groups=1))
    assert result.properties[TOGETHER] == UNREACHED
    s = Schedule(maekawa(4, 2, locks="1"))
    s.ask(0, 0)
    s.ask(1, 0)
    s.settle()
    assert s.who() == [0, 1]


def test_the_third_process_is_blocked_needlessly() -> None:
    """Paper 001, section 3, the second type: q1 to q4 are 0 to 3, p1 to p3 are 4 to 6.

    C1 = {12, 34}, C2 = {13, 24}.  p1 is inside; p3 is of its group and waits for q1, which has lent
    its lock to p2, which waits for p1.
    """
    pick = Written({}, {0: {4: (2, 3), 6: (0, 1)}, 1: {5: (0, 2)}})
    s = Schedule(find("maekawa-m").system(7, {}, pick=pick))
    s.ask(4, 0)
    s.settle()
    s.ask(5, 1)
    s.settle()
    s.ask(6, 0)
    s.settle()
    assert s.who() == [4]
    s.leave(4)
    s.settle()
    assert s.who() == [5]
    s.drain()


def test_quorums_that_meet_do_not_help_the_third_process() -> None:
    """The same over a coterie: node 1 has lent p1 a lock, and the older p2 queues there."""
    pick = Written({4: (1, 2), 5: (0, 1), 6: (0, 1)})
    s = Schedule(find("toyomura").system(7, {}, pick=pick))
    s.ask(4, 0)
    s.settle()
    s.ask(5, 1)
    s.settle()
    s.ask(6, 0)
    s.settle()
    assert s.who() == [4]
    s.drain()
    assert [site for site, _, _ in s.granted] == [4, 5, 6]


def test_who_comes_while_nobody_else_waits_joins() -> None:
    pick = Written({4: (1, 2), 5: (0, 1), 6: (0, 1)})
    s = Schedule(find("toyomura").system(7, {}, pick=pick))
    s.ask(4, 0)
    s.settle()
    s.ask(6, 0)
    s.settle()
    assert s.who() == [4, 6]


JOINS_ANY = Variant(
    "toyomura-lets-any-join",
    "toyomura",
    (
        (
            "self.node(node).queue.append(claim)\n                sift(self.nodes[node].queue)\n",
            "queue = self.node(node).queue\n"
            "                queue.append(claim)\n"
            "                sift(queue)\n"
            "                holders = self.nodes[node].holders\n"
            "                if holders and holders[0].group == claim.group:\n"
            "                    queue.remove(claim)\n"
            "                    queue.insert(0, claim)\n",
        ),
    ),
    n=5,
    pick=Written(dict.fromkeys(range(5), (0, 1))),
)


THREE = JOINS_ANY._replace(n=3, pick=Written(dict.fromkeys(range(3), (0, 1))))


@pytest.mark.parametrize("system", [THREE.right(), THREE.wrong()])
def test_finite_runs_do_not_show_that_a_stranger_starves(system: System) -> None:
    result = check(system, Scope(groups=2, requests=1))
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}


@pytest.mark.parametrize(("system", "passes"), [(JOINS_ANY.right(), 1), (JOINS_ANY.wrong(), 50)])
def test_letting_any_request_of_the_group_join_starves_a_stranger(
    system: System, passes: int
) -> None:
    """Sites 2 and 3 take turns, each asking before the other leaves; site 4 is of another group.

    Inquires are on their way all the time, and come when it is too late.  The first request of
    site 3 is older than the stranger's, by its number; what is right lets nobody else pass.
    """
    s = Schedule(system)
    s.ask(2, 0)
    s.settle()
    s.ask(4, 1)
    s.settle()
    passed = 0
    while passed < 50:
        [inside] = s.who()
        newcomer = 5 - inside
        s.ask(newcomer, 0)
        for node in (0, 1):
            s.deliver(newcomer, node, "Request")
        if not [msg for _, dst, msg in s.flying if dst == newcomer]:
            break
        for node in (0, 1):
            s.deliver(node, newcomer, "Locked")
        s.settle()
        s.leave(inside)
        s.settle()
        passed += s.who() == [newcomer]
    assert passed == passes


# Calling back.


def crossed(locks: str = "n") -> Schedule:
    """Sites 2 and 3 ask nodes 0 and 1 for groups 0 and 1; each has come first to one of them."""
    pick = Written(dict.fromkeys(range(4), (0, 1)))
    s = Schedule(find("maekawa-m").system(4, {"locks": locks}, pick=pick))
    s.ask(2, 0)
    s.ask(3, 1)
    s.deliver(2, 0)
    s.deliver(3, 1)
    s.deliver(3, 0)
    s.deliver(2, 1)
    return s


def test_the_older_of_two_that_hold_one_lock_each_is_first() -> None:
    s = crossed()
    s.deliver(1, 3, "Locked")
    s.deliver(1, 3, "Inquire")
    s.deliver(3, 1, "Relinquish")
    s.settle()
    assert s.who() == [2]
    s.drain()
    assert [site for site, _, _ in s.granted] == [2, 3]


def test_who_is_inside_keeps_its_locks() -> None:
    pick = Written(dict.fromkeys(range(4), (0, 1)))
    s = Schedule(find("maekawa-m").system(4, {}, pick=pick))
    s.ask(2, 0)
    s.ask(3, 1)
    for node in (0, 1):
        s.deliver(3, node)
        s.deliver(node, 3, "Locked")
    assert s.who() == [3]
    for node in (0, 1):
        s.deliver(2, node)
        s.deliver(node, 3, "Inquire")
    assert s.flying == []
    s.leave(3)
    s.settle()
    assert s.who() == [2]


def test_an_inquire_for_a_request_that_is_over_is_not_for_the_next() -> None:
    pick = Written(dict.fromkeys(range(4), (0, 1)))
    s = Schedule(find("maekawa-m").system(4, {}, pick=pick))
    s.ask(2, 0)
    s.ask(3, 1)
    for node in (0, 1):
        s.deliver(3, node)
        s.deliver(node, 3, "Locked")
    s.deliver(2, 0)
    s.leave(3)
    s.ask(3, 1)
    s.deliver(0, 3, "Inquire")
    assert [type(msg).__name__ for src, _, msg in s.flying if src == 3] == [
        *("Released", "Released", "Request", "Request")
    ]
    s.drain()


def test_the_last_lock_goes_to_the_older_of_one_group() -> None:
    """With one lock, though they do not conflict."""
    pick = Written(dict.fromkeys(range(4), (0, 1)))
    s = Schedule(find("maekawa-m").system(4, {"locks": "1"}, pick=pick))
    s.ask(2, 0)
    s.ask(3, 0)
    s.deliver(2, 0)
    s.deliver(3, 1)
    s.deliver(3, 0)
    s.deliver(2, 1)
    s.settle()
    assert s.who() == [2]
    s.drain()


# Virtual nodes.


def test_one_message_for_all_nodes_of_a_host_or_one_for_each() -> None:
    """Four groups on three sites: group 1 asks nodes 0, 3 and 4, of which host 0 has two."""
    assert Surficial(3, 4).behind(1, 0) == {0: (0, 3), 1: (4,)}
    for virtual, messages, integers in (("folded", 1, 2), ("shared", 1, 2 + 2), ("kept", 2, 2 * 3)):
        s = Schedule(find("maekawa-m").system(3, {"virtual": virtual}, groups=4))
        s.ask(1, 1)  # itself the host of node 4
        assert (s.sent, s.integers) == (messages, integers)
        s.drain()
        assert s.sent == 3 * messages


def test_a_lock_that_nobody_was_told_of_is_taken_back_without_a_message() -> None:
    """Groups 1 and 2 meet in node 3, which host 0 has, groups 0 and 1 in its node 0."""
    s = Schedule(find("maekawa-m").system(3, {"virtual": "shared"}, groups=4))
    places = {g: Surficial(3, 4).behind(g, 0) for g in range(4)}
    assert [places[g][0] for g in range(3)] == [(0,), (0, 3), (3,)]
    s.ask(0, 2)  # locks node 3 and enters
    s.settle()
    s.ask(1, 1)
    s.ask(2, 0)
    s.deliver(1, 0)  # node 0 is locked for it, node 3 is not: it is not told
    assert not [msg for src, dst, msg in s.flying if (src, dst) == (0, 1)]
    s.settle()
    s.drain()
    assert [site for site, _, _ in s.granted] == [0, 1, 2]


# Groups that are not known.


def test_a_group_that_the_quorums_were_not_made_for_is_refused_at_the_edge() -> None:
    system = maekawa(4, 2)
    said = "maekawa-m was made for 2 groups and cannot take 3"
    with pytest.raises(BadWorkload, match=said):
        simulate(system, Workload(n=4, groups=3))
    with pytest.raises(BadScope, match=said):
        check(system, Scope(groups=3))


def test_toyomura_takes_a_group_that_nobody_has_heard_of() -> None:
    """Paper 000, section I: a traditional quorum system; it costs nothing."""
    s = Schedule(find("toyomura").system(9, {}, quorum="grid", groups=1))
    for group in (0, 1, 99_999):
        before = s.sent
        s.ask(4, group)
        s.settle()
        s.leave(4)
        s.settle()
        assert s.sent - before == 3 * 4
    assert check(find("toyomura").system(2, {}, groups=1), Scope(groups=3)).complete


def test_how_many_locks_is_a_whole_number_from_one_on() -> None:
    with pytest.raises(BadOption, match="locks=0 is not one of n, 1, or a whole number from 1"):
        find("maekawa-m").settle({"locks": "0"})


# What the papers measured.

MEASURED = [  # messages a request at n = 25: folded, kept
    (2, 15.1, 14.6),
    (5, 22.3, 23.4),
    (8, 20.5, 20.4),
    (15, 33.7, 40.9),
    (20, 39.9, 55.5),
    (50, 61.2, 141.8),
    (100, 67.0, 285.3),
]


def messages(name: str, groups: int, options: dict[str, str], quorum: str | None = None) -> float:
    system = find(name).system(25, options, quorum=quorum, groups=groups)
    outcome = simulate(system, Workload(n=25, groups=groups, requests=60))
    assert outcome.violation is None
    return outcome.figures.messages_per_request


@pytest.mark.parametrize(("groups", "folded", "kept"), MEASURED)
def test_messages_over_the_surficial_system_of_25_sites(
    groups: int, folded: float, kept: float
) -> None:
    """Paper 000, section VII.A.1, in both readings, as another implementation measured them."""
    assert messages("maekawa-m", groups, {}) == pytest.approx(folded, rel=0.06)
    assert messages("maekawa-m", groups, {"virtual": "kept"}) == pytest.approx(kept, rel=0.06)
    shared = messages("maekawa-m", groups, {"virtual": "shared"})
    assert shared == pytest.approx(folded, rel=0.06)


def test_toyomura_on_a_grid_needs_fewer_messages_than_many_groups() -> None:
    """Paper 000, section VII.B, compares with a grid: its 24 messages do not grow with m."""
    assert messages("toyomura", 100, {}, "grid") == pytest.approx(24.0, rel=0.02)
    assert messages("toyomura", 2, {}, "grid") == pytest.approx(24.0, rel=0.1)
    assert messages("maekawa-m", 8, {}) < 24 < messages("maekawa-m", 15, {})


# All interleavings.


@pytest.mark.parametrize(
    ("options", "promise"),
    [({}, CONCURRENT_ENTRY), ({"locks": "2"}, TOGETHER), ({"virtual": "shared"}, CONCURRENT_ENTRY)],
)
def test_what_the_checker_confirms(options: dict[str, str], promise: str) -> None:
    result = check(maekawa(2, 2, **options), Scope(groups=2, requests=2))
    assert result.complete
    assert result.properties[promise] == HOLDS
