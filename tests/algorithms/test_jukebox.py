"""The jukebox, situation by situation: what costs no message, what crosses, what is lost."""

from __future__ import annotations

from typing import Any

import pytest

from grouplock.catalog import BadOption, find
from grouplock.check.checker import VIOLATED
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.measure.workload import Workload
from grouplock.properties import OVERTAKING
from grouplock.protocol.effects import GRANTED, REPORT, TIMER, Effects
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import System
from grouplock.protocol.view import Ghost, View
from grouplock.sim.run import simulate
from tests.schedule import Schedule
from tests.variants import Variant

JUKEBOX = find("jukebox")
A, B, C = range(3)


def system(n: int = 3, slots: int = 1, **options: str) -> System:
    return JUKEBOX.system(n, options, slots)


def at_home(n: int = 3, slots: int = 1, **options: str) -> Schedule:
    return Schedule(system(n, slots, form="home", **options))


# What costs how many messages.


@pytest.mark.parametrize("form", ["broadcast", "quorum", "home"])
@pytest.mark.parametrize("site", [0, 2])
def test_who_has_a_place_enters_again_without_a_message(form: str, site: int) -> None:
    it = Schedule(system(form=form))
    it.ask(site, A)
    it.settle()
    it.leave(site)
    it.settle()
    before = it.sent
    for _ in range(3):
        it.ask(site, A, B)
        assert it.who() == [site]
        it.leave(site)
    assert it.sent == before


def test_a_stranger_pays_three_messages_and_the_home_none() -> None:
    it = at_home(stay="off", ahead="off")
    for site, group in ((1, A), (2, B), (0, C), (1, B)):
        it.ask(site, group)
        it.settle()
        it.leave(site)
        it.settle()
    assert it.sent == 9


def test_with_a_hand_over_a_request_pays_two_more_and_the_heir_waits_one_hop() -> None:
    it = at_home(stay="off")
    it.ask(1, A)
    it.settle()
    it.ask(2, A)
    it.settle()
    it.ask(2, B)
    it.deliver(2, 0)
    it.leave(1)
    it.settle()  # the pivot has left: 2 is the heir, and hears it from the member, itself
    assert [g for g in it.granted if g[2] == B] == []
    it.leave(2)
    assert it.who() == [2]
    it.leave(2)
    it.settle()
    assert it.sent <= 5 * len(it.granted)


# Leaving and waiting.


def test_two_requests_of_one_site_end_in_any_order() -> None:
    """The newer of two leaves first: nobody else may be inside before the other has left."""
    it = at_home(stay="off")
    it.ask(1, A)
    it.ask(1, A)
    it.settle()
    it.ask(2, B)
    it.settle()
    newer = it.inside.pop()
    assert it.occupancy.leave(1, newer[1]) == ""
    out = Effects()
    it.sites[1].release(newer[1], out)
    it.carry_out(1, out)
    it.settle()
    assert it.who() == [1]
    it.leave(1)
    it.settle()
    assert it.who() == [2]


def test_a_slot_is_not_given_away_before_its_last_member_has_answered() -> None:
    it = at_home(n=3, ahead="off")
    it.ask(1, A)
    it.settle()
    it.leave(1)
    it.settle()  # it stays
    it.ask(2, B)
    it.deliver(2, 0)
    assert it.who() == []
    it.ask(1, A)  # the recall is on its way: the place is still ours
    assert it.who() == [1]
    it.settle()
    assert it.who() == [1]
    it.leave(1)
    it.settle()
    assert it.who() == [2]


def test_a_grant_that_crosses_a_withdrawal_comes_back() -> None:
    it = at_home()
    it.ask(1, A)
    it.deliver(1, 0)
    it.withdraw(1, 1)
    it.ask(2, B)
    it.settle()
    assert it.who() == [2]
    assert it.granted == [(2, 1, B)]


def test_a_withdrawal_may_overtake_its_request() -> None:
    it = at_home()
    it.ask(1, A)
    it.withdraw(1, 1)
    it.deliver(1, 0, "Over")
    it.deliver(1, 0, "Ask")
    it.ask(2, B)
    it.settle()
    assert it.who() == [2]


def test_a_forum_is_taken_by_whom_nobody_waits_for_any_more() -> None:
    it = Schedule(system())
    it.ask(1, A)
    it.deliver(1, 0)
    it.withdraw(1, 1)
    it.deliver(0, 1, "Primary")
    assert it.sites[1].tokens() == 1
    it.ask(2, B)
    it.settle()
    assert it.who() == [2]


# Numbers.


def made(me: int, slots: int = 1, **options: str | int) -> Site[Any]:
    settled = {**JUKEBOX.settle({"form": "home"}), "slots": slots, **options}
    return JUKEBOX.make(me, [site for site in range(3) if site != me], settled, None)


