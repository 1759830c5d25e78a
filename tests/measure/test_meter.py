"""The meter, which keeps sums, against a reference that keeps every event and looks back."""

from __future__ import annotations

import itertools
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.measure.meter import Meter

ASK, ENTER, LEAVE, GIVE_UP = range(4)


class Event(NamedTuple):
    at: float
    what: int
    slot: int = 0
    waited: float = 0.0


@st.composite
def histories(draw: st.DrawFn) -> tuple[int, list[Event]]:
    """A number of slots and events that can be; times are quarters, so that sums are exact."""
    slots = draw(st.integers(1, 3))
    at, waiting, inside = 0.0, [], []
    events: list[Event] = []
    steps = draw(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, 99))))
    for quarters, what, choice in steps:
        at += quarters / 4
        if what == ASK:
            waiting.append(at)
            events.append(Event(at, ASK))
        elif what == ENTER and waiting:
            since = waiting.pop(choice % len(waiting))
            slot = choice % slots
            inside.append(slot)
            events.append(Event(at, ENTER, slot, at - since))
        elif what == LEAVE and inside:
            events.append(Event(at, LEAVE, inside.pop(choice % len(inside))))
        elif what == GIVE_UP and waiting:
            waiting.pop(choice % len(waiting))
            events.append(Event(at, GIVE_UP))
    return slots, events


def metered(slots: int, events: list[Event]) -> Meter:
    meter = Meter(slots)
    for e in events:
        if e.what == ASK:
            meter.asked()
        elif e.what == ENTER:
            meter.entered(e.at, e.waited, e.slot)
        elif e.what == LEAVE:
            meter.left(e.at, e.slot)
        else:
            meter.gave_up()
    return meter


# The reference: counts by looking at all events.


def waiting_after(events: list[Event], i: int) -> int:
    kinds = [e.what for e in events[: i + 1]]
    return kinds.count(ASK) - kinds.count(ENTER) - kinds.count(GIVE_UP)


def inside_after(events: list[Event], i: int, slot: int | None = None) -> int:
    kinds = [e.what for e in events[: i + 1] if slot is None or e.slot == slot]
    return kinds.count(ENTER) - kinds.count(LEAVE)


def sync_delays(events: list[Event]) -> list[float]:
    """From each exit that empties a slot while somebody waits to the slot's next entry,
    unless there is a moment in between at which nobody waits."""
    delays = []
    for i, exit_ in enumerate(events):
        if exit_.what != LEAVE or inside_after(events, i, exit_.slot):
            continue
        for j in range(i + 1, len(events)):
            if not waiting_after(events, j - 1):
                break
            if events[j].what == ENTER and events[j].slot == exit_.slot:
                delays.append(events[j].at - exit_.at)
                break
    return delays


def reference(events: list[Event]) -> dict[str, Any]:
    changes = [i for i, e in enumerate(events) if e.what in (ENTER, LEAVE)]
    stretches = [
        (events[j].at - events[i].at, inside_after(events, i))
        for i, j in itertools.pairwise(changes)
    ]
    waited = [e.waited for e in events if e.what == ENTER]
    delays = sync_delays(events)
    return {
        "served": len([e for e in events if e.what == LEAVE]),
        "withdrawn": len([e for e in events if e.what == GIVE_UP]),
        "waiting": (len(waited), sum(waited), max(waited, default=0.0)),
        "sync_delay": (len(delays), sum(delays), max(delays, default=0.0)),
        "sessions": len(
            [
                i
                for i, e in enumerate(events)
                if e.what == ENTER and not inside_after(events, i - 1, e.slot)
            ]
        ),
        "most_inside": max([inside_after(events, i) for i in range(len(events))], default=0),
        "busy_time": sum([length for length, inside in stretches if inside]),
        "hold_time": sum([length * inside for length, inside in stretches]),
        "last_exit": max([e.at for e in events if e.what == LEAVE], default=0.0),
    }


@given(histories())
def test_against_the_reference(history: tuple[int, list[Event]]) -> None:
    slots, events = history
    meter = metered(slots, events)
    w, s = meter.waiting, meter.sync_delay
    assert reference(events) == {
        "served": meter.served,
        "withdrawn": meter.withdrawn,
        "waiting": (w.count, w.total, w.largest),
        "sync_delay": (s.count, s.total, s.largest),
        "sessions": meter.sessions,
        "most_inside": meter.most_inside,
        "busy_time": meter.busy_time,
        "hold_time": meter.hold_time,
        "last_exit": meter.last_exit,
    }


# Single figures, in words.


def test_a_handover_that_somebody_waited_for() -> None:
    meter = metered(
        1, [Event(0, ASK), Event(1, ENTER, 0, 1), Event(2, ASK), Event(3, LEAVE), Event(5, ENTER)]
    )
    assert (meter.sync_delay.count, meter.sync_delay.mean()) == (1, 2.0)
    assert meter.sessions == 2


def test_an_entry_that_nobody_waited_for_is_no_handover() -> None:
    meter = metered(
        1, [Event(0, ASK), Event(1, ENTER), Event(3, LEAVE), Event(4, ASK), Event(5, ENTER)]
    )
    assert meter.sync_delay.count == 0
    assert meter.sessions == 2


@pytest.mark.parametrize("way_out", [Event(4, GIVE_UP), Event(4, ENTER, 1)])
def test_a_slot_is_not_late_once_nobody_waits(way_out: Event) -> None:
    events = [Event(0, ASK), Event(1, ENTER), Event(2, ASK), Event(3, LEAVE), way_out]
    meter = metered(2, [*events, Event(6, ASK), Event(7, ENTER, 0)])
    assert meter.sync_delay.count == 0


def test_holders_of_one_session_are_counted_together() -> None:
    events = [Event(0, ASK), Event(0, ASK), Event(1, ENTER), Event(2, ENTER), Event(4, LEAVE)]
    meter = metered(1, [*events, Event(5, LEAVE), Event(9, ASK)])
    assert (meter.sessions, meter.most_inside) == (1, 2)
    assert (meter.hold_time, meter.busy_time) == (6.0, 4.0)
