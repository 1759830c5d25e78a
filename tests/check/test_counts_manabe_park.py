"""All interleavings of manabe-park over three sites whose quorums form a ring."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.check.checker import HOLDS, check
from grouplock.check.scope import Scope
from grouplock.protocol.channel import Channel

PINNED = [
    ("any", 2, Scope(groups=2, requests=2), 7_054, 15_246),
    ("any", 2, Scope(groups=3, sets=2, requests=2), 19_408, 46_858),
    ("any", 3, Scope(groups=2, requests=1), 12_335, 33_186),
    ("any", 3, Scope(groups=3, sets=2, requests=1), 34_445, 101_356),
    ("waiters", 3, Scope(groups=3, sets=2, requests=1), 37_607, 112_780),
    ("any", 3, Scope(groups=1, requests=2), 371_611, 1_267_404),
]


@pytest.mark.parametrize(("choice", "n", "scope", "states", "moves"), PINNED)
def test_all_interleavings(choice: str, n: int, scope: Scope, states: int, moves: int) -> None:
    result = check(find("manabe-park").system(n, {"choice": choice}), scope)
    assert (result.states, result.transitions) == (states, moves)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation


def test_all_interleavings_with_messages_to_oneself_on_their_way() -> None:
    """In the paper requesters and managers are processes of their own."""
    system = find("manabe-park").system(3, {})._replace(channel=Channel(fifo=True, own=True))
    result = check(system, Scope(groups=2, requests=1))
    assert (result.states, result.transitions) == (440_510, 1_778_497)
    assert result.complete
    assert set(result.properties.values()) == {HOLDS}, result.violation