def effects(site: Site[Any], handler: str, *arguments: Any) -> list[Any]:
    out = Effects()
    getattr(site, handler)(*arguments, out)
    return list(out.take())


def grants(found: list[Any]) -> list[tuple[int, ...]]:
    return [tuple(effect[1:]) for effect in found if effect[0] == GRANTED]


def test_sessions_are_numbered_from_where_one_is_told_to() -> None:
    home = made(1, home=1, first_session=70)
    assert grants(effects(home, "request", 1, (A,))) == [(1, A, 0, 71, NO_SETUP)]
    effects(home, "release", 1)
    assert grants(effects(home, "request", 2, (A,))) == [(2, A, 0, 71, NO_SETUP)]
    effects(home, "release", 2)
    assert grants(effects(home, "request", 3, (B,))) == [(3, B, 0, 72, NO_SETUP)]


def test_who_has_nothing_to_remember_may_be_forgotten() -> None:
    home = made(0, stay="off")
    assert home.is_idle()  # type: ignore[attr-defined]
    effects(home, "request", 1, (A,))
    assert not home.is_idle()  # type: ignore[attr-defined]
    effects(home, "release", 1)
    assert home.is_idle()  # type: ignore[attr-defined]


# Setups.


def test_a_setup_is_told_what_was_there_before() -> None:
    home = made(0, setup="on", stay="off")
    first = grants(effects(home, "request", 1, (A,)))
    assert first == [(1, A, 0, 1, UNKNOWN_GROUP)]
    effects(home, "setup_done", 1, True)
    effects(home, "release", 1)
    assert grants(effects(home, "request", 2, (A,))) == [(2, A, 0, 2, NO_SETUP)]
    effects(home, "release", 2)
    assert grants(effects(home, "request", 3, (B,))) == [(3, B, 0, 3, A)]
    waiting = effects(home, "request", 4, (B,))
    assert grants(waiting) == []
    failed = effects(home, "setup_done", 3, False)
    assert grants(failed) == [(4, B, 0, 4, UNKNOWN_GROUP)]
    assert effects(home, "setup_done", 3, True) == []  # of an attempt that is over


@pytest.mark.parametrize("how", ["expire", "force"])
def test_after_a_hold_that_ended_badly_nobody_knows_what_is_set_up(how: str) -> None:
    home = made(0, setup="on", stay="off")
    effects(home, "request", 1, (A,))
    effects(home, "setup_done", 1, True)
    effects(home, how, 1)
    assert grants(effects(home, "request", 2, (A,)))[0][4] == UNKNOWN_GROUP


# Views.


def report(site: Site[Any], epoch: int) -> tuple[Any, ...]:
    found: tuple[Any, ...] = next(e[1] for e in effects(site, "on_report", epoch) if e[0] == REPORT)
    return found


def test_a_lost_site_may_believe_for_a_while_that_it_is_inside() -> None:
    """Also when the next one is lost meanwhile: ghosts are reported."""
    it = at_home(n=3)
    it.ask(2, A)
    it.settle()
    home = it.sites[0]
    for epoch, gone in ((1, (2,)), (2, (2,))):
        members = tuple(s for s in range(3) if s not in gone)
        reports = tuple((s, report(it.sites[s], epoch)) for s in members)
        started = effects(home, "on_view", View(epoch, members, reports, ()))
        assert [e[0] for e in started if e[0] == TIMER] == [TIMER]
    assert grants(effects(home, "request", 1, (B,))) == []
    assert grants(effects(home, "on_timer", 0)) == [(1, B, 0, (2 << 40) + 1, NO_SETUP)]


def test_where_the_forum_is_lost_every_slot_may_be_believed_in() -> None:
    it = at_home(n=3, slots=2)
    it.ask(1, A)
    it.settle()
    view = View(1, (1, 2), tuple((s, report(it.sites[s], 1)) for s in (1, 2)), ())
    heir = it.sites[1]
    effects(heir, "on_view", view)
    assert grants(effects(heir, "request", 9, (B,))) == []
    assert [g[:3] for g in grants(effects(heir, "request", 10, (A,)))] == [(10, A, 0)]
    assert [g[:3] for g in grants(effects(heir, "on_timer", 0))] == [(9, B, 1)]


def test_survivors_stay_inside_and_their_followers_join() -> None:
    it = at_home(n=3)
    it.ask(1, A)
    it.settle()
    members = (0, 1)
    reports = tuple((s, report(it.sites[s], 1)) for s in members)
    ghosts = (Ghost(2, 5, B, 0, 7),)  # of a session that was over long ago
    for site in members:
        effects(it.sites[site], "on_view", View(1, members, reports, ghosts))
    assert [g[1:4] for g in grants(effects(it.sites[0], "request", 8, (A,)))] == [(A, 0, 1)]


