"""Runs over real TCP: right algorithms pass, wrong ones are caught, nothing is left behind."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any, Final

import pytest
from tests.net import broken
from tests.net.processes import Watched, children_of, ran, started

from grouplock.catalog import find
from grouplock.cli import site
from grouplock.cli.errors import NOT_FINISHED, VIOLATED
from grouplock.cli.live import tell
from grouplock.measure.trace import Header, Step, read
from grouplock.measure.workload import Workload
from grouplock.net.launcher import DONE, FAILED, VIOLATION, Outcome, Plan, Watcher, launch
from grouplock.net.verdict import Verdict
from grouplock.protocol.effects import Effects, packed

KEYS = [
    *("algorithm", "options", "n", "groups", "slots", "requests", "seed", "served"),
    *("violations", "messages", "messages_per_request", "integers_per_message", "waiting"),
    *("throughput", "concurrency", "sync_delay", "sessions", "virtual_time", "events"),
    *("wall_s", "events_per_s"),
]


class Children(Watcher):
    """Notes our children's processes while the run goes on."""

    def __init__(self, before: list[int]) -> None:
        self.before: Final = before
        self.watched: Watched | None = None

    def tick(self, verdict: Verdict, messages: int, upto: int) -> None:
        if self.watched is None:
            ours = [pid for pid in children_of(os.getpid()) if pid not in self.before]
            self.watched = Watched(ours)


def run_broken(name: str, n: int = 3, groups: int = 3, patience_s: float = 20.0) -> Outcome:
    """Runs it, and sees to it that no process outlives the run."""
    w = Workload(n=n, groups=groups, requests=20, think=2, inside=4, delay=1)
    before = children_of(os.getpid())  # of other tests: a pool's helper stays
    children = Children(before)
    outcome = launch(
        Plan(
            system=broken.system(name, n),
            workload=w,
            argv=broken.argv(name, n),
            patience_s=patience_s,
            watcher=children,
        )
    )
    if children.watched is not None:
        with children.watched as watched:
            assert watched.all_end()
    assert children_of(os.getpid()) == before
    return outcome


