"""The table of messages: what is packed comes back, what is no message is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.protocol.message import (
    CELL,
    CELL_LIMIT,
    COUNT,
    COUNT_LIMIT,
    COUNTS,
    FLAG,
    GROUPS,
    LENGTH_LIMIT,
    SITE,
    SITES,
    VECTOR,
    BadMessage,
    Message,
    Messages,
    Shape,
)
from tests.packed import TABLES, integers, packed

N = 4


@st.composite
def packed_messages(draw: st.DrawFn) -> tuple[Messages, tuple[Any, ...]]:
    table = draw(st.sampled_from(list(TABLES.values())))
    return table, draw(packed(table, N))


@given(packed_messages())
def test_what_is_unpacked_packs_to_the_same(drawn: tuple[Messages, tuple[Any, ...]]) -> None:
    messages, plain = drawn
    message = messages.unpack(plain, N)
    assert messages.pack(message) == plain
    assert messages.shape_of(message) is messages.shapes[plain[0]]
    assert messages.unpack(as_lists(plain), N) is not None  # what a decoder hands us


def as_lists(value: Any) -> Any:
    return [as_lists(v) for v in value] if isinstance(value, tuple) else value


@given(packed_messages())
def test_integers_are_what_stands_in_the_packed_message(
    drawn: tuple[Messages, tuple[Any, ...]],
) -> None:
    messages, plain = drawn
    assert messages.integers(messages.unpack(plain, N)) == integers(messages, plain)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.sampled_from(list(TABLES.values())), junk | st.lists(st.integers(-1, 9) | junk))
def test_junk_is_a_bad_message_or_a_good_one(table: Messages, said: Any) -> None:
    try:
        message = table.unpack(said, N)
    except BadMessage:
        return
    assert as_lists(table.pack(message)) == as_lists(tuple(said))


class Everything(Message):
    def __init__(self, *values: Any) -> None:
        self.count, self.cell, self.site, self.flag, *more = values
        self.groups, self.vector, self.sites, self.counts = more


TABLE = Messages(
    Shape(
        Everything,
        count=COUNT,
        cell=CELL,
        site=SITE,
        flag=FLAG,
        groups=GROUPS,
        vector=VECTOR,
        sites=SITES,
        counts=COUNTS,
    )
)
FINE = (0, 7, 8, 3, True, (1, 2), (0, 0, 0, 1), (3, 0), (N,))


def test_the_sample_is_fine() -> None:
    message = TABLE.unpack(FINE, N)
    assert TABLE.integers(message) == 4 + 2 + N + 2 + 1
    assert TABLE.describe(FINE) == (
        "Everything(count=7, cell=8, site=3, flag=True, groups=(1, 2), "
        "vector=(0, 0, 0, 1), sites=(3, 0), counts=(4,))"
    )


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (0, 1),
        (0, -1),
        (0, "Ask"),
        (1, -1),
        (1, COUNT_LIMIT),
        (1, True),
        (1, 1.0),
        (2, CELL_LIMIT),
        (3, N),
        (4, 1),
        (5, ()),
        (5, (2, 1)),
        (5, (1, 1)),
        (5, 1),
        (6, (0, 0, 0)),
        (6, (0, 0, 0, CELL_LIMIT)),
        (7, (N,)),
        (7, [0] * (LENGTH_LIMIT + 1)),
        (7, "30"),
        (8, (-1,)),
        (8, (COUNT_LIMIT,)),
        (8, 4),
    ],
)
def test_a_field_out_of_range_is_refused(place: int, value: Any) -> None:
    packed = [*FINE]
    packed[place] = value
    with pytest.raises(BadMessage):
        TABLE.unpack(packed, N)


@pytest.mark.parametrize("packed", [(), FINE[:-1], (*FINE, 0), None, {0: 7}])
def test_a_message_of_another_length_is_refused(packed: Any) -> None:
    with pytest.raises(BadMessage):
        TABLE.unpack(packed, N)


def test_a_refusal_is_short_and_says_what_would_do() -> None:
    with pytest.raises(
        BadMessage, match=r"is not a site \(a whole number from 0 to 3\)"
    ) as refusal:
        TABLE.unpack((*FINE[:3], 10**300, *FINE[4:]), N)
    assert len(str(refusal.value)) < 120
