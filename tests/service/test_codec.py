"""Whatever bytes arrive, they are a frame of ours or `BadBytes`."""

from __future__ import annotations

import contextlib
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from grouplock.service import codec, frames
from grouplock.service.codec import BadBytes

READERS = [codec.from_client, codec.to_client, codec.between_nodes]

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(1 << 63), (1 << 64) - 1) | st.text(max_size=9)
    | st.binary(max_size=20) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=9),
    max_leaves=20,
)  # fmt: skip

GIVEN: list[Any] = [
    frames.Hello(1, 7, bytes(16), 3, False, "token"),
    frames.Ask(1, "lock", ("a", "b"), frames.Settings(slots=2, linger=1.5), True, False),
    frames.Leave(1, "lock"),
    frames.Keep(2, "lock"),
    frames.Ready(3, "lock", True),
    frames.Renew(4, 0),
    frames.Look(5, 1, "lock"),
    frames.Force(6, "lock", 7 << 32 | 1),
    frames.Bye(),
]
SAID: list[Any] = [
    frames.Welcome(0, 10.0, 1, ((0, "a", "h:1"),)),
    frames.Granted(1, 0, 1, 1 << 40 | 1, frames.SWITCH, "old"),
    frames.Gone(1),
    frames.Lost(1, "expired", "why"),
    frames.Refused(1, "busy", "why"),
    frames.Renewed(1, 0, 10.0, 1),
    frames.Seen(1, [{"lock": "x"}]),
    frames.Unseen(1, "forbidden", "why"),
    frames.Parting("superseded", "why"),
]


@pytest.mark.parametrize("frame", GIVEN, ids=lambda f: type(f).__name__)
def test_a_client_s_frame_comes_back(frame: Any) -> None:
    assert codec.from_client(codec.encode(frame)) == frame
    relayed = frames.Relay(7, bytes(16), 1, False, frame)
    assert codec.between_nodes(codec.encode(relayed)) == relayed


@pytest.mark.parametrize("frame", SAID, ids=lambda f: type(f).__name__)
def test_a_node_s_frame_comes_back(frame: Any) -> None:
    assert codec.to_client(codec.encode(frame)) == frame


@given(st.sampled_from(READERS), st.binary(max_size=300) | plain.map(msgspec.msgpack.encode))
def test_any_bytes_are_a_frame_or_bad(read: Any, body: bytes) -> None:
    try:
        frame = read(body)
    except BadBytes:
        return
    assert read(codec.encode(frame)) == frame


@given(st.sampled_from(READERS), st.sampled_from(GIVEN + SAID), st.data())
def test_a_changed_field_is_a_frame_or_bad(read: Any, frame: Any, data: st.DataObject) -> None:
    fields = msgspec.msgpack.decode(codec.encode(frame))
    at = data.draw(st.integers(0, len(fields) - 1))
    fields[at] = data.draw(plain)
    with contextlib.suppress(BadBytes):
        read(msgspec.msgpack.encode(fields))


@pytest.mark.parametrize(
    "wrong",
    [
        frames.Hello(1, 0, bytes(16), 3, False),
        frames.Hello(1, 1 << 30, bytes(16), 3, False),
        frames.Hello(1, 7, bytes(15), 3, False),
        frames.Ask(0, "lock", ("a",), frames.Settings()),
        frames.Ask(1 << 32, "lock", ("a",), frames.Settings()),
        frames.Ask(1, "lock", ("a",), frames.Settings(slots=0)),
        frames.Ask(1, "lock", ("a",), frames.Settings(linger=-1.0)),
        frames.Ask(1, "", ("a",), frames.Settings()),
        frames.Ask(1, "l" * 5000, ("a",), frames.Settings()),
    ],
    ids=str,
)
def test_what_is_out_of_range_is_refused_at_the_edge(wrong: Any) -> None:
    with pytest.raises(BadBytes):
        codec.from_client(codec.encode(wrong))
