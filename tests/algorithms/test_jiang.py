"""jiang: what paper 003 says of it, by section, what does not hold, and crashes."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.catalog.choosers import Chooser, chooser
from grouplock.check.checker import VIOLATED, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.measure.workload import Workload
from grouplock.properties import CONCURRENT_ENTRY, SERVED
from grouplock.protocol.pick import Quorum
from grouplock.protocol.system import System
from grouplock.quorums import QuorumSystem, build
from grouplock.sim.run import simulate
from tests.crashes import Crashing
from tests.errata.jiang import THREE
from tests.picks import ReadWrite
from tests.rounds import Rounds
from tests.schedule import Schedule

X, Y = 0, 1
FAR = 1_000_000_007  # a group that nobody has heard of


def torus(client: int, quorum: Quorum, leader: Quorum = (0, 1, 2)) -> System:
    """Four rows of two, k = 2; everybody reads one column.  One site asks a quorum of its own."""
    writes = [leader, quorum]
    own = [1 if site == client else 0 for site in range(8)]
    pick = ReadWrite(writes, own, [(0, 2, 4, 6)] * 8)
    return find("jiang").system(8, {"patience": "never"}, 2, pick=pick)


def run(n: int, slots: int, kind: str | None = None, patience: str = "100") -> System:
    return find("jiang").system(n, {"patience": patience}, slots, kind, groups=3)


# Section 5: messages and hops.


@pytest.mark.parametrize("group", [X, FAR])
def test_section_5_alone(group: int) -> None:
    """The paper's own list is 3|Q| + 2|QuP| + 1, its sum 2|Q| + 2|QuP| + 1; ours answers Clear."""
    s = Rounds(torus(5, (4, 5, 6)))
    q, union = 3, 5  # of site 7, which is in neither
    s.ask(7, group)
    assert s.hops_until(s.enters(7)) == union + 3
    s.leave(7)
    s.settle()
    assert s.sent == 3 * q + 3 * union + 1 == 25
    assert s.sent - s.kinds["Cleared"] == 3 * q + 2 * union + 1
    assert s.sent - s.kinds["Cleared"] != 2 * q + 2 * union + 1
    assert s.kinds == {
        "Request": q, "Grant": q, "Release": q, "Compete": union, "Success": 1,
        "Clear": union, "Cleared": union,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("client", "quorum", "registrars"),
    [(4, (2, 3, 5), 1), (5, (2, 3, 4), 2), (3, (4, 5, 6), 2), (5, (0, 1, 2), 3)],
)
def test_section_5_a_follower(client: int, quorum: Quorum, registrars: int) -> None:
    """The paper has 2|Q| + 4, which leaves out the other members' answers and further Notices."""
    s = Rounds(torus(client, quorum))
    s.ask(7, X)
    s.settle()
    before = s.sent
    s.ask(client, X)
    assert s.hops_until(s.enters(client)) == 3
    s.settle()
    s.leave(client)
    s.settle()
    assert s.sent - before == 3 * 3 + 2 + registrars > 2 * 3 + 4
    assert s.who() == [7]
    s.drain()


@pytest.mark.parametrize(("n", "slots", "kind"), [(8, 2, "torus"), (14, 2, "torus"), (9, 3, None)])
def test_section_5_no_run_reaches_the_paper_s_upper_bound(
    n: int, slots: int, kind: str | None
) -> None:
    system = run(n, slots, kind)
    own = chooser(kind or "k-blocks", n, "k-coterie", slots, 1)
    assert isinstance(own, Chooser)
    for seed in range(4):
        s = Schedule(system)
        s.run(seed, 6, 3, fifo=True)
        assert len(s.granted) == 6 * n
        assert s.sent <= (6 * n + 2 * (own.union() - 1) + 1) * len(s.granted)


def test_section_6_unbounded_concurrency() -> None:
    s = Schedule(run(12, 2))
    for site in range(12):
        s.ask(site, X)
        s.settle()
    assert s.who() == [*range(12)]
    s.drain()


# Section 3: k-progressing, and how it needs another quorum.


def busy_block(patience: str) -> Schedule:
    """Two blocks, {0, 1} and {2, 3}; site 0 is inside with a group, and site 1 wants another."""
    s = Schedule(run(4, 2, patience=patience))
    s.ask(0, X)
    s.settle()
    s.ask(1, Y)
    s.settle()
    assert s.who() == [0]
    return s


def test_section_3_another_quorum_is_asked_when_time_is_up() -> None:
    s = busy_block("100")
    s.ring(1)
    s.settle()
    assert s.who() == [0, 1]
    s.drain()


def test_section_3_without_that_a_slot_stays_free_beside_a_request() -> None:
    s = busy_block("never")
    assert s.timers == []
    s.leave(0)
    s.settle()
    assert s.who() == [1]


def test_the_next_request_waits_until_the_last_one_is_over() -> None:
    """A leader that has left is asked for again while its follower is inside."""
    s = Schedule(run(4, 2))
    s.ask(0, X)
    s.settle()
    s.ask(1, X)
    s.settle()
    s.leave(0)
    s.ask(0, Y)
    s.settle()
    assert s.who() == [1]
    s.leave(1)
    s.settle()
    assert s.who() == [0]
    s.drain()


# Section 3 and theorem 2: what does not hold.