def test_a_request_that_waited_is_served_in_the_new_view() -> None:
    it = at_home(n=3)
    it.ask(0, A)
    it.ask(1, B)
    it.settle()
    view = View(1, (1, 2), tuple((s, report(it.sites[s], 1)) for s in (1, 2)), ())
    assert grants(effects(it.sites[1], "on_view", view)) == []
    assert [g[:2] for g in grants(effects(it.sites[1], "on_timer", 0))] == [(1, B)]


# Whole runs.


@pytest.mark.parametrize("form", ["broadcast", "quorum", "home"])
@pytest.mark.parametrize("slots", [1, 2, 4])
def test_random_walks(form: str, slots: int) -> None:
    """Seven groups, sets of three, everything that may happen."""
    setup = "on" if form == "home" else "off"
    it = system(7, slots, form=form, setup=setup, patience="2", joins="3")
    scope = Scope(groups=7, sets=3, requests=3, events=("all",), faults=2)
    for seed in range(8):
        result = walk(it, scope.checked(it, walking=True), seed)
        assert result.violation is None
        assert result.states > it.n


@pytest.mark.parametrize("form", ["broadcast", "quorum", "home"])
@pytest.mark.parametrize("slots", [1, 2, 4])
@pytest.mark.parametrize("n", [13, 25])
def test_random_schedules(form: str, slots: int, n: int) -> None:
    """Seven groups, sets of one to seven, withdrawals."""
    for seed in range(3):
        it = Schedule(system(n, slots, form=form, joins="3"))
        it.run(seed, requests=4, groups=7)
        assert len(it.granted) > n


def test_that_overtaking_is_bounded_can_fail() -> None:
    """Ages do not count, nobody is ever overdue, and the newest request is the next."""
    edits = (
        ("                weights[group] = weights.get(group, 0) + 1 + w.age\n",
         "                weights[group] = weights.get(group, 0) + 1\n"),
        ("        overdue = [w for w in eligible if w.age >= rules.patience]\n",
         "        overdue: list[Waiter] = []\n"),
        ("        for w in eligible:  #", "        for w in reversed(eligible):  #"),
    )  # fmt: skip
    options = {"form": "home", "patience": "1", "stay": "off"}
    variant = Variant("jukebox-heeds-no-ages", "jukebox", edits, 5, options)
    scope = Scope(groups=8, requests=25)
    results = [walk(variant.wrong(), scope, seed) for seed in range(4)]
    assert VIOLATED in [r.properties[OVERTAKING] for r in results]
    rights = [walk(variant.right(), scope, seed) for seed in range(4)]
    assert all(r.violation is None for r in rights)


def test_an_arbiter_has_to_pass_on_what_it_asks_for_itself() -> None:
    """In the quorum form the asker may be the one that both its quorums have in common."""
    edit = ("            self.pass_news(self.me, call.ticket, call.groups, [], out)\n", "")
    variant = Variant("jukebox-keeps-its-own-news", "jukebox", (edit,), 4, {"form": "quorum"})
    stranded = 0
    for seed in range(60):
        Schedule(variant.right()).run(seed, 6, 3)
        try:
            Schedule(variant.wrong()).run(seed, 6, 3)
        except AssertionError:
            stranded += 1
    assert stranded > 0


@pytest.mark.parametrize(
    ("options", "most"),
    [
        ({"form": "home", "stay": "off", "ahead": "off"}, 3),
        ({"form": "home"}, 6),
        ({"stay": "off"}, 2 * 25 - 1),
        ({}, 2 * 25),
        ({"form": "quorum"}, 4 * 4 + 2 * 4 + 4),
    ],
)
def test_messages_a_request(options: dict[str, str], most: float) -> None:
    it = JUKEBOX.system(25, options)
    assert it.worst == most
    outcome = simulate(it, Workload(n=25, groups=5, requests=20))
    assert outcome.violation is None
    assert outcome.figures.messages <= most * outcome.figures.served


# Options.


@pytest.mark.parametrize("name", ["setup", "linger", "max_session", "max_wait"])
def test_what_needs_one_place_that_knows_the_slots(name: str) -> None:
    value = "on" if name == "setup" else "3"
    assert JUKEBOX.system(3, {"form": "home", name: value}).options[name] == value
    with pytest.raises(BadOption, match=f"jukebox: {name}={value} needs form=home"):
        JUKEBOX.system(3, {name: value})


class NoQuorum(Pick):
    """So many are down that none is alive."""

    def quorum(self, *_: Any, **__: Any) -> None:
        return None

    def read(self, *_: Any, **__: Any) -> None:
        return None


def test_without_a_quorum_everybody_is_told() -> None:
    it = Schedule(JUKEBOX.system(3, {"form": "quorum"}, pick=NoQuorum()))
    it.run(seed=1, requests=4, groups=3)
    assert it.granted
