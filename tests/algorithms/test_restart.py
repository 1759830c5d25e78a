"""Recovery from crashes, interaction by interaction; sections are those of paper 004."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, VIOLATED, check
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.measure.workload import Workload
from grouplock.properties import ASSERTION, CONCURRENT_ENTRY
from grouplock.protocol.channel import FIFO, UNBROKEN
from grouplock.protocol.system import System
from grouplock.sim.run import simulate
from grouplock.sim.trouble import Trouble
from tests.crashes import Crashing

SETTINGS = find("restart").settings()
each = pytest.mark.parametrize("options", SETTINGS, ids=["-".join(o.values()) for o in SETTINGS])
BASES = pytest.mark.parametrize("base", ["token-gme", "ra1", "maekawa"])
PHASES = pytest.mark.parametrize("phases", ["3", "2", "1"])
FAILS = ("crash",)


def system(n: int, phases: str = "3", base: str = "token-gme") -> System:
    return find("restart").system(n, {"base": base, "phases": phases})


def schedule(n: int, phases: str = "3", base: str = "token-gme") -> Crashing:
    return Crashing(system(n, phases, base))


def sent(s: Crashing, kind: str) -> list[tuple[int, int]]:
    return [(src, dst) for src, dst, msg in s.flying if type(msg).__name__ == kind]


def keepers(s: Crashing, phases: str) -> int:
    """The other members of the gate among those that one crash has left, where not all are told."""
    kind = s.sites[1].kind  # type: ignore[attr-defined]
    return 0 if phases == "3" else len(kind.gate(s.system.n - 1)) - 1


# Whatever the order of things.


@each
@pytest.mark.parametrize("seed", range(40))
def test_a_random_schedule_with_crashes(options: dict[str, str], seed: int) -> None:
    n = 2 + seed % 5
    s = Crashing(find("restart").system(n, options))
    fifo = s.system.channel.fifo or seed % 4 == 0
    s.run_crashing(seed, 5, 3, faults=1 + seed % 3, fifo=fifo)
    assert s.granted


@each
@pytest.mark.parametrize("n", [5, 10, 25])
@pytest.mark.parametrize("faults", [1, 2, 4])
def test_survivors_are_served_whoever_crashes(options: dict[str, str], n: int, faults: int) -> None:
    """Coordinators too: site 0 first, then others."""
    crashes = tuple((200.0 + 37.0 * k, k * 2 % n) for k in range(faults))
    found = find("restart").system(n, options)
    workload = Workload(n=n, groups=4, requests=15)
    for fifo in (True,) if found.channel.fifo else (True, False):
        outcome = simulate(found, workload, Trouble(crashes=crashes), fifo=fifo)
        assert outcome.violation is None
        assert outcome.figures.served >= (n - faults) * 15


# Section 5.3.4: what it costs.


@BASES
@pytest.mark.parametrize("n", [3, 4, 8])
@pytest.mark.parametrize(("phases", "rounds"), [("3", 5), ("2", 4)])
def test_section_5_3_4_a_failure_costs_at_most_5_n_minus_1(
    base: str, n: int, phases: str, rounds: int
) -> None:
    """Notify, Restart, Done, Start, and Resume with three phases; what is sent to oneself is free.

    Every survivor waits for a group of its own, so that each old request costs one Leave.
    """
    s = schedule(n, phases, base)
    s.ask(0, 0)
    s.settle()
    for site in range(1, n):
        s.ask(site, site)
        s.settle()
    s.crash(0)
    before = s.sent
    s.detect()
    assert s.sent - before == 4 * (n - 2)
    s.drain()
    assert [site for site, _, _ in s.granted] == list(range(n))
    leaves = n - 1
    resumes = keepers(s, phases)
    assert s.sent - before == rounds * (n - 2) + resumes + leaves <= 5 * (n - 1) + leaves


@BASES
@pytest.mark.parametrize("n", [3, 4, 8])
@pytest.mark.parametrize(("phases", "rounds"), [("3", 4), ("2", 3), ("1", 3)])
def test_section_5_3_4_a_failure_where_nobody_waits(
    base: str, n: int, phases: str, rounds: int
) -> None:
    s = schedule(n, phases, base)
    s.crash(0)
    s.detect()
    assert s.sent == rounds * (n - 2) + keepers(s, phases) <= 5 * (n - 1)


@pytest.mark.parametrize("n", [5, 10, 25])
@pytest.mark.parametrize("faults", [1, 2, 4])
def test_section_5_3_4_the_whole_run(n: int, faults: int) -> None:
    """(2n-1) for each request and 5(n-1) for each failure."""
    crashes = tuple((150.0 + 61.0 * k, (3 * k) % n) for k in range(faults))
    requests = 20
    outcome = simulate(
        system(n), Workload(n=n, groups=3, requests=requests), Trouble(crashes=crashes)
    )
    assert outcome.violation is None
    made = n * requests  # the crashed sites' too
    assert outcome.figures.messages <= (2 * n - 1) * made + 5 * (n - 1) * faults


@each
def test_section_5_3_5_nothing_while_nobody_crashes(options: dict[str, str]) -> None:
    """As many messages as the base sends, each with one integer more: the instance."""
    n = 6
    workload = Workload(n=n, groups=3, requests=30)
    plain = simulate(find(options["base"]).system(n, {}), workload).figures
    figures = simulate(find("restart").system(n, options), workload).figures
    assert figures.messages == plain.messages
    assert figures.waiting == plain.waiting
    assert figures.integers_per_message == pytest.approx(plain.integers_per_message + 1)


def test_section_5_3_4_without_phase_2_a_request_asks_again_after_each_failure() -> None:
    n = 6
    s = schedule(n, "1")
    s.ask(5, 0)
    s.settle()
    s.ask(4, 1)
    s.settle()
    asks = n - 1
    for crashed in (0, 1, 2):
        s.crash(crashed)
        while s.notices:
            s.notice(*s.notices[0])
        s.settle()
    s.leave(5)
    s.settle()
    assert s.who() == [4]
    assert s.sent > 2 * asks


# Section 5.3.2, phase 1.


def test_the_survivor_with_the_smallest_number_hears_of_every_crash() -> None:
    s = schedule(4)
    s.crash(0)
    for site in (1, 2, 3):
        s.notice(site, 0)
    assert sent(s, "Notify") == [(2, 1), (3, 1)]
    s.deliver(2, 1)
    assert sent(s, "Restart") == []
    s.deliver(3, 1)
    assert sent(s, "Restart") == [(1, 2), (1, 3)]


def test_all_have_to_say_the_same() -> None:
    """Two learn of two crashes in different orders."""
    s = schedule(5)
    s.crash(3)
    s.crash(4)
    s.notice(0, 3)
    s.notice(1, 4)
    s.notice(2, 3)
    s.settle()
    assert sent(s, "Restart") == []
    s.notice(1, 3)
    s.notice(0, 4)
    s.settle()
    assert all(site.save().instance == () for site in s.sites[:3])
    s.notice(2, 4)
    s.settle()
    assert all(site.save().instance == (3, 4) for site in s.sites[:3])


def test_a_notify_may_come_before_its_receiver_knows_that_it_is_the_coordinator() -> None:
    s = schedule(3)
    s.crash(0)
    s.notice(2, 0)
    s.deliver(2, 1, "Notify")
    assert sent(s, "Restart") == []
    s.notice(1, 0)
    assert sent(s, "Restart") == [(1, 2)]


def test_of_two_notifies_the_older_may_come_last() -> None:
    s = schedule(4)
    s.crash(2)
    s.crash(3)
    s.notice(1, 2)
    s.notice(1, 3)
    s.notice(0, 2)
    s.notice(0, 3)
    s.deliver(1, 0, "Notify", newest=True)
    assert s.sites[0].save().round == (2, 3)
    s = schedule(4)
    s.crash(2)
    s.crash(3)
    for site in (1, 0):
        s.notice(site, 2)
    s.notice(1, 3)
    s.deliver(1, 0, "Notify", newest=True)
    s.deliver(1, 0, "Notify")
    s.notice(0, 3)
    assert s.sites[0].save().round == (2, 3)


def test_who_is_inside_begins_when_it_leaves() -> None:
    s = schedule(3)
    s.ask(2, 0)
    s.settle()
    s.ask(1, 1)
    s.settle()
    s.crash(0)
    s.detect()
    assert s.who() == [2]
    assert s.sites[2].save().instance == ()
    assert sent(s, "Done") == []
    s.leave(2)
    assert sent(s, "Done") == [(2, 1)]
    s.settle()
    assert s.who() == [1]


def test_messages_of_an_older_instance_are_dropped() -> None:
    s = schedule(3)
    s.ask(1, 1)  # its Asks are on their way
    s.crash(2)
    s.notice(0, 2)
    s.notice(1, 2)
    s.deliver(1, 0, "Notify")
    s.deliver(0, 1, "Restart")
    s.deliver(1, 0, "Done")
    s.deliver(1, 0, "Carried")
    s.settle()
    assert s.who() == [1]  # by its turn, and no token was sent for the Ask
    s.drain()
    assert len(s.granted) == 1


def test_an_order_of_a_dead_coordinator_is_ignored_when_it_comes_late() -> None:
    s = schedule(4)
    s.crash(3)
    for site in (0, 1, 2):
        s.notice(site, 3)
    s.deliver(1, 0)
    s.deliver(2, 0)  # site 0 orders the instance without site 3
    s.deliver(0, 1, "Restart")
    s.crash(0)
    s.notice(1, 0)
    s.notice(2, 0)
    s.deliver(2, 1, "Notify")
    s.deliver(1, 2, "Restart")
    assert s.sites[2].save().instance == (0, 3)
    s.deliver(0, 2, "Restart")
    assert s.sites[2].save().instance == (0, 3)
    s.settle()
    s.ask(2, 4)
    s.drain()
    assert s.granted == [(2, 1, 4)]


# Section 5.3.2, phase 2.


def test_old_requests_are_served_by_group() -> None:
    s = schedule(6)
    s.ask(0, 9)
    s.settle()
    for site, group in ((1, 5), (2, 6), (3, 5), (4, 6), (5, 7)):
        s.ask(site, group)
        s.settle()
    s.crash(0)
    s.detect()
    assert s.who() == [1, 3]
    s.leave(1)
    s.settle()
    assert s.who() == [3]
    s.leave(3)
    s.settle()
    assert s.who() == [2, 4]
    s.drain()
    assert [g for _, _, g in s.granted] == [9, 5, 5, 6, 6, 7]


def test_a_leave_may_come_before_the_start() -> None:
    s = schedule(3)
    s.ask(2, 0)
    s.settle()
    s.ask(0, 1)
    s.ask(1, 2)
    s.settle()
    s.crash(2)
    for site in (0, 1):
        s.notice(site, 2)
    s.deliver(1, 0, "Notify")
    s.deliver(0, 1, "Restart")
    s.deliver(1, 0, "Done")
    assert s.who() == [0]
    s.leave(0)
    s.deliver(0, 1, "Leave")
    assert s.who() == []
    s.deliver(0, 1, "Start")
    assert s.who() == [1]


def test_a_request_made_meanwhile_is_held() -> None:
    s = schedule(3)
    s.ask(2, 0)
    s.settle()
    s.ask(1, 1)
    s.settle()
    s.crash(2)
    s.detect()
    assert s.who() == [1]  # as an old request
    s.ask(0, 0)
    assert s.flying == []
    s.leave(1)
    s.settle()
    assert s.who() == [0]


# Fewer phases.


def test_two_phases_the_others_go_on_and_the_gate_keeps_what_it_is_told() -> None:
    s = schedule(4, "2")
    s.ask(2, 1)
    s.crash(3)
    s.detect()
    assert s.who() == [2]
    s.ask(1, 2)
    s.ask(0, 3)  # the coordinator, which has the new primary token
    s.settle()
    assert s.who() == [2]
    assert [src for src, _, _ in s.sites[0].save().early] == [1]
    s.leave(2)
    s.settle()
    assert s.who() == [1]  # what was kept comes first
    s.drain()
    assert [site for site, _, _ in s.granted] == [2, 1, 0]


def test_one_phase_waiting_requests_are_made_again() -> None:
    s = schedule(4, "1")
    s.ask(2, 1)
    s.settle()
    s.ask(1, 2)
    s.settle()
    s.crash(3)
    s.detect()
    assert s.who() == [2]  # who has deferred the new instance; the gate is closed
    assert s.sites[0].save().is_open is False
    s.leave(2)
    s.settle()
    assert s.who() == [1]


# What is lost, and what the model excludes.


@PHASES
def test_section_5_3_5_any_algorithm_needs_what_it_needed_before(phases: str) -> None:
    """Order alone is not enough where a crash may take a Locked and leave the Inquire after it."""
    scope = Scope(groups=1, requests=1, events=FAILS)
    with_gaps = system(4, phases, "maekawa")._replace(channel=FIFO)
    assert check(with_gaps, scope).properties[ASSERTION] == VIOLATED
    without = system(4, phases, "maekawa")
    assert without.channel == UNBROKEN
    result = check(without, scope, limit=60_000)
    assert (result.states, result.violation) == (60_001, None)


@PHASES
@pytest.mark.parametrize("seed", range(8))
def test_round_maekawa_a_long_walk_with_crashes(phases: str, seed: int) -> None:
    """With starved channels, and all that a crash may do to them."""
    found = system(3 + seed, phases, "maekawa")
    scope = Scope(groups=2, requests=4, events=FAILS, faults=1 + seed % 3)
    assert walk(found, scope.checked(found, walking=True), seed).violation is None


def test_concurrent_entry_holds_until_somebody_crashes() -> None:
    """The recovery waits for who is inside, and everybody waits for the recovery."""
    found = system(2)._replace(promises=(CONCURRENT_ENTRY,))
    assert check(found, Scope(groups=2, requests=1)).properties[CONCURRENT_ENTRY] == HOLDS
    larger = system(3)._replace(promises=(CONCURRENT_ENTRY,))
    result = check(larger, Scope(groups=1, requests=1, events=FAILS))
    assert result.properties[CONCURRENT_ENTRY] == VIOLATED


@PHASES
def test_a_false_suspicion_lets_two_groups_in(phases: str) -> None:
    """Outside the paper's model, whose detector is perfect (section 5.3.1); see docs/errata."""
    s = schedule(3, phases)
    s.ask(2, 1)
    s.settle()
    assert s.who() == [2]
    s.notices = [(0, 2), (1, 2)]  # and site 2 lives
    s.notice(0, 2)
    s.notice(1, 2)
    s.deliver(1, 0, "Notify")
    s.deliver(0, 1, "Restart")
    s.deliver(1, 0, "Done")
    for src, dst in sent(s, "Resume"):
        s.deliver(src, dst, "Resume")
    with pytest.raises(AssertionError, match="a slot has two groups"):
        s.ask(0, 0)


def test_a_gate_is_ranks_with_the_coordinator() -> None:
    """The coordinator is in it, as the recovery needs; ranks are those of the members."""
    for options in SETTINGS:
        found = find("restart").system(7, options).make(0)
        kind = found.kind  # type: ignore[attr-defined]
        for n in range(1, 8):
            gate = kind.gate(n)
            assert 0 in gate
            assert list(gate) == sorted(set(gate) & set(range(n)))
