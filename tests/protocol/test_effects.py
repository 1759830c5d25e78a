"""The outbox that keeps, and the site that fails where an algorithm lacks an input."""

from __future__ import annotations

import pytest

from grouplock.protocol.channel import ANY_ORDER, FIFO
from grouplock.protocol.effects import (
    CANCEL_TIMER,
    ENDED,
    GRANTED,
    LOST,
    PERSIST,
    REPORT,
    SEND,
    TIMER,
    WITHDRAWN,
    Effects,
    packed,
)
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, only
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site


class Note(Message):
    def __init__(self, number: int) -> None:
        self.number = number


def test_effects_stand_in_the_order_in_which_they_happened() -> None:
    out, note = Effects(), Note(5)
    out.timer(1, 2.5)
    out.broadcast([2, 0], note)
    out.send(1, note)
    out.granted(7, 3)
    out.granted(8, 3, 1, 4, UNKNOWN_GROUP)
    out.withdrawn(7)
    out.lost(8)
    out.ended(4)
    out.report((1,))
    out.cancel_timer(1)
    out.persist((2,))
    assert out.take() == [
        (TIMER, 1, 2.5),
        (SEND, 2, note),
        (SEND, 0, note),
        (SEND, 1, note),
        (GRANTED, 7, 3, 0, 0, NO_SETUP),
        (GRANTED, 8, 3, 1, 4, UNKNOWN_GROUP),
        (WITHDRAWN, 7),
        (LOST, 8),
        (ENDED, 4),
        (REPORT, (1,)),
        (CANCEL_TIMER, 1),
        (PERSIST, (2,)),
    ]
    assert out.take() == []


def test_a_packed_effect_is_plain_values() -> None:
    table = Messages(Shape(Note, number=COUNT))
    assert packed((SEND, 2, Note(5)), table) == (SEND, 2, (0, 5))
    assert packed((LOST, 8), table) == (LOST, 8)


@pytest.mark.parametrize(
    "call",
    [
        lambda out: out.send(0, Note(1)),
        lambda out: out.broadcast([0], Note(1)),
        lambda out: out.granted(1, 1),
        lambda out: out.withdrawn(1),
        lambda out: out.lost(1),
        lambda out: out.ended(1),
        lambda out: out.report(()),
        lambda out: out.timer(1, 1.0),
        lambda out: out.cancel_timer(1),
        lambda out: out.persist(()),
    ],
)
def test_a_driver_has_to_override_all_effects(call: object) -> None:
    assert callable(call)
    with pytest.raises(NotImplementedError):
        call(Outbox())


class Deaf(Site[tuple[int, ...]]):
    pass


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("request", (1, (0,), Effects())),
        ("release", (1, Effects())),
        ("withdraw", (1, Effects())),
        ("on_message", (1, Note(1), Effects())),
        ("setup_done", (1, True, Effects())),
        ("on_timer", (1, Effects())),
        ("on_crash", (1, Effects())),
        ("on_report", (1, Effects())),
        ("expire", (1, Effects())),
        ("force", (1, Effects())),
        ("persisted", ((), Effects())),
        ("on_restart", ([], Effects())),
        ("save", ()),
        ("load", ((),)),
    ],
)
def test_what_an_algorithm_lacks_names_it(name: str, arguments: tuple[object, ...]) -> None:
    with pytest.raises(NotImplementedError, match=f"Deaf has no {name}"):
        getattr(Deaf(0, [1]), name)(*arguments)
    assert Deaf(0, [1]).tokens() == 0


def test_one_group() -> None:
    assert only((3,)) == 3
    with pytest.raises(AssertionError, match="one group a request"):
        only((3, 4))


def test_channels_have_names() -> None:
    assert (FIFO.name, ANY_ORDER.name) == ("fifo", "any")
