"""The demonstration: its figures, its lines, its screen at any size."""

from __future__ import annotations

import json
from collections import deque

import pytest
from rich.console import Console
from tests.net import broken
from tests.net.processes import Watched, children_of, ran, started

from grouplock.cli.jukebox import DISC_NAMES, View, chart
from grouplock.measure.workload import Workload
from grouplock.net.control import ASKED, ENTERED, LEFT, Event
from grouplock.net.verdict import Verdict

MS = 1_000_000


def test_json_is_the_figures_and_nothing_else() -> None:
    done = ran("demo", "--seconds", "1.5", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    assert list(told) == [
        "nodes",
        "entries",
        "violations",
        "switches",
        "messages",
        "throughput",
        "waiting",
    ]
    assert list(told["waiting"]) == ["mean", "p50", "p99", "max"]
    assert (told["nodes"], told["violations"]) == (3, 0)
    assert told["entries"] > 0
    assert told["throughput"] == pytest.approx(told["entries"] / 1.5, rel=0.3)


def test_it_leaves_no_process_behind() -> None:
    with started("demo", "--seconds", "1") as command:
        assert command.stdout is not None
        assert command.stderr is not None
        assert command.stdout.readline()
        with Watched(children_of(command.pid)) as children:
            assert len(children.fds) == 3
            assert command.wait(20) == 0
            assert children.all_end()
        command.stdout.read()


def test_without_a_terminal_it_prints_a_line_for_each_entry() -> None:
    done = ran("demo", "--seconds", "1.5")
    lines = done.stdout.splitlines()
    assert done.returncode == 0
    assert "switches to" in lines[0]
    assert lines[-1] == "never were two discs on at once"
    entries = [line for line in lines if "switches to" in line or "listens along to" in line]
    assert f"3 nodes, {len(entries)} entries" in done.stdout
    assert "\x1b" not in done.stdout


def test_wrong_seconds_are_one_line_and_status_2() -> None:
    done = ran("demo", "--seconds", "0")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "grouplock: --seconds is 0; it must be more than 0\n"


def a_view() -> View:
    """Ada and Dan are inside, Ben is queued behind Ada, Eve behind Dan, Gus waits, others think."""
    view = View("token-gme, 3 nodes", 3, 3, 4)
    for event_site, event in (
        (0, Event(0, ASKED, 0, 0, (0,))),
        (1, Event(0, ASKED, 0, 0, (0,))),
        (0, Event(5 * MS, ENTERED, 0, 1, (0,))),
        (1, Event(6 * MS, ENTERED, 0, 2, (0,))),
        (2, Event(7 * MS, ASKED, 0, 0, (1,))),
        (0, Event(8 * MS, ASKED, 1, 0, (2,))),
        (1, Event(9 * MS, ASKED, 1, 0, (0,))),
    ):
        view.seen(event_site, event)
    verdict = Verdict(broken.system("OpenDoor", 3), Workload(n=3), 3, 1.0)
    for second in range(1, 5):
        view.tick(verdict, messages=second * second * 10, upto=second * 1000 * MS)
    return view


def drawn(view: View, width: int, height: int) -> list[str]:
    console = Console(width=width, height=height, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(view.draw(console))
    return capture.get().splitlines()


@pytest.mark.parametrize(("width", "height"), [(80, 24), (100, 40), (50, 24), (40, 20), (80, 12)])
def test_the_screen_fits(width: int, height: int) -> None:
    lines = drawn(a_view(), width, height)
    assert len(lines) == height
    assert all([len(line) <= width for line in lines])
    assert "Kind of Blue  is on for  Ada, Dan" in lines[2]


def test_the_screen_says_who_does_what() -> None:
    text = "\n".join(drawn(a_view(), 80, 24))
    for part in (
        "Ada     ▶ hears Kind of Blue",
        "Ben       queued for Rumours",
        "Eve       queued for Kind of Blue",
        "Gus       waits for Abbey Road",
        "Hana    thinks",
        "messages a second: 70, in all 160",
        "0 switches",
    ):
        assert part in text
    assert {name for name in DISC_NAMES if name in text} == set(DISC_NAMES)


def test_when_all_have_left_there_is_silence() -> None:
    view = a_view()
    view.seen(0, Event(20 * MS, LEFT, 0, 1))
    view.seen(1, Event(20 * MS, LEFT, 0, 2))
    assert "silence" in drawn(view, 80, 24)[2]


def test_a_chart_has_its_highest_column_full_and_works_without_unicode() -> None:
    assert chart(deque([0.0, 4.0, 8.0]), 10, 2) == "  █\n ██"
    assert chart(deque([1.0, 8.0]), 10, 1, "ascii") == ".@"
    assert chart(deque([1.0, 2.0, 3.0]), 2, 1) == "▅█"
    assert chart(deque(), 10, 1) == ""