def test_lemma_2_two_leaders_of_one_resource_keep_another_group_out() -> None:
    """Erratum J10: one group is inside, two may be, and a request waits for an exit."""
    pick = ReadWrite([(0,), (1,)], [0, 1, 1, 1], [(0, 1)] * 4)
    s = Schedule(find("jiang").system(4, {}, 2, pick=pick))
    s.ask(1, X)
    s.settle()
    s.ask(2, X)
    s.settle()
    s.leave(1)  # its session goes on: site 2 is inside
    s.settle()
    s.ask(0, X)
    s.settle()
    s.ask(3, Y)
    s.settle()
    while s.timers:
        s.ring(*s.timers[0])
        s.settle()
    assert [(site, group) for site, _, group in s.inside] == [(2, X), (0, X)]
    assert s.waiting == [(3, 1)]
    s.drain()


def test_concurrent_entering_ends_when_the_leader_leaves() -> None:
    """Nobody conflicts, and a newcomer of the group waits for a follower to leave."""
    right = find("jiang").system(3, {"patience": "never"}, 1, pick=THREE)
    system = right._replace(promises=(*right.promises, CONCURRENT_ENTRY))
    result = check(system, Scope(groups=1, requests=1))
    assert result.properties[CONCURRENT_ENTRY] == VIOLATED
    assert result.violation is not None
    assert any(step.do[0] == "release" for step in result.violation.steps)


# Long schedules.

MANY = [
    (9, 2, None), (16, 3, None), (25, 2, None), (25, 4, None),
    (8, 2, "torus"), (14, 3, "k-majority"), (18, 2, "torus"), (9, 2, "k-majority"),
    (25, 1, "torus"),
]  # fmt: skip


@pytest.mark.parametrize(("n", "slots", "kind"), MANY)
def test_long_schedules_over_many_quorum_systems(n: int, slots: int, kind: str | None) -> None:
    for patience in ("100", "never"):
        s = Schedule(run(n, slots, kind, patience))
        s.run(1, 5, 3, fifo=True)
        assert len(s.granted) == 5 * n
        assert s.sent <= s.system.worst * len(s.granted)
        for site in s.sites:
            state = site.save()
            assert (state.phase, state.asked, state.followers, state.acks) == (0, (), (), ())
            assert state.registry == (((0, -1), False, ()), (), (), ())


@pytest.mark.parametrize(("n", "slots", "kind"), [(7, 2, None), (8, 2, "torus"), (9, 3, None)])
def test_walks_with_starved_channels(n: int, slots: int, kind: str | None) -> None:
    for seed in range(3):
        result = walk(run(n, slots, kind), Scope(groups=3, requests=4), seed)
        assert result.violation is None, f"seed {seed}: {result.violation}"


# Crashes.


def quorums(n: int, slots: int) -> QuorumSystem:
    system = build("k-blocks", n, k=slots)
    assert isinstance(system, QuorumSystem)
    return system


@pytest.mark.parametrize("faults", [1, 2, 3])
@pytest.mark.parametrize(("n", "slots"), [(4, 1), (6, 2), (9, 2), (10, 1)])
def test_crashes_that_leave_a_quorum_alive(n: int, slots: int, faults: int) -> None:
    masked = 0
    for seed in range(12):
        s = Crashing(run(n, slots))
        try:
            s.run_crashing(seed, 3, 2, faults, fifo=True)
        except AssertionError:
            assert quorums(n, slots).pick(0, 1, s.survivors()) is None
        else:
            masked += len(s.dead)
    assert masked


def test_what_is_not_tolerated_no_quorum_alive() -> None:
    """Both nodes of the only block: one crash, and the other site waits for ever."""
    result = check(run(2, 1, patience="never"), Scope(groups=1, requests=1, events=("crash",)))
    assert result.properties[SERVED] == VIOLATED


def test_followers_of_a_dead_leader_keep_its_quorum() -> None:
    """Nobody takes its grants before they have left; then its slot is free again."""
    pick = ReadWrite([(1,), (2,)], [0] * 4, [(1, 2)] * 4)
    s = Crashing(find("jiang").system(4, {}, 1, pick=pick))
    s.ask(0, X)
    s.settle()
    s.ask(3, X)
    s.settle()
    s.ask(2, Y)
    s.crash(0)
    s.detect()
    assert s.who() == [3]
    s.leave(3)
    s.settle()
    assert s.who() == [2]
    s.drain()


def test_a_failure_costs_two_messages_for_each_survivor_and_holder() -> None:
    for n in (6, 9, 12):
        s = Crashing(run(n, 1))
        s.ask(0, X)
        s.settle()
        arbiters = [v for v in range(1, n) if s.sites[v].save().registry.lock[0][1] == 0]
        before = s.sent
        s.crash(0)
        s.detect()
        assert s.sent - before == 2 * (n - 2) * len(arbiters)
        s.ask(1, Y)
        s.settle()
        assert s.who() == [1]
        s.drain()


def test_an_idle_site_s_crash_costs_nothing() -> None:
    s = Crashing(run(6, 2))
    s.crash(5)
    s.detect()
    assert s.sent == 0


def test_two_crashes_at_any_step() -> None:
    scope = Scope(groups=2, requests=3, events=("crash",), faults=2)
    system = run(9, 1)
    for seed in range(12):
        result = walk(system, scope.checked(system, walking=True), seed)
        assert result.violation is None, f"seed {seed}: {result.violation}"


# In the simulator.


def test_the_simulator_s_timers_ask_more_and_wait_less() -> None:
    workload = Workload(n=8, slots=2, groups=3, requests=40)
    eager = simulate(run(8, 2, patience="20"), workload).figures
    never = simulate(run(8, 2, patience="never"), workload).figures
    assert eager.served == never.served == 320
    assert eager.messages > never.messages
