"""What a node does with frames and the time."""

from __future__ import annotations

from typing import Any

import pytest

from grouplock.protocol.daemon import GONE, NOTHING, RENEWED
from grouplock.service import frames
from grouplock.service.frames import (
    Ask,
    Bye,
    Force,
    Gone,
    Granted,
    Hello,
    Keep,
    Look,
    Lost,
    Parting,
    Recall,
    Refused,
    Renew,
    Renewed,
    Seen,
    Settings,
    Welcome,
)
from grouplock.service.homes import SHARDS, Member, homes
from grouplock.service.limits import Limits
from tests.service.desk import ANY, LEASE, Desk

FENCE = 1 << 40  # the first epoch


def granted(heard: list[Any]) -> Granted:
    [frame] = heard
    assert isinstance(frame, Granted)
    return frame


def cause(heard: list[Any]) -> str:
    [frame] = heard
    assert isinstance(frame, (Refused, Lost, Parting))
    said: str = frame.cause
    return said


# Groups, slots, fences.


def test_one_group_is_inside_together_and_shares_its_fence() -> None:
    desk = Desk()
    a, b, c = desk.client(1), desk.client(2), desk.client(3)
    assert granted(a.ask("x")).fence == FENCE + 1
    assert granted(b.ask("x")).fence == FENCE + 1
    assert c.ask("y") == []
    assert a.leave() == [Gone(1)]
    assert c.heard() == []
    b.leave()
    assert granted(c.heard()).fence == FENCE + 2


def test_each_slot_has_a_group_of_its_own() -> None:
    desk = Desk()
    callers = [desk.client(i) for i in (1, 2, 3)]
    two = Settings(slots=2)
    assert granted(callers[0].ask("x", settings=two)).slot == 0
    assert granted(callers[1].ask("y", settings=two)).slot == 1
    assert callers[2].ask("z", settings=two) == []


def test_any_of_several_groups() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("y")
    answer = granted(b.say(Ask(1, "lock", ("x", "y"), ANY)))
    assert answer.place == 1


def test_groups_of_one_hold_do_not_pile_up() -> None:
    desk = Desk()
    a = desk.client(1)
    for i in range(1000):
        granted(a.ask(f"only {i}"))
        a.leave()
    assert len(desk.nodes[0].keeper.locks["lock"].names) < 100


# Withdrawals.


def test_a_withdrawal_is_answered_and_frees_the_way() -> None:
    desk = Desk()
    a, b, c = desk.client(1), desk.client(2), desk.client(3)
    a.ask("x")
    b.ask("y")
    c.ask("z")  # behind b
    assert b.leave() == [Gone(1)]
    assert b.leave() == [Gone(1)], "again is harmless"
    a.leave()
    granted(c.heard())


def test_at_once_or_never() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    assert cause(b.ask("y", at_once=True)) == "busy"
    assert desk.entries() == 1
    a.leave()
    granted(b.ask("y", at_once=True))


# Leases.


def test_a_silent_client_loses_what_it_has_and_the_next_one_is_in() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    desk.tick(LEASE / 2)
    b.ask("y")
    desk.tick(LEASE / 2 - 0.1)
    assert b.heard() == []
    desk.tick(0.2)
    assert cause(a.heard()) == "expired"
    granted(b.heard())


def test_a_renewal_counts_for_all_that_a_client_has() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    for number in range(5):
        desk.tick(LEASE * 0.9)
        assert a.say(Renew(number, 0)) == [Renewed(number, 0, LEASE, 1)]
    assert granted(b.ask("x")).fence == FENCE + 1


def test_a_closed_connection_ends_no_hold() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    a.break_off()
    assert b.ask("y") == []
    again = desk.client(1, attachment=2)
    assert granted(again.say(Keep(1, "lock"))).fence == FENCE + 1
    assert again.leave(1) == [Gone(1)]
    granted(b.heard())


