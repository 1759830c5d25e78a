"""Every algorithm's messages survive the wire; bytes that are none raise one typed error."""

from __future__ import annotations

import contextlib
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.packed import TABLES, packed

from grouplock.catalog import ALGORITHMS, find
from grouplock.net.codec import Codec, digest
from grouplock.net.errors import BadFrame, BadPayload, WrongVersion
from grouplock.net.wire import (
    MARK,
    VERSION,
    Ack,
    Challenge,
    Data,
    Hello,
    Refusal,
    greeting,
    read_greeting,
    read_talk,
    talk,
)
from grouplock.protocol.message import (
    COUNT,
    SITE,
    Messages,
    Shape,
)

N = 4
CODECS = [Codec(table, N) for table in TABLES.values()]

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(1 << 63), (1 << 64) - 1)
    | st.floats(allow_nan=False)
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=20,
)


@pytest.mark.parametrize("codec", CODECS, ids=list(TABLES))
@given(data=st.data())
def test_every_message_comes_back_as_it_was(codec: Codec, data: st.DataObject) -> None:
    said = data.draw(packed(codec.messages, N))
    msg = codec.messages.unpack(said, N)
    assert codec.messages.pack(codec.decode(codec.encode(msg))) == said


@given(st.sampled_from(CODECS), st.binary(max_size=200) | plain.map(msgspec.msgpack.encode))
def test_any_bytes_are_a_message_or_a_bad_payload(codec: Codec, payload: bytes) -> None:
    try:
        msg = codec.decode(payload)
    except BadPayload:
        return
    assert codec.messages.pack(codec.decode(codec.encode(msg))) == codec.messages.pack(msg)


@given(st.sampled_from(CODECS), st.integers(0, 9), st.lists(plain, max_size=7))
def test_wrong_fields_are_a_bad_payload(codec: Codec, place: int, fields: list[Any]) -> None:
    with contextlib.suppress(BadPayload):
        codec.decode(msgspec.msgpack.encode([place, *fields]))


HOSTILE = {
    "an array of 2^32 entries": b"\xdd\xff\xff\xff\xff",
    "arrays of 2^28 in each other": b"\xdd\x10\x00\x00\x00" * 40,
    "a map of 2^32 entries": b"\xdf\xff\xff\xff\xff",
    "2^32 bytes": b"\xc6\xff\xff\xff\xff",
    "a text of 2^32 bytes": b"\xdb\xff\xff\xff\xff",
    "a hundred thousand arrays in each other": b"\x91" * 100_000,
    "a text that is no text": b"\xa2\xff\xff",
    "nothing": b"",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_lengths_that_lie_allocate_nothing(what: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(BadPayload):
            CODECS[0].decode(HOSTILE[what])
        with pytest.raises(BadFrame):
            read_talk(HOSTILE[what])
        with pytest.raises(BadFrame):
            read_greeting(MARK + bytes([VERSION]) + HOSTILE[what])
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


@given(st.binary(max_size=200) | plain.map(msgspec.msgpack.encode))
def test_any_bytes_are_a_frame_or_a_bad_frame(body: bytes) -> None:
    with contextlib.suppress(BadFrame):
        assert isinstance(read_talk(body), (Data, Ack))
    with contextlib.suppress(BadFrame):
        assert isinstance(
            read_greeting(MARK + bytes([VERSION]) + body), (Challenge, Hello, Refusal)
        )


def test_frames_come_back_as_they_were() -> None:
    for said in (Data(7, 3, b"payload"), Ack(9)):
        assert read_talk(talk(said)) == said
    hello = Hello("run", 1, 3, bytes(32), 5, 0, bytes(16), bytes(32))
    for said_first in (Challenge(bytes(16)), hello, Refusal("wrong-run", "why")):
        assert read_greeting(greeting(said_first)) == said_first


def test_a_greeting_of_another_version_is_told_apart_from_damage() -> None:
    later = bytearray(greeting(Challenge(bytes(16))))
    later[len(MARK)] = VERSION + 1
    with pytest.raises(WrongVersion, match=f"version {VERSION + 1}, we speak {VERSION}"):
        read_greeting(bytes(later) + b"and more that only the later version knows")
    with pytest.raises(BadFrame):
        read_greeting(b"GET / HTTP/1.1")


def test_a_table_s_digest_tells_algorithms_and_their_versions_apart() -> None:
    """Two algorithms may have the same messages: maekawa-m and toyomura are one file."""
    shapes = {
        tuple([(s.name, tuple([field for field, _ in s.fields])) for s in a.messages.shapes])
        for a in ALGORITHMS
    }
    assert len({digest(a.messages) for a in ALGORITHMS}) == len(shapes)
    bases = [find("restart").with_options({"base": b, "phases": "3"}) for b in ("ra1", "token-gme")]
    assert len({digest(base.messages) for base in bases}) == 2
    table = find("token-gme").messages
    assert digest(table) == digest(Messages(*table.shapes, token=table.token))
    assert digest(table) != digest(Messages(*reversed(table.shapes)))

    class Ask:
        pass

    assert digest(Messages(Shape(Ask, a=COUNT))) != digest(Messages(Shape(Ask, a=SITE)))
    assert digest(Messages(Shape(Ask, a=COUNT))) != digest(Messages(Shape(Ask, b=COUNT)))
