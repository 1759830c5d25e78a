"""The lock benchmark's own logic: what is asked for, what is judged, what is compared."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from bench.locks import report, targets
from bench.locks.adapters.lua import keys
from bench.locks.adapters.redis_raw import answer_end, command
from bench.locks.crew import ROOT, Crew, Result, Round, rotated, take_turns
from bench.locks.records import (
    Figures,
    Rows,
    conflicts,
    handovers,
    jain,
    judge,
    most_together,
    rows,
    sessions_waited,
)
from bench.locks.scenarios import CLIENTS, PROCESSES, SCENARIOS
from bench.locks.servers import Server, ServerFailed, install
from bench.locks.systems import SYSTEMS
from bench.locks.targets import Measured

MS = 1_000_000
NOBODY = Server("", ROOT, [])


class Stay(NamedTuple):
    client: int
    group: int
    asked: int
    entered: int
    left: int


def log(*stays: Stay) -> Rows:
    """In milliseconds; a release takes none."""
    told = [(s.client, s.group, *(MS * t for t in (*s[2:], s.left))) for s in stays]
    return rows([np.array(told, np.int64).tobytes()])


# Scenarios.


def test_the_scenarios_are_those_of_the_issue() -> None:
    told = {
        s.name: (s.clients, s.groups, s.own, s.inside_s * 1000, s.think_s * 1000)
        for s in SCENARIOS.values()
    }
    assert told == {
        "A1": (1, 0, True, 0, 0),
        "A16": (16, 0, True, 0, 0),
        "B0": (16, 0, False, 0, 0),
        "B5": (16, 0, False, 5, 0),
        "C2": (16, 2, False, 5, 5),
        "C8": (16, 8, False, 5, 5),
        "S2": (16, 2, False, 1, 5),
    }


def test_every_system_is_asked_for_the_same_groups() -> None:
    c8 = SCENARIOS["C8"]
    once, again = (list(islice(c8.draws(3, 7), 200)) for _ in range(2))
    assert once == again
    assert sorted(set(once)) == list(range(8))
    assert once != list(islice(c8.draws(4, 7), 200))
    assert once != list(islice(c8.draws(3, 8), 200))


def test_an_exclusive_lock_is_a_group_for_each_client() -> None:
    assert {next(SCENARIOS["B0"].draws(1, client)) for client in range(CLIENTS)} == set(range(16))


def test_own_locks_have_names_of_their_own() -> None:
    assert len({SCENARIOS["A16"].lock(client) for client in range(CLIENTS)}) == CLIENTS
    assert len({SCENARIOS["B5"].lock(client) for client in range(CLIENTS)}) == 1


# The safety check.


def test_two_groups_inside_together_are_seen() -> None:
    assert conflicts(log(Stay(0, 0, 0, 1, 5), Stay(1, 1, 0, 4, 6))) == 1


def test_one_group_together_is_no_conflict() -> None:
    shared = log(Stay(0, 2, 0, 1, 5), Stay(1, 2, 0, 2, 6), Stay(2, 2, 0, 3, 4))
    assert conflicts(shared) == 0
    assert most_together(shared) == 3


def test_entering_at_the_instant_of_leaving_is_no_conflict() -> None:
    touching = log(Stay(0, 0, 0, 1, 5), Stay(1, 1, 0, 5, 6))
    assert conflicts(touching) == 0
    assert most_together(touching) == 1


def test_a_long_stay_is_not_hidden_by_short_ones_of_its_group() -> None:
    long = Stay(0, 0, 0, 1, 100)
    assert (
        conflicts(log(long, Stay(1, 0, 0, 2, 3), Stay(2, 0, 0, 4, 5), Stay(3, 1, 0, 50, 51))) == 1
    )


def test_the_check_agrees_with_a_dumb_one() -> None:
    chance = np.random.default_rng(5)
    seen = 0
    for _ in range(50):
        entered = chance.integers(0, 60, 12)
        stays = [
            Stay(i, int(chance.integers(3)), 0, int(t), int(t + chance.integers(1, 8)))
            for i, t in enumerate(entered)
        ]
        whole = log(*stays)
        order = sorted(range(12), key=lambda i: (stays[i].entered, i))
        dumb = sum(
            any(stays[a].group != stays[b].group and stays[a].left > stays[b].entered
                for a in order[:at])
            for at, b in enumerate(order)
        )  # fmt: skip
        assert conflicts(whole) == dumb
        seen += dumb
    assert seen > 50


# Figures.


def test_a_handover_runs_from_the_call_to_release_to_the_next_entry() -> None:
    told = log(Stay(0, 0, 0, 1, 5), Stay(1, 1, 2, 7, 9), Stay(2, 2, 20, 21, 22))
    assert handovers(told).tolist() == [2 * MS]  # the third did not wait for anybody


def test_sessions_that_began_while_somebody_waited() -> None:
    told = log(
        Stay(0, 0, 0, 1, 5), Stay(1, 1, 2, 6, 9), Stay(2, 0, 3, 10, 12), Stay(3, 2, 2, 13, 14)
    )
    assert sessions_waited(told).tolist() == [0, 0, 1, 2]


def test_jain_index() -> None:
    assert jain([5, 5, 5, 5]) == 1
    assert jain([8, 0, 0, 0]) == 0.25


def test_only_what_began_after_the_warming_and_ended_in_time_is_counted() -> None:
    told = log(Stay(0, 0, 0, 1, 2), Stay(0, 0, 10, 11, 20), Stay(1, 1, 10, 22, 30))
    figures = judge(told, True, 5 * MS, 25 * MS)
    assert figures.entries == 1
    assert figures.pair_p50_us == 1000
    assert figures.per_s == pytest.approx(1 / 0.015)
    assert figures.conflicts == 0


def test_the_safety_check_looks_at_the_warming_too() -> None:
    told = log(Stay(0, 0, 0, 1, 4), Stay(1, 1, 0, 2, 3), Stay(0, 0, 10, 11, 12))
    assert judge(told, True, 5 * MS, 25 * MS).conflicts == 1


# Comparison.


def measured(system: str, scenario: str, value: float, **more: float) -> Measured:
    plain = Measured(system, scenario, value, 0.0, 1, 1.0, 1.0, 1, 1, 0, 1.0)
    return plain._replace(**more)  # type: ignore[arg-type]


def test_a_ratio_above_one_is_better_for_times_and_for_rates() -> None:
    assert targets.ratio(measured("grouplock", "A1", 50), measured("etcd", "A1", 600)) == 12
    assert targets.ratio(measured("grouplock", "C2", 900), measured("etcd", "C2", 100)) == 9


def test_the_fastest_of_a_family_is_what_counts() -> None:
    found = [
        measured("grouplock", "B0", 100),
        measured("redis-py lua", "B0", 300),
        measured("redis-py blpop", "B0", 200),
        measured("pg advisory", "B0", 160),
        measured("pg tables", "B0", math.nan),
    ]
    told = {one.against: one for one in targets.verdicts(found)}
    assert (told["redis-py"].other, told["redis-py"].ratio) == ("redis-py blpop", 2)
    assert not told["redis-py"].met
    assert (told["PostgreSQL"].other, told["PostgreSQL"].ratio) == ("pg advisory", 1.6)
    assert told["Jain index"].met
    assert "etcd" not in told


def test_the_demands_beside_the_table() -> None:
    found = [
        measured("grouplock-here", "A1", 6.0),
        measured("grouplock", "A16", 100, cpu_us=10),
        measured("pg advisory", "A16", 100, cpu_us=50),
        measured("grouplock", "B5", 190, jain=0.9),
        measured("asyncio.Lock", "B5", 200),
    ]
    told = {(one.scenario, one.against): one for one in targets.demands(found)}
    assert told["A1", "at most 3 µs"].ratio == 0.5
    assert told["A16", "PostgreSQL's CPU"].ratio == 5
    assert told["A16", "PostgreSQL's CPU"].met
    assert told["B5", "asyncio.Lock"].ratio == 0.95
    assert not told["B5", "asyncio.Lock"].met
    assert not told["B5", "Jain index"].met


def test_with_fifo_nobody_waits_for_more_sessions_than_proved() -> None:
    found = [
        measured("grouplock fifo", "C2", 800, sessions=3),
        measured("grouplock fifo", "C8", 300, sessions=16),
        measured("grouplock", "C8", 300, sessions=16),
    ]
    told = [(one.scenario, one.met) for one in targets.demands(found) if "waited" in one.against]
    assert told == [("C2", True), ("C8", False)]


def test_the_table_of_targets_has_every_family_once() -> None:
    assert {t.scenario for t in targets.TARGETS} == set(SCENARIOS) - {"B5"}
    assert {SYSTEMS[name].family for name in SYSTEMS} == {
        *targets.FAMILIES, targets.OURS, targets.HERE, targets.FIFO, "control"
    }  # fmt: skip


def test_a_lock_that_does_not_exclude_is_named_and_so_is_a_blind_check() -> None:
    found = [
        measured("grouplock", "B0", 1),
        measured("redis-raw", "B0", 1, conflicts=2),
        measured("no lock", "B0", 1, conflicts=0),
        measured("no lock", "C2", 1, conflicts=7),
        measured("no lock", "A1", 1, conflicts=0),
    ]
    assert [(one.system, one.scenario) for one in targets.broken(found)] == [
        ("redis-raw", "B0"),
        ("no lock", "B0"),
    ]


def test_rounds_become_a_median_and_one_index() -> None:
    figures = Figures(8, 10.0, 20.0, 30.0, 4.0, 5, 1, 0)
    rounds = [
        Round(figures._replace(per_s=30.0), [9, 1], 2000),
        Round(figures._replace(per_s=50.0, conflicts=3), [1, 9], 4000),
        Round(figures._replace(per_s=40.0, longest_wait_ms=9.0), [5, 5], 3000),
    ]
    told = targets.measured(Result("grouplock", "C2", rounds))
    assert (told.value, told.noise, told.jain, told.cpu_us) == (40, 0.25, 1, 3)
    assert (told.longest_ms, told.conflicts, told.entries) == (9, 3, 24)


def test_the_page_says_what_was_measured_and_what_was_not_reached() -> None:
    found = [measured("grouplock", "A16", 9000), measured("redis-raw", "A16", 18000)]
    page = report.page(found, targets.verdicts(found), "here and now\n")
    assert "| grouplock | 9,000 ±0% | - |" in page
    assert "| A16, grouplock | redis-raw | redis-raw | 0.5 | 0.6 | **no** |" in page
    assert SYSTEMS["redis-raw"].note in page
    assert "etcd" not in page


# Taking turns, and the wire.


def test_systems_take_turns_in_another_order_each_round() -> None:
    crews: list[Crew] = [FakeCrew(name) for name in ("grouplock", "redis-raw", "etcd")]
    orders = {tuple(c.system.name for c in rotated(crews, turn)) for turn in range(6)}
    assert len(orders) > 3
    assert all(len(order) == 3 for order in orders)


class FakeCrew(Crew):
    def __init__(self, name: str) -> None:
        self.system, self.server, self.workers = SYSTEMS[name], NOBODY, []


def test_a_command_and_where_its_answer_ends() -> None:
    assert command("BLPOP", "a b", 0) == b"*3\r\n$5\r\nBLPOP\r\n$3\r\na b\r\n$1\r\n0\r\n"
    whole = b":1\r\n*2\r\n$3\r\na b\r\n$1\r\n1\r\n-ERR no\r\n"
    ends = [0]
    while ends[-1] < len(whole):
        ends.append(answer_end(whole, ends[-1]))
    assert ends == [0, 4, 24, len(whole)]
    assert all(answer_end(whole[:cut], 4) == -1 for cut in range(5, 24))
    assert len({*keys("a", "C2", 1), *keys("b", "C2", 1)}) == 6


# For real, without anybody's server.


def test_the_check_catches_the_control_and_no_real_lock() -> None:
    """Client processes, the clocks they share, the logs that they send: one short turn each."""
    crews: dict[str, Crew] = {}
    told: list[str] = []
    try:
        for name in ("no lock", "asyncio.Lock"):
            crews[name] = Crew(SYSTEMS[name], NOBODY)
        for crew in crews.values():
            crew.ready()
        wanted = [SCENARIOS["B5"], SCENARIOS["C2"]]
        results = take_turns(crews, wanted, rounds=1, seconds=0.2, tell=told.append)
    finally:
        for crew in crews.values():
            crew.close()
    found = {(one.system, one.scenario): targets.measured(one) for one in results}
    assert sorted(found) == [("asyncio.Lock", "B5"), ("no lock", "B5"), ("no lock", "C2")]
    assert found["no lock", "B5"].conflicts > 0
    assert found["no lock", "C2"].conflicts > 0
    assert found["no lock", "C2"].together > 1
    assert found["asyncio.Lock", "B5"].conflicts == 0
    assert found["asyncio.Lock", "B5"].together == 1
    assert found["asyncio.Lock", "B5"].entries > 0
    assert targets.broken(found.values()) == []
    assert all(worker.poll() is not None for crew in crews.values() for worker in crew.workers)


def test_stopped_by_a_signal_it_leaves_no_process_behind() -> None:
    command = [sys.executable, "-m", "bench.locks", "--systems", "plain", "--only", "B5"]
    program = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    try:
        assert program.stderr is not None
        said = iter(program.stderr.readline, "")
        assert next(line for line in said if line.startswith("round 0"))  # all have had a turn
        started = children(program.pid)
        assert len(started) == 1 + PROCESSES
        program.send_signal(signal.SIGINT)
        assert "servers and clients are gone" in program.stderr.read()
        assert program.wait() == 130
        assert [pid for pid in started if Path(f"/proc/{pid}").exists()] == []
    finally:
        program.kill()
        program.wait()
        if program.stderr is not None:
            program.stderr.close()


def test_without_apt_a_missing_server_is_one_clear_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ServerFailed, match=r"etcd is not installed.*no apt-get.*--without"):
        install(["plain", "etcd"])


def children(parent: int) -> list[int]:
    listed = [Path(f"/proc/{parent}/task/{parent}/children").read_text()]
    return [int(pid) for pid in " ".join(listed).split()]