def test_an_inherited_socket_keeps_a_client_alive_and_its_end_proves_death() -> None:
    """Also where another node keeps the lock."""
    desk = Desk(2)
    name = desk.homed_at(1)
    a, b = desk.client(1), desk.client(2, 1)
    granted(a.ask("x", name))
    b.ask("y", name)
    guard = desk.guard(1, keeper=1)
    a.break_off(NOTHING)
    for number in range(1, 9):
        desk.tick(LEASE / 2)
        assert b.say(Renew(number, 1)) == [Renewed(number, 1, LEASE, 1)]
    guard.break_off(NOTHING)  # cut by us, say: it proves nothing
    assert b.heard() == []
    desk.guard(1, keeper=1).break_off(GONE)
    granted(b.heard())


def test_a_guard_is_no_good_over_a_network() -> None:
    desk = Desk()
    desk.client(1)
    [parting] = desk.guard(1, keeper=0, near=False).greeting
    assert isinstance(parting, Parting)
    assert "Unix socket" in parting.said


def test_good_bye_ends_everything() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    b.ask("y")
    a.say(Bye())
    granted(b.heard())
    assert desk.deeds[0].hung_up == [a.conn]


# Attachments.


def test_the_highest_attachment_wins() -> None:
    desk = Desk()
    old = desk.client(1, attachment=1)
    new = desk.client(1, attachment=2)
    assert cause(old.heard()) == "superseded"
    granted(new.ask("x"))
    late = desk.client(1, attachment=1)
    assert cause(late.greeting) == "superseded"
    assert late.ask("x") == [], "its connection is closed"


def test_another_client_cannot_take_a_number() -> None:
    desk = Desk()
    desk.client(1).ask("x")
    thief = desk.client(2)
    answer = thief.say(Hello(frames.VERSION, 1, bytes(frames.KEY_SIZE), 9, False))
    assert cause(answer) == "wrong-key"


def test_a_client_of_another_version_is_told() -> None:
    desk = Desk()
    stranger = desk.client(2)
    answer = stranger.say(Hello(99, 3, bytes(frames.KEY_SIZE), 1, False))
    assert cause(answer) == "wrong-version"


# Homes and relays.


def test_any_node_relays_to_the_home() -> None:
    desk = Desk(n=3)
    name = desk.homed_at(2)
    a, b = desk.client(1, node=0), desk.client(2, node=1)
    assert granted(a.ask("x", name)).fence == FENCE + 1
    assert b.ask("y", name) == []
    assert list(desk.nodes[2].keeper.locks) == [name]
    a.leave(name=name)
    granted(b.heard())


def test_a_client_that_comes_back_through_another_node_keeps_its_hold() -> None:
    desk = Desk(n=3)
    name = desk.homed_at(2)
    a = desk.client(1, node=0)
    fence = granted(a.ask("x", name)).fence
    a.break_off()
    desk.tick(LEASE / 2)
    again = desk.client(1, node=1, attachment=2)
    assert granted(again.say(Keep(1, name))).fence == fence
    desk.tick(LEASE * 0.9)
    again.say(Renew(1, 2))
    desk.tick(LEASE * 0.9)
    assert desk.entries() == 1
    late = Ask(2, name, ("x",), ANY)
    assert a.say(late) == [], "what went by the older way is over"


def test_a_home_that_cannot_be_reached_is_named_at_once() -> None:
    desk = Desk(n=2)
    name = desk.homed_at(1)
    a = desk.client(1, node=0)
    desk.nodes[0].on_close(1, 0, desk.now, desk.deeds[0])
    [answer] = a.ask("x", name)
    assert answer.cause == "unavailable"
    assert "node 1" in answer.said


def test_a_home_that_is_a_new_process_has_to_be_told_again() -> None:
    desk = Desk(n=2)
    a = desk.client(1, node=0)
    a.ask("x", desk.homed_at(1))
    desk.nodes[0].on_close(1, RENEWED, desk.now, desk.deeds[0])
    assert cause(a.heard()) == "home-renewed"


