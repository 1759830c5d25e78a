"""The table of messages: what is packed comes back, what is no message is refused."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.catalog import ALGORITHMS, Algorithm
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
    Kind,
    Message,
    Messages,
    Records,
    Shape,
)

N = 4

GOOD: dict[Kind, st.SearchStrategy[Any]] = {
    COUNT: st.integers(0, COUNT_LIMIT - 1),
    CELL: st.integers(0, CELL_LIMIT - 1),
    SITE: st.integers(0, N - 1),
    FLAG: st.booleans(),
    GROUPS: st.sets(st.integers(0, 9), min_size=1).map(lambda s: tuple(sorted(s))),
    VECTOR: st.tuples(*[st.integers(0, CELL_LIMIT - 1)] * N),
    SITES: st.lists(st.integers(0, N - 1)).map(tuple),
    COUNTS: st.lists(st.integers(0, COUNT_LIMIT - 1)).map(tuple),
}


def good(kind: Kind) -> st.SearchStrategy[Any]:
    if isinstance(kind, Records):
        return st.lists(st.tuples(*[good(k) for _, k in kind.shape.fields])).map(tuple)
    return GOOD[kind]


@st.composite
def packed_messages(draw: st.DrawFn) -> tuple[Messages, tuple[Any, ...]]:
    messages = draw(st.sampled_from(ALGORITHMS)).messages
    place = draw(st.integers(0, len(messages.shapes) - 1))
    return messages, (place, *[draw(good(k)) for _, k in messages.shapes[place].fields])


@given(packed_messages())
def test_what_is_unpacked_packs_to_the_same(drawn: tuple[Messages, tuple[Any, ...]]) -> None:
    messages, packed = drawn
    message = messages.unpack(packed, N)
    assert messages.pack(message) == packed
    assert messages.shape_of(message) is messages.shapes[packed[0]]
    assert messages.unpack(as_lists(packed), N) is not None  # what a decoder hands us


def as_lists(value: Any) -> Any:
    return [as_lists(v) for v in value] if isinstance(value, tuple) else value


@given(packed_messages())
def test_integers_are_what_stands_in_the_packed_message(
    drawn: tuple[Messages, tuple[Any, ...]],
) -> None:
    messages, packed = drawn
    assert messages.integers(messages.unpack(packed, N)) == count(packed) - 1  # but for the kind


def count(value: Any) -> int:
    return sum([count(v) for v in value]) if isinstance(value, tuple) else 1


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(st.sampled_from(ALGORITHMS), junk | st.lists(st.integers(-1, 9) | junk))
def test_junk_is_a_bad_message_or_a_good_one(algorithm: Algorithm, packed: Any) -> None:
    try:
        message = algorithm.messages.unpack(packed, N)
    except BadMessage:
        return
    assert as_lists(algorithm.messages.pack(message)) == as_lists(tuple(packed))


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
