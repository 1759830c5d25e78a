"""Any bytes are a frame or `BadBytes`, and any frames in any order leave a node that goes on."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable
from typing import Any, Final, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouplock.client.node import CODEC
from grouplock.net.doors import Door, Manners
from grouplock.net.errors import NetError
from grouplock.net.frames import PREFIX
from grouplock.protocol.daemon import NOTHING
from grouplock.service import codec, frames
from tests.service.desk import Desk

FROM_CLIENT: Final = get_args(frames.FromClient)
READERS: Final[dict[Callable[[bytes], Any], tuple[Any, ...]]] = {
    codec.from_client: get_args(frames.FromClient),
    codec.to_client: get_args(frames.ToClient),
    codec.between_nodes: get_args(frames.BetweenNodes),
}
LIMIT: Final = 300
LENGTHS: Final = ("bin", "str", "list", "map")

number = st.integers(1, 3)
name = st.sampled_from(["x", "y", "", "*", "\x00", "ä" * 150])
key = number.map(lambda n: n.to_bytes(frames.KEY_SIZE, "big"))
wishes = st.builds(
    frames.Settings,
    st.none() | st.integers(1, 3),
    st.sampled_from([None, "fifo", "priority", "mine"]),
    st.none() | st.floats(0, 2),
    st.none() | st.floats(0, 2),
    st.none() | st.floats(0, 2),
)
from_clients = st.one_of(
    st.builds(
        frames.Hello, st.just(frames.VERSION) | number, number, key, number, st.booleans(), name
    ),
    st.builds(
        frames.Ask, number, name, st.lists(name, max_size=3).map(tuple), wishes, st.booleans(),
        st.booleans(),
    ),
    st.builds(frames.Leave, number, name),
    st.builds(frames.Keep, number, name),
    st.builds(frames.Ready, number, name, st.booleans()),
    st.builds(frames.Renew, number, st.integers(0, 3)),
    st.builds(frames.Look, number, st.integers(0, 3), name),
    st.builds(
        frames.Force, number, name, st.integers(7, 9).map(lambda c: c << 32 | 1), st.booleans()
    ),
    st.builds(frames.Bye),
)  # fmt: skip
nonsense = st.binary(max_size=60)


@st.composite
def spoilt(draw: st.DrawFn) -> bytes:
    """A frame with some of its bytes changed, lost, or repeated."""
    body = bytearray(codec.encode(draw(from_clients)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(body)))
        body[at : at + draw(st.integers(0, 2))] = draw(st.binary(max_size=3))
    return bytes(body)


@pytest.mark.parametrize("reader", READERS, ids=lambda r: str(r.__name__))
@given(body=nonsense | spoilt())
def test_any_bytes_are_a_frame_or_bad_bytes(reader: Callable[[bytes], Any], body: bytes) -> None:
    try:
        read = reader(body)
    except codec.BadBytes:
        return
    assert isinstance(read, READERS[reader])
    assert reader(codec.encode(read)) == read


@pytest.mark.parametrize("size", [0x7FFFFFFF, 0xFFFFFFFF])
@pytest.mark.parametrize(
    "kind", [b"\xc6", b"\xdb", b"\xdd", b"\xdf"], ids=["bin", "str", "list", "map"]
)
def test_a_length_that_is_a_lie_costs_nothing(kind: bytes, size: int) -> None:
    body = b"\x93\x02\x01" + kind + size.to_bytes(4, "big")
    tracemalloc.start()
    try:
        with pytest.raises(codec.BadBytes):
            codec.from_client(body)
        assert tracemalloc.get_traced_memory()[1] < 100_000
    finally:
        tracemalloc.stop()


def test_depth_is_bounded() -> None:
    with pytest.raises(codec.BadBytes):
        codec.from_client(b"\x91" * 60_000)


# The door: what it keeps is bounded, whatever comes.


class Nobody(asyncio.Transport):
    """A transport that remembers that it was aborted."""

    aborted = False

    def abort(self) -> None:
        self.aborted = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass


class Empty:
    """A house in which nobody lives."""

    codec = CODEC
    manners = Manners(frame_limit=LIMIT)

    def __init__(self) -> None:
        self.doors: dict[int, Door] = {}
        self.unflushed: list[Door] = []
        self.heard: list[Any] = []
        self.faults: list[NetError] = []

    def came(self, door: Door) -> int:
        return 1

    def said(self, conn: int, frames: list[Any]) -> None:
        self.heard += frames

    def left(self, conn: int, proves: int) -> None:
        pass

    def a_node(self, transport: asyncio.Transport) -> asyncio.Protocol | None:
        return None

    def noted(self, fault: NetError) -> None:
        self.faults.append(fault)


framed = spoilt().map(lambda body: len(body).to_bytes(PREFIX, "big") + body)
good = from_clients.map(codec.encode).map(lambda body: len(body).to_bytes(PREFIX, "big") + body)


@given(st.lists(nonsense | framed | good, max_size=12))
def test_a_door_keeps_no_more_than_a_frame(reads: list[bytes]) -> None:
    async def main() -> None:
        house, transport = Empty(), Nobody()
        door = Door(house, False)
        door.connection_made(transport)
        for data in reads:
            door.data_received(data)
            if transport.aborted:
                break
            assert len(door.rest) < PREFIX + LIMIT
        assert transport.aborted == bool(house.faults)
        assert all([isinstance(frame, FROM_CLIENT) for frame in house.heard])
        door.connection_lost(None)

    asyncio.run(main())


# The node: any frames, from several clients, in any order.

steps = st.one_of(
    st.tuples(st.just("says"), st.integers(0, 2), from_clients),
    st.tuples(st.just("breaks"), st.integers(0, 2), st.none()),
    st.tuples(st.just("passes"), st.integers(0, 2), st.none()),
)


@settings(max_examples=300)
@given(st.integers(1, 2), st.lists(steps, max_size=40))
def test_any_frames_leave_a_node_that_serves(n: int, said: list[tuple[str, int, Any]]) -> None:
    desk = Desk(n)
    callers = [desk.client(7 + i, i % n) for i in range(3)]
    for what, who, frame in said:
        if what == "says":
            callers[who].say(frame)
        elif what == "breaks":
            callers[who].break_off(NOTHING)
            callers[who] = desk.client(7 + who, who % n, desk.conns)
        else:
            desk.tick((0.1, 3.0, 11.0)[who])
    desk.tick(11.0)
    desk.tick(11.0)
    after = desk.client(99)
    [granted] = after.ask("a", "fresh")
    assert isinstance(granted, frames.Granted)
    after.leave(1, "fresh")
    assert desk.entries() == 0