def test_a_member_that_goes_moves_only_its_own_shards() -> None:
    members = tuple([Member(i, f"n{i}", "") for i in range(5)])
    before, after = homes(members), homes(members[:3] + members[4:])
    moved = [shard for shard in range(SHARDS) if before[shard] != after[shard]]
    assert all(before[shard] == 3 for shard in moved)
    assert min(before.count(node) for node in range(5)) > SHARDS / 10


# Start and end.


def test_an_epoch_is_persisted_before_anything_else() -> None:
    desk = Desk(records=[("epoch", 7), ("clean", 7)])
    assert desk.deeds[0].persisted == [("epoch", 8)]
    assert granted(desk.client(1).ask("x")).fence == 8 * FENCE + 1


def test_after_an_unclean_end_older_holds_run_out_first() -> None:
    desk = Desk(records=[("clean", 6), ("epoch", 7)])
    a = desk.client(1)
    assert a.ask("x") == []
    desk.tick(LEASE - 0.1)
    assert a.say(Renew(1, 0)) == [Renewed(1, 0, LEASE, 8)]
    desk.tick(0.2)
    granted(a.heard())


def test_what_waits_for_older_holds_can_be_taken_back() -> None:
    desk = Desk(records=[("clean", 6), ("epoch", 7)])
    a, b = desk.client(1), desk.client(2)
    assert a.ask("x") == []
    assert a.leave() == [Gone(1)]
    assert cause(b.ask("y", at_once=True)) == "unavailable"
    desk.tick(LEASE + 0.1)
    assert desk.entries() == 0


def test_many_idle_locks_are_forgotten_in_turns() -> None:
    desk = Desk()
    a = desk.client(1)
    for i in range(2500):
        a.ask("x", f"lock {i}")
        a.leave(name=f"lock {i}")
    desk.tick(61)
    for left in (1500, 500, 0):
        assert len(desk.nodes[0].keeper.locks) == left
        soon = [at for at in desk.deeds[0].wakes if desk.now < at < desk.now + 0.1]
        assert bool(soon) is bool(left)
        desk.tick(0.05)


def test_who_ends_with_holds_outside_does_not_end_clean() -> None:
    desk = Desk()
    a = desk.client(1)
    assert desk.nodes[0].ends_clean() == ("clean", 1)
    a.ask("x")
    assert desk.nodes[0].ends_clean() is None
    a.leave()
    assert desk.nodes[0].ends_clean() == ("clean", 1)


def test_an_idle_lock_is_forgotten_and_its_fence_never_goes_back() -> None:
    desk = Desk()
    a = desk.client(1)
    for _ in range(3):
        a.ask("x")
        a.leave()
    last = desk.nodes[0].keeper.locks["lock"].session
    desk.tick(61)
    assert desk.nodes[0].keeper.locks == {}
    a = desk.client(2)
    assert granted(a.ask("x", settings=Settings(slots=3))).fence > FENCE + last


# Refusals.


def test_another_setting_is_a_mismatch_that_names_it() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x", settings=Settings(slots=2))
    [answer] = b.ask("x", settings=Settings(slots=3))
    assert answer.cause == "config-mismatch"
    assert "slots=2, not 3" in answer.said
    granted(b.ask("x"))  # who says nothing takes what there is


@pytest.mark.parametrize(
    ("name", "group"), [("n" * 201, "x"), ("lock", "g" * 201)], ids=["lock", "group"]
)
def test_names_have_a_limit(name: str, group: str) -> None:
    assert cause(Desk().client(1).ask(group, name)) == "bad-name"


