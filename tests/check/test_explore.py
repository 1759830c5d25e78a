"""The explorer sees every state once: against a plain one, and by channels and faults."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from grouplock.catalog import ALGORITHMS, find
from grouplock.check.checker import HOLDS, NOT_VIOLATED, UNREACHED, VIOLATED, check
from grouplock.check.scope import BadScope, Scope
from grouplock.check.world import Choice, World
from grouplock.properties import ASSERTION, NO_DEADLOCK, SERVED, TOGETHER
from grouplock.protocol.channel import ANY_ORDER, FIFO, Channel
from grouplock.protocol.system import System
from tests.algorithms.everything import everything
from tests.algorithms.toys import patient, ring, sender
from tests.check import dumb


@pytest.mark.parametrize(
    ("name", "fifo"),
    [(a.name, fifo) for a in ALGORITHMS for fifo in (True, False) if fifo or not a.channel.fifo],
)
def test_as_many_states_as_the_plain_explorer(name: str, fifo: bool) -> None:
    system = find(name).system(2, {}, groups=2)._replace(channel=Channel(fifo))
    ours = check(system, Scope(groups=2, requests=2))
    assert (ours.states, ours.transitions, False) == dumb.explore(system, groups=2, requests=2)


def test_as_many_states_with_three_sites() -> None:
    system = find("token-gme").system(3, {})
    ours = check(system, Scope(groups=2, requests=1))
    assert (ours.states, ours.transitions, False) == dumb.explore(system, groups=2, requests=1)


def test_as_many_states_with_sets_and_withdrawals() -> None:
    system = find("central").system(2, {})
    ours = check(system, Scope(groups=3, sets=2, requests=1, events=("withdraw",)))
    plain = dumb.explore(system, groups=3, requests=1, sets=2, withdraw=True)
    assert (ours.states, ours.transitions, False) == plain


# Faults: against the world that is run again from its beginning for every state.


@pytest.mark.parametrize(
    ("system", "scope"),
    [
        (everything(2), Scope(groups=1, requests=1, events=("crash",))),
        (everything(2), Scope(groups=1, requests=1, events=("restart",))),
        (everything(2), Scope(groups=1, requests=1, events=("views",))),
        (everything(1, slots=2), Scope(groups=2, requests=1, events=("all",))),
        (sender(ANY_ORDER, strict=False), Scope(groups=1, events=("crash",), faults=2)),
        (sender(Channel(fifo=True, duplicates=True), strict=False), Scope(groups=1)),
    ],
)
def test_as_many_states_as_running_every_way_again(system: System, scope: Scope) -> None:
    ours = check(system, scope)
    assert ours.complete
    assert ours.states == run_every_way(system, scope.checked(system))


def run_every_way(system: System, scope: Scope) -> int:
    seen: set[Any] = {key(World(system, scope))}
    todo: list[list[Choice]] = [[]]
    while todo:
        path = todo.pop()
        for choice in every_choice(again(system, scope, path)):
            world = again(system, scope, path)
            world.do(choice)
            if key(world) not in seen:
                seen.add(key(world))
                todo.append([*path, choice])
    return len(seen)


def again(system: System, scope: Scope, path: list[Choice]) -> World:
    world = World(system, scope)
    for choice in path:
        world.do(choice)
    return world


def every_choice(world: World) -> list[Choice]:
    """Its choices, and crashes and restarts with every loss."""
    found = []
    for choice in world.choices():
        if choice.do[0] in ("crash", "restart"):
            mail = world.undelivered(choice.site)
            for size in range(len(mail) + 1):
                for lost in itertools.combinations(mail, size):
                    found.append(choice._replace(lost=lost))
        else:
            found.append(choice)
    return found


def key(world: World) -> Any:
    alive = world.manager.members
    inboxes = []
    for site, inbox in enumerate(world.inboxes):
        rows = [(repr(m.src) if world._is_ordered(site, m) else "any", repr(m)) for m in inbox]
        ordered = [row for row in rows if row[0] != "any"]
        rest = sorted(row for row in rows if row[0] == "any")
        inboxes.append((tuple(sorted(ordered, key=lambda row: row[0])), tuple(rest)))
    sites = [
        (world.sites[s].save(), world.clients[s]) if s in alive else None for s in range(world.n)
    ]
    return tuple(sites), tuple(inboxes), world.manager


# Channels.


def test_a_channel_in_order_keeps_order() -> None:
    assert check(sender(FIFO), Scope()).complete


@pytest.mark.parametrize(
    "channel",
    [ANY_ORDER, Channel(fifo=True, duplicates=True), Channel(fifo=True, lossy=True)],
    ids=["any order", "duplicates", "lossy"],
)
def test_a_worse_channel_does_not(channel: Channel) -> None:
    """A lost message that is sent again arrives behind what was sent after it."""
    assert check(sender(channel), Scope()).properties[ASSERTION] == VIOLATED


# A crash.


def test_a_crash_loses_each_subset_of_what_is_under_way() -> None:
    """Of three messages in order each subset arrives: 8 ways to end, and none in another order."""
    got = set()
    system = sender(FIFO, strict=False)
    scope = Scope(groups=1, requests=1, events=("crash",)).checked(system)
    todo: list[list[Choice]] = [[Choice(0, ("request", 1, (0,)))]]
    while todo:
        path = todo.pop()
        world = again(system, scope, path)
        nexts = [c for c in every_choice(world) if c.do[0] != "request" and c.site < 2]
        nexts = [c for c in nexts if c.do != ("crash",) or c.site == 0]
        todo += [[*path, choice] for choice in nexts]
        if 0 not in world.manager.members and not nexts:
            got.add(world.sites[1].save()[1:-1])
    subsets = {s for size in range(4) for s in itertools.combinations((1, 2, 3), size)}
    assert got == subsets


# Circles: runs that never end.


def test_a_circle_in_which_everybody_is_served_is_no_harm() -> None:
    result = check(ring(3), Scope(groups=1, requests=2))
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}


def test_whoever_waits_in_a_circle_for_ever_is_not_served_though_nothing_is_stuck() -> None:
    result = check(ring(3, deaf=1), Scope(groups=1, requests=1))
    assert result.properties[SERVED] == VIOLATED
    assert result.properties[NO_DEADLOCK] == NOT_VIOLATED
    assert result.violation is not None
    assert "request 1.1 waits for ever" in result.violation.reason
    assert [step.do[0] for step in result.violation.steps][-1] == "request"


def test_timers_that_ring_for_ever() -> None:
    assert check(patient(forever=False), Scope(groups=1)).complete
    assert check(patient(forever=True), Scope(groups=1)).properties[SERVED] == VIOLATED


def test_without_circles_concurrent_entry_is_missed_there_too() -> None:
    system = patient(forever=True, promises=("concurrent-entry",))
    assert check(system, Scope(groups=1)).properties["concurrent-entry"] == VIOLATED


# Verdicts.


def test_what_is_not_complete_never_says_that_a_property_holds() -> None:
    result = check(find("ra1").system(3, {}), Scope(groups=2, requests=1), limit=100)
    assert not result.complete
    assert not result.failed
    assert set(result.properties.values()) == {NOT_VIOLATED, UNREACHED}


def test_nobody_is_expected_to_meet_alone() -> None:
    assert TOGETHER not in check(find("ra1").system(1, {}), Scope()).properties


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (Scope(groups=0), "groups is 0"),
        (Scope(groups=2, sets=3), "a request cannot name 3 of 2 groups"),
        (Scope(requests=0), "requests is 0"),
        (Scope(faults=0), "faults is 0"),
        (Scope(requests=31), "more than the 60 requests"),
        (Scope(events=("crash",)), "ra1 does not support 'crash'"),
        (Scope(events=("rain",)), "no event 'rain'"),
    ],
)
def test_what_cannot_be_explored_is_refused(scope: Scope, said: str) -> None:
    with pytest.raises(BadScope, match=said):
        check(find("ra1").system(2, {}), scope)
