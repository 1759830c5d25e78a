"""Exact numbers of states of the jukebox, feature by feature, in every interleaving."""

from __future__ import annotations

from typing import Final

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope
from grouplock.protocol.channel import ANY_ORDER, Channel

ONCE: Final = ANY_ORDER
TWICE: Final = Channel(fifo=False, duplicates=True)
HOME: Final = {"form": "home"}
SETUP: Final = {"form": "home", "setup": "on"}
PLAIN: Final = {"ahead": "off", "stay": "off"}


def scope(groups: int, sets: int, *events: str) -> Scope:
    return Scope(groups=groups, sets=sets, requests=1, events=events)


PINNED = [
    ({}, 3, 1, ONCE, scope(2, 1), 25_473, 73_492),
    (PLAIN, 3, 1, ONCE, scope(2, 1), 31_913, 100_212),
    (HOME, 3, 1, ONCE, scope(2, 1), 1_517, 3_236),
    (HOME, 3, 2, ONCE, scope(3, 1), 4_366, 9_888),
    (HOME, 3, 1, ONCE, scope(3, 2), 2_136, 5_088),
    (HOME, 3, 2, ONCE, scope(3, 2), 1_566, 3_968),
    (HOME, 3, 1, ONCE, scope(2, 1, "withdraw"), 12_436, 42_536),
    (HOME, 3, 1, TWICE, scope(2, 1), 46_717, 248_440),
    (SETUP, 3, 1, ONCE, scope(2, 1, "setup-fails"), 3_438, 7_840),
    (SETUP, 3, 2, ONCE, scope(3, 1, "setup-fails"), 29_344, 82_784),
    (SETUP, 3, 1, ONCE, scope(2, 1, "withdraw", "expire"), 22_585, 76_284),
    (SETUP, 2, 1, ONCE, scope(2, 1, "views", "withdraw", "setup-fails"), 15_873, 49_360),
]


@pytest.mark.parametrize(("options", "n", "slots", "channel", "within", "states", "moves"), PINNED)
def test_states_and_transitions_are_as_many_as_ever(
    options: dict[str, str],
    n: int,
    slots: int,
    channel: Channel,
    within: Scope,
    states: int,
    moves: int,
) -> None:
    """Over channels that repeat nothing, but where they are what is explored."""
    system = find("jukebox").system(n, options, slots)._replace(channel=channel)
    result = check(system, within)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
