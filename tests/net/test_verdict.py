"""The merged history and what is concluded from it."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.net import broken

from grouplock.measure.workload import Workload
from grouplock.net.control import ASKED, ENTERED, LEFT, Event
from grouplock.net.merge import Merger, merge_traces
from grouplock.net.verdict import OVERTAKEN, Verdict

MS: Final = 1_000_000
N: Final = 3


@given(st.lists(st.lists(st.integers(0, 1000)), min_size=1, max_size=4), st.data())
def test_a_merger_passes_on_everything_once_in_order_of_time(
    times: list[list[int]], data: st.DataObject
) -> None:
    merger = Merger(len(times))
    left = {site: sorted(ats) for site, ats in enumerate(times)}
    seen: list[int] = []
    while any(left.values()):
        site = data.draw(st.sampled_from([s for s in left if left[s]]))
        upto = data.draw(st.integers(left[site][0], 1000))
        told = [at for at in left[site] if at <= upto]
        left[site] = left[site][len(told) :]
        merger.add(site, upto, [Event(at, ASKED, 0, 0) for at in told])
        seen += [event.at for _, event in merger.ready()]
    for site in left:
        merger.add(site, 2000, [])
    seen += [event.at for _, event in merger.ready()]
    assert seen == sorted([at for ats in times for at in ats])


def test_a_merger_waits_for_the_site_that_has_told_least() -> None:
    merger = Merger(2)
    merger.add(0, 50, [Event(10, ASKED, 0, 0)])
    assert list(merger.ready()) == []
    merger.add(1, 9, [])
    assert list(merger.ready()) == []
    merger.add(1, 10, [])
    assert [(site, event.at) for site, event in merger.ready()] == [(0, 10)]


def test_traces_merge_by_time_and_a_line_cut_off_is_left_out(tmp_path: Path) -> None:
    parts = [tmp_path / "0", tmp_path / "1", tmp_path / "never-written"]
    parts[0].write_text('{"at":1.5,"site":0}\n{"at":10.0,"site":0}\n')
    parts[1].write_text('{"at":9.25,"site":1}\n{"at":9.5,"si')
    merged = io.StringIO()
    merge_traces(parts, merged)
    assert merged.getvalue() == '{"at":1.5,"site":0}\n{"at":9.25,"site":1}\n{"at":10.0,"site":0}\n'


def verdict(patience_s: float = 1.0) -> Verdict:
    workload = Workload(n=N, inside=10.0)
    return Verdict(broken.system("OpenDoor", N), workload, clients=1, patience_s=patience_s)


def ask(v: Verdict, site: int, at: int, group: int = 0) -> None:
    v.see(site, Event(at, ASKED, 0, 0, (group,)))


def enter(v: Verdict, site: int, at: int, group: int = 0) -> None:
    v.see(site, Event(at, ENTERED, 0, site, (group,)))


def leave(v: Verdict, site: int, at: int) -> None:
    v.see(site, Event(at, LEFT, 0, site))


def blamed(v: Verdict) -> tuple[str, str]:
    return ("", "") if v.violation is None else (v.violation.property, v.violation.reason)


def test_two_groups_inside_at_once_violate_exclusion() -> None:
    v = verdict()
    ask(v, 0, 0, group=0)
    ask(v, 1, 0, group=1)
    enter(v, 0, 1 * MS, group=0)
    assert blamed(v) == ("", "")
    enter(v, 1, 2 * MS, group=1)
    name, reason = blamed(v)
    assert name == "exclusion"
    assert "site 0 (group 0, slot 0), site 1 (group 1, slot 0)" in reason


def test_one_after_the_other_and_one_group_together_are_right() -> None:
    v = verdict()
    for site in range(N):
        ask(v, site, 0, group=site // 2)
    enter(v, 0, 1 * MS)
    enter(v, 1, 2 * MS)
    leave(v, 0, 3 * MS)
    leave(v, 1, 4 * MS)
    enter(v, 2, 5 * MS, group=1)
    leave(v, 2, 6 * MS)
    assert blamed(v) == ("", "")
    assert (v.entries, v.switches, v.meter.sessions, v.meter.most_inside) == (3, 1, 2, 2)
    assert v.meter.waiting.mean() == pytest.approx((1 + 2 + 5) / 3)
    assert v.meter.sync_delay.mean() == pytest.approx(1.0)


def test_without_any_entry_or_exit_a_waiting_client_is_not_served() -> None:
    v = verdict(patience_s=1.0)
    ask(v, 1, 5 * MS, group=2)
    stay = 20  # twice the mean inside: so long nothing may happen, and all is well
    v.look((5 + stay + 1000) * MS)
    assert blamed(v) == ("", "")
    v.look((5 + stay + 1001) * MS)
    name, reason = blamed(v)
    assert name == "served"
    assert reason.startswith("site 1 has waited 1.0 s for group 2, and nobody")


def test_nobody_waits_nobody_is_late() -> None:
    v = verdict()
    v.look(10**12)
    ask(v, 0, 10**12)
    v.look(10**12 + MS)
    assert blamed(v) == ("", "")


def test_who_is_passed_again_and_again_is_not_served_though_others_are() -> None:
    v = verdict(patience_s=1.0)
    ask(v, 0, 0, group=1)
    at = 0
    for _ in range(OVERTAKEN * N + 1):
        at += 10 * MS
        ask(v, 1, at - 2)
        enter(v, 1, at - 1)
        leave(v, 1, at)
    v.look(at)
    name, reason = blamed(v)
    assert name == "served"
    assert f"{OVERTAKEN * N + 1} others have entered since it asked" in reason