def test_limits_are_named_errors_at_once() -> None:
    desk = Desk(limits=Limits(locks=2, requests_per_client=3, waiting_per_lock=2))
    a = desk.client(1)
    granted(a.ask("x", "one"))
    granted(a.ask("x", "two"))
    assert cause(a.ask("x", "three")) == "too-many"
    granted(a.ask("x", "two"))
    assert cause(a.ask("x", "one")) == "too-many"
    b = desk.client(2)
    assert cause(b.ask("x", "two")) == "too-many"
    assert desk.entries() == 3


# Operators.


def test_look_shows_who_is_inside_and_who_waits() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    b.ask("y")
    desk.tick(2)
    [answer] = b.say(Look(5, 0, "lock"))
    assert isinstance(answer, Seen)
    [seen] = answer.what
    [session] = seen["sessions"]
    assert session["group"] == "x"
    assert session["fence"] == str(FENCE + 1)
    assert [holder["client"] for holder in session["holders"]] == [1]
    assert [(w["groups"], w["age"]) for w in seen["queue"]] == [(["y"], 2.0)]


def test_force_asks_for_a_hold_and_it_lasts_until_its_holder_gives_it_back() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    b.ask("y")
    assert b.say(Force(9, "lock", 1 << 32 | 1)) == [Seen(9, True)]
    [recall] = a.heard()
    assert isinstance(recall, Recall)
    assert recall.seq == 1
    a.leave()
    granted(b.heard())


def test_force_at_once_ends_a_hold_and_tells_its_holder() -> None:
    desk = Desk()
    a, b = desk.client(1), desk.client(2)
    a.ask("x")
    b.ask("y")
    answers = b.say(Force(9, "lock", 1 << 32 | 1, now=True))
    assert {type(f) for f in answers} == {Granted, Seen}
    assert cause(a.heard()) == "forced"
    assert b.say(Force(10, "lock", 1 << 32 | 1)) == [Seen(10, False)]


def test_welcome_says_who_is_there() -> None:
    desk = Desk(n=2)
    [welcome] = desk.client(1).greeting
    assert isinstance(welcome, Welcome)
    assert welcome.members == ((0, "n0", ""), (1, "n1", ""))


# Ways to a client.


def test_an_answer_over_another_node_finds_who_has_said_hello_there_again() -> None:
    """The client's second attachment on the connection was for another home."""
    desk = Desk(n=2)
    name = desk.homed_at(1)
    inside, waits = desk.client(1, node=1), desk.client(2, node=0)
    inside.ask("x", name)
    assert waits.ask("y", name) == []
    waits.say(Hello(frames.VERSION, 2, (2).to_bytes(frames.KEY_SIZE, "big"), 2, False))
    inside.leave(name=name)
    assert granted(waits.heard()).place == 0


def test_nothing_is_left_of_a_connection_that_the_node_has_closed() -> None:
    desk = Desk(n=2)
    a = desk.client(1)
    a.ask("x", desk.homed_at(1))
    node = desk.nodes[0]
    node.on_close(1, RENEWED, desk.now, desk.deeds[0])
    assert cause(a.heard()) == "home-renewed"
    assert (node.entries, node.clients) == ({}, {})
    pulse = desk.client(3)
    key = (4).to_bytes(frames.KEY_SIZE, "big")
    pulse.say(Hello(frames.VERSION, 4, key, 1, True))
    pulse.say(Bye())
    assert node.pulses == {}


def test_a_pulse_renews_the_client_that_has_come_back_since() -> None:
    """Its main connection broke while it had nothing, and the node forgot it; the pulse stayed."""
    desk = Desk()
    key = (1).to_bytes(frames.KEY_SIZE, "big")
    first, pulse = desk.client(1), desk.client(9)
    pulse.say(Hello(frames.VERSION, 1, key, 1, True))
    first.break_off()
    again = desk.client(1, attachment=2)
    assert granted(again.ask("x")).slot == 0
    for number in range(4):
        desk.tick(0.4 * LEASE)
        assert pulse.say(Renew(number, 0)) == [Renewed(number, 0, LEASE, 1)]
    assert again.heard() == []
