"""Surrogate over information structures, interaction by interaction: paper 000, section VIII.C."""

from __future__ import annotations

from typing import Any

import pytest

from grouplock.algorithms.sanders import Sanders
from grouplock.catalog import BadOption, find
from grouplock.check.checker import HOLDS, VIOLATED, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.parts.structures import OfEverybody, OfQuorums, Structure
from grouplock.properties import CONCURRENT_ENTRY
from grouplock.protocol.system import System
from grouplock.quorums import build
from tests.picks import Given
from tests.rounds import Rounds

MAEKAWA: dict[str, str] = {}
RA = {"structure": "ricart-agrawala"}
SINGLETON = {"structure": "ricart-agrawala", "singleton": "on"}
ALL = [MAEKAWA, RA, SINGLETON]
each = pytest.mark.parametrize("options", ALL, ids=["maekawa", "ra", "singleton"])
KINDS = [("plane", 7), ("plane", 13), ("grid", 9), ("grid", 16), ("tree", 7), ("majority", 5)]


def run_over(options: dict[str, str], n: int, quorum: str = "cyclic") -> Rounds:
    return Rounds(find("sanders").system(n, options, quorum=quorum))


def state(s: Rounds, site: int) -> Any:
    return s.sites[site].save()


# Structures.


class InPairs(Structure):
    """Everybody is asked, and one's pair is told: 0 and 1, 2 and 3 and so on.

    Inside a pair the inform sets meet; between pairs each is in the other's request set.
    """

    def __init__(self, n: int) -> None:
        self.everybody = tuple(range(n))

    def asks(self, site: int) -> tuple[int, ...]:
        return self.everybody

    def tells(self, site: int) -> tuple[int, ...]:
        return tuple([other for other in self.everybody if other // 2 == site // 2])

    def askers(self, site: int) -> tuple[int, ...]:
        return self.everybody


STRUCTURES = [
    OfEverybody(6),
    InPairs(6),
    OfQuorums(6, Given(build("cyclic", 6).assignment())),
    OfQuorums(6, Given(build("majority", 6).assignment())),
]


@pytest.mark.parametrize("structure", STRUCTURES, ids=["all", "pairs", "cyclic", "majority"])
def test_a_structure_has_what_exclusion_needs(structure: Structure) -> None:
    """Paper 000, VIII.C: the condition of Sanders."""
    for x in range(6):
        assert x in structure.tells(x)
        assert set(structure.tells(x)) <= set(structure.asks(x))
        assert structure.askers(x) == tuple([z for z in range(6) if x in structure.asks(z)])
        for y in range(6):
            meet = set(structure.tells(x)) & set(structure.tells(y))
            assert meet or (x in structure.asks(y) and y in structure.asks(x))


def test_a_structure_between_the_two() -> None:
    """The same site over a structure of one's own: some arbiters lend, others agree."""
    system = over(InPairs(3), 3)
    result = check(system, Scope(groups=2, requests=1))
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}
    for seed in range(6):
        walked = walk(over(InPairs(6), 6), Scope(groups=2, requests=5), seed)
        assert walked.violation is None, f"seed {seed}: {walked.violation}"


def over(structure: Structure, n: int) -> System:
    def make(me: int) -> Sanders:
        return Sanders(me, [site for site in range(n) if site != me], structure, singleton=False)

    return find("sanders").system(n, RA)._replace(make=make)


# What it costs.


@pytest.mark.parametrize("n", [1, 2, 5, 13])
@pytest.mark.parametrize("options", [RA, SINGLETON], ids=["ra", "singleton"])
def test_alone_2_messages_for_each_other_site(options: dict[str, str], n: int) -> None:
    """As Ricart and Agrawala's: Request and Locked; who leaves tells itself."""
    s = run_over(options, n)
    for site in range(n):
        s.ask(site, 1)
        s.settle()
        s.leave(site)
        s.settle()
        assert s.sent == 2 * (n - 1) * (site + 1)


@pytest.mark.parametrize(("kind", "n"), [("plane", 7), ("grid", 9)])
def test_alone_over_quorums_3_messages_for_each_other_member(kind: str, n: int) -> None:
    """Paper 000, VIII.C: O(r); with Maekawa's structure as Maekawa's algorithm."""
    s = run_over(MAEKAWA, n, kind)
    r = len(build(kind, n).assignment()[0])
    for site in range(n):
        s.ask(site, 1)
        assert s.hops_until(s.enters(site)) == 2
        s.leave(site)
        s.settle()
    assert s.sent == 3 * (r - 1) * n


def waiting_for_the_last_follower(options: dict[str, str]) -> Rounds:
    """Site 0 leads, 1 and 2 follow, 3 waits with another group; all but 2 have left."""
    s = run_over(options, 4)
    s.ask(3, 9)
    s.settle()
    for site, group in ((0, 5), (1, 5), (2, 5)):
        s.ask(site, group)
        s.settle()
    s.leave(3)
    s.settle()
    assert s.who() == [0, 1, 2]
    s.ask(3, 9)
    s.settle()
    for site in (0, 1):
        s.leave(site)
        s.settle()
    assert s.who() == [2]
    return s


@pytest.mark.parametrize(("options", "hops"), [(RA, 2), (SINGLETON, 1)], ids=["ra", "singleton"])
def test_hops_after_the_last_follower(options: dict[str, str], hops: int) -> None:
    """Paper 000, VIII.C.1: two over Ricart and Agrawala's structure, less with the modification."""
    s = waiting_for_the_last_follower(options)
    s.leave(2)
    assert s.hops_until(s.enters(3)) == hops


@pytest.mark.parametrize("options", [RA, SINGLETON], ids=["ra", "singleton"])
def test_one_hop_after_a_leader_without_followers(options: dict[str, str]) -> None:
    """Paper 000, VIII.C.1, of Sanders' mutual exclusion over Ricart and Agrawala's structure."""
    s = run_over(options, 5)
    s.ask(0, 1)
    s.settle()
    s.ask(1, 2)
    s.settle()
    s.leave(0)
    assert s.hops_until(s.enters(1)) == 1


def test_with_singleton_inform_sets_a_lock_says_what_is_open() -> None:
    s = waiting_for_the_last_follower(SINGLETON)
    assert len(state(s, 3).locks[0]) == 4  # it has all locks
    assert s.who() == [2]
    assert state(s, 3).missed == ((0, (state(s, 0).opened[0], (1, 3))),)
    s.leave(2)
    s.drain()
    assert state(s, 0).opened == (0, (1, 1))


@pytest.mark.parametrize("options", [RA, SINGLETON], ids=["ra", "singleton"])
def test_who_waits_in_the_leaders_own_queue_is_invited(options: dict[str, str]) -> None:
    """The section does not say it; with everybody's permission nobody else knows them."""
    s = run_over(options, 3)
    s.ask(0, 1)
    for site in (1, 2):
        s.deliver(0, site, "Request")  # it agrees
        s.ask(site, 1)
        s.deliver(site, 0, "Locked")
        if site == 1:
            s.deliver(1, 0, "Request")
    assert s.who() == [0]
    s.deliver(0, 1, "Invite")
    s.settle()
    assert s.who() == [0, 1]  # the other one's request came too late
    s.drain()


@each
def test_without_more_there_is_no_concurrent_entry(options: dict[str, str]) -> None:
    system = find("sanders").system(2, options)
    system = system._replace(promises=(*system.promises, CONCURRENT_ENTRY))
    result = check(system, Scope(groups=1, requests=1))
    assert result.properties[CONCURRENT_ENTRY] == VIOLATED


@each
def test_everybody_may_be_inside_together(options: dict[str, str]) -> None:
    n, most = 4, 0
    for seed in range(80):
        s = run_over(options, n)
        s.run(seed, 4, 1, fifo=True)
        most = max(most, s.most)
    assert most == n


def test_singleton_inform_sets_are_those_of_one_structure() -> None:
    with pytest.raises(BadOption, match="singleton=on needs structure=ricart-agrawala"):
        find("sanders").system(3, {"singleton": "on"})


# Long schedules.


@each
@pytest.mark.parametrize(("kind", "n"), KINDS)
def test_long_schedules_over_many_quorum_systems(
    options: dict[str, str], kind: str, n: int
) -> None:
    for seed in range(2):
        s = run_over(options, n, kind)
        s.run(seed, 6, 2, fifo=True)
        assert len(s.granted) == 6 * n
        assert s.sent <= s.system.worst * len(s.granted)
        for site in range(n):
            now = state(s, site)
            assert now.locks == ((), (), ())
            assert now.desk == (((0, -1), False, ()), (), (0, 1), ())
            assert now.opened == (0, (1, 1))
            assert now.missed == ()


@each
def test_walks_with_starved_channels(options: dict[str, str]) -> None:
    system = find("sanders").system(7, options, quorum="plane")
    for seed in range(4):
        result = walk(system, Scope(groups=2, requests=4), seed)
        assert result.violation is None, f"seed {seed}: {result.violation}"