@pytest.mark.parametrize(
    "arguments",
    [
        ("central", "--slots", "2"),
        ("ricart-agrawala",),
        ("suzuki-kasami", "--bandwidth", "10"),
        ("ra1", "--delay", "0"),
        ("token-gme",),
        ("token-gme", "-o", "policy=fifo", "--sets", "2"),
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_every_algorithm_runs_and_keeps_its_promises(
    arguments: tuple[str, ...], tmp_path: Path
) -> None:
    trace = tmp_path / "trace"
    done = ran("live", *arguments, "--n", "3", "--requests", "12", "--json", "--trace", str(trace))
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert list(told) == KEYS
    assert (told["served"], told["violations"]) == (36, 0)
    assert told["waiting"]["max"] >= told["waiting"]["p99"] >= told["waiting"]["p50"] > 0

    with trace.open() as lines:
        header, *steps, end = read(lines)
    assert isinstance(header, Header)
    assert (header.driver, header.algorithm, header.n) == ("live", arguments[0], 3)
    assert end == {"end": "done"}
    assert len(steps) == told["events"]
    replay(header, steps)


def replay(header: Header, steps: list[Any]) -> None:
    """The merged trace is one that could have been: each message is delivered after it was sent,
    once, in its channel's order; the same inputs give the same effects."""
    system = find(header.algorithm).system(3, header.options, header.slots)
    fresh = system.sites()
    on_the_way: dict[tuple[int, int], list[Any]] = {}
    last = 0.0
    for step in steps:
        assert isinstance(step, Step)
        assert step.at >= last
        last = step.at
        kind, *args = step.do
        out = Effects()
        if kind == "deliver":
            src, packed_msg = args
            assert on_the_way[(src, step.site)].pop(0) == packed_msg
            msg = system.messages.unpack(packed_msg, system.n)
            fresh[step.site].on_message(src, msg, out)
        else:
            getattr(fresh[step.site], kind)(*args, out)
        for effect in out.kept:
            if effect[0] == "send" and effect[1] == step.site:
                fresh[step.site].on_message(step.site, effect[2], out)
        assert tuple([packed(effect, system.messages) for effect in out.kept]) == step.out
        for effect in step.out:
            if effect[0] == "send" and effect[1] != step.site:
                on_the_way.setdefault((step.site, effect[1]), []).append(effect[2])
    assert not any(on_the_way.values())


def test_one_site_alone_needs_no_message() -> None:
    done = ran("live", "token-gme", "--n", "1", "--requests", "5", "--json")
    told = json.loads(done.stdout)
    assert (done.returncode, told["served"], told["messages"]) == (0, 5, 0)


def test_figures_for_people() -> None:
    done = ran("live", "token-gme", "--n", "2", "--requests", "5")
    assert done.returncode == 0
    assert "served" in done.stdout
    assert "10 of 10" in done.stdout


# Wrong algorithms.


def test_ra1_that_always_allows_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    outcome = run_broken("OpenDoor")
    assert outcome.ended == VIOLATION
    assert outcome.violation is not None
    assert outcome.violation.property == "exclusion"
    assert "a slot has two groups: site" in outcome.violation.reason
    assert tell(outcome, as_json=True) == VIOLATED
    said = capsys.readouterr()
    assert json.loads(said.out)["violations"] == 1
    assert "grouplock: violated exclusion: a slot has two groups: site" in said.err


def test_nobody_is_let_in_and_the_run_ends_all_the_same() -> None:
    outcome = run_broken("ClosedDoor", patience_s=0.5)
    assert outcome.violation is not None
    assert outcome.violation.property == "served"
    assert "nobody has entered or left for" in outcome.violation.reason


@pytest.mark.parametrize(
    ("name", "prop", "reason"),
    [
        ("WrongDoor", "integrity", "not asked for"),
        ("Revolving", "integrity", "was granted and does not wait"),
        ("Astonished", "assertion", "somebody else asks"),
        ("Rich", "one-token", "there are 2 tokens at the end of the run"),
    ],
)
def test_other_broken_promises_are_named(name: str, prop: str, reason: str) -> None:
    outcome = run_broken(name, n=2, groups=1)
    assert outcome.violation is not None
    assert outcome.violation.property == prop
    assert reason in outcome.violation.reason


# The world.


def test_a_killed_process_is_reported_and_the_others_are_ended(
    capsys: pytest.CaptureFixture[str],
) -> None:
    outcome = run_broken("Mortal")
    assert outcome.ended == FAILED
    assert outcome.failure == "the process of site 1 ended: killed by SIGKILL"
    assert tell(outcome, as_json=True) == NOT_FINISHED
    assert "could not be finished: the process of site 1 ended" in capsys.readouterr().err


def test_a_process_that_fails_shows_its_last_lines() -> None:
    outcome = run_broken("Mistaken")
    assert outcome.ended == FAILED
    assert "ZeroDivisionError('a mistake')" in outcome.failure
    assert any("raise ZeroDivisionError" in line for line in outcome.last_lines)


def test_a_process_that_does_not_answer_any_more_is_reported_and_ended() -> None:
    outcome = run_broken("Absent", patience_s=1.0)
    assert outcome.ended == FAILED
    assert outcome.failure.startswith("site 1 has said nothing for 1.")


def test_a_process_that_cannot_start_is_reported() -> None:
    outcome = launch(
        Plan(
            system=broken.system("OpenDoor", 2),
            workload=Workload(n=2),
            argv=["python", "-c", "import sys; sys.exit('no such thing')"],
        )
    )
    assert outcome.ended == FAILED
    assert "ended: exit status 1" in outcome.failure
    assert any(line.endswith("no such thing") for line in outcome.last_lines)


def test_time_is_up_before_the_requests_are() -> None:
    outcome = launch(
        Plan(
            system=find("token-gme").system(2, {}),
            workload=Workload(n=2, requests=1 << 40, think=0.1, inside=0.1, delay=0),
            argv=site.argv(find("token-gme").system(2, {})),
            seconds=0.3,
        )
    )
    assert (outcome.ended, outcome.violation) == (DONE, None)
    assert outcome.entries > 0


# The ends that the outside brings.


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_all_processes(number: signal.Signals) -> None:
    with started("demo") as command:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stdout.readline()  # the first entry: everything is up
        with Watched(children_of(command.pid)) as children:
            assert len(children.fds) == 3
            os.killpg(command.pid, number)
            assert command.wait(20) == 0
            assert children.all_end()
        assert "entries" in command.stdout.read()
        assert command.stderr.read() == ""


def test_killing_the_launcher_ends_its_children() -> None:
    with started("demo") as command:
        assert command.stdout is not None
        assert command.stdout.readline()
        with Watched(children_of(command.pid)) as children:
            assert len(children.fds) == 3
            os.kill(command.pid, signal.SIGKILL)
            assert children.all_end()


def test_killing_a_child_ends_the_command_with_a_clear_line() -> None:
    with started("demo") as command:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stdout.readline()
        pids = children_of(command.pid)
        with Watched(pids) as children:
            os.kill(pids[1], signal.SIGKILL)
            assert command.wait(20) == NOT_FINISHED
            assert children.all_end()
        line = "grouplock: the run could not be finished: the process of site 1 ended: killed by"
        assert line in command.stderr.read()


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (("nope",), "no algorithm 'nope'"),
        (("token-gme", "--n", "0"), "n is 0; it must be at least 1"),
        (("token-gme", "--n", "1000"), "live takes at most 64"),
        (("token-gme", "--patience", "0"), "--patience is 0"),
        (("token-gme", "--trace", "/no/such/folder/t"), "/no/such/folder/t: No such file"),
        (("ra1", "--n", "2", "--requests", "1", "--trace", "/dev/full"), "/dev/full: No space"),
        (("token-gme", "-o", "policy=best"), "policy=best is not one of priority, fifo"),
        (("ra1", "--slots", "2"), "ra1 has one slot"),
        (("ra1", "--wrong"), "No such option"),
    ],
)
def test_wrong_use_is_one_line_and_status_2(arguments: tuple[str, ...], line: str) -> None:
    done = ran("live", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
    assert done.stderr.count("\n") == 1
