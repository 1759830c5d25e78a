"""Links: exactly once and in order, whatever connections do; windows that hold.

No socket: two conversations, and a wire between them that the test cuts where it likes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grouplock.net.conversation import Conversation, Identity
from grouplock.net.errors import BadNumber, Flooded, PeerRestarted, WindowFull
from grouplock.net.frames import frame
from grouplock.net.link import Link, Window
from grouplock.net.wire import Data, talk
from grouplock.protocol.message import Message

A, B = 1, 0  # the higher site calls
WINDOW: Final = Window(messages=50, size=10_000)


class Note(Message):
    def __init__(self, text: bytes) -> None:
        self.text: Final = text


class End:
    """One site: its link, which lasts, and its present conversation."""

    def __init__(self, site: int, window: Window, write: Callable[[bytes], None]) -> None:
        self.site = site
        self.write = write
        self.identity = Identity("run", b"secret", site, 2, bytes(32), life=site + 10)
        self.link = Link(1 - site, window)
        self.conversation: Conversation | None = None
        self.got: list[bytes] = []
        self.connections = 0

    def connect(self) -> None:
        self.connections += 1
        self.conversation = Conversation(
            self.identity,
            {1 - self.site: self.link},
            calling=self.site == A,
            nonce=bytes([self.site, self.connections % 256]) + bytes(14),
            write=self.write,
            met=lambda link: None,
            decode=Note,
            deliver=self.deliver,
        )
        self.conversation.begin()

    def deliver(self, src: int, msg: Message) -> None:
        assert src == 1 - self.site
        assert isinstance(msg, Note)
        self.got.append(msg.text)

    @property
    def talking(self) -> bool:
        return self.conversation is not None and self.conversation.link is not None


class Wires:
    """What is on its way, by the site that it goes to."""

    def __init__(self, window: Window = WINDOW) -> None:
        self.ends = {
            site: End(site, window, lambda data, to=1 - site: self.carry(to, data))  # type: ignore[misc]
            for site in (A, B)
        }
        self.way = {A: b"", B: b""}
        self.sent: dict[int, list[bytes]] = {A: [], B: []}

    def carry(self, to: int, data: bytes) -> None:
        self.way[to] += data

    def reconnect(self) -> None:
        """What was on its way is lost."""
        self.way = {A: b"", B: b""}
        for end in self.ends.values():
            end.connect()

    def send(self, site: int) -> None:
        end = self.ends[site]
        payload = b"%d:%d" % (site, len(self.sent[site]))
        number = end.link.number(payload)
        self.sent[site].append(payload)
        if end.talking:
            self.way[1 - site] += frame(talk(end.link.data(number, payload)))

    def arrive(self, site: int, size: int) -> None:
        piece, self.way[site] = self.way[site][:size], self.way[site][size:]
        conversation = self.ends[site].conversation
        assert conversation is not None
        conversation.receive(piece)

    def repeat(self, site: int) -> None:
        """The oldest message that the site has not yet heard acknowledged, once more."""
        end = self.ends[site]
        if end.talking and end.link.kept:
            self.way[1 - site] += frame(talk(end.link.again()[0]))

    def take(self, site: int) -> None:
        end = self.ends[site]
        if end.link.held:
            end.link.take()
            if end.talking:
                self.way[1 - site] += frame(talk(end.link.ack()))

    def drain(self) -> None:
        while self.way[A] or self.way[B]:
            self.arrive(A, 1 << 30)
            self.arrive(B, 1 << 30)


sites = st.sampled_from([A, B])
happenings = st.lists(
    st.tuples(st.just("send"), sites)
    | st.tuples(st.just("arrive"), sites, st.integers(1, 300))
    | st.tuples(st.just("take"), sites)
    | st.tuples(st.just("repeat"), sites)
    | st.tuples(st.just("reconnect")),
    max_size=120,
)


@settings(max_examples=300)
@given(happenings)
def test_each_message_arrives_exactly_once_and_in_order(happened: list[tuple[object, ...]]) -> None:
    wires = Wires(Window(messages=1000, size=1 << 20))
    wires.reconnect()
    for name, *args in happened:
        getattr(wires, str(name))(*args)
        for site in (A, B):
            got = wires.ends[site].got
            assert got == wires.sent[1 - site][: len(got)]
    wires.drain()
    wires.reconnect()
    wires.drain()
    for site in (A, B):
        assert wires.ends[site].got == wires.sent[1 - site]


@settings(max_examples=100)
@given(happenings)
def test_what_is_taken_and_acknowledged_is_no_longer_kept(
    happened: list[tuple[object, ...]],
) -> None:
    wires = Wires(Window(messages=1000, size=1 << 20))
    wires.reconnect()
    for name, *args in happened:
        getattr(wires, str(name))(*args)
    wires.reconnect()
    wires.drain()
    for site in (A, B):
        while wires.ends[site].link.held:
            wires.take(site)
    wires.drain()
    for end in wires.ends.values():
        assert (len(end.link.kept), end.link.kept_size) == (0, 0)
        assert (len(end.link.held), end.link.held_size) == (0, 0)
        assert end.link.owes == 0


def test_what_was_said_while_nobody_was_there_comes_with_the_next_connection() -> None:
    wires = Wires()
    for _ in range(3):
        wires.send(A)
    wires.reconnect()
    wires.drain()
    assert wires.ends[B].got == [b"1:0", b"1:1", b"1:2"]


def test_a_duplicate_is_dropped_and_a_gap_is_refused() -> None:
    link = Link(1, WINDOW)
    first = Data(1, 0, b"x")
    assert link.is_new(first)
    link.accept(first)
    assert not link.is_new(first)
    with pytest.raises(BadNumber, match="message 3 after message 1"):
        link.is_new(Data(3, 0, b"x"))


def test_an_acknowledgement_of_what_was_never_sent_is_refused() -> None:
    link = Link(1, WINDOW)
    link.number(b"x")
    with pytest.raises(BadNumber, match="acknowledges message 2, the last was 1"):
        link.acknowledged(2)
    with pytest.raises(BadNumber):
        link.is_new(Data(1, 9, b"x"))


@pytest.mark.parametrize(("window", "fits"), [(Window(3, 1000), 3), (Window(1000, 25), 2)])
def test_a_sender_keeps_no_more_than_its_window(window: Window, fits: int) -> None:
    link = Link(1, window)
    for _ in range(fits):
        link.number(bytes(10))
    with pytest.raises(WindowFull, match=f"has not taken {fits} messages"):
        link.number(bytes(10))
    link.acknowledged(1)
    assert link.number(bytes(10)) == fits + 1


@pytest.mark.parametrize(("window", "fits"), [(Window(3, 1000), 3), (Window(1000, 25), 2)])
def test_a_receiver_holds_no_more_than_the_window(window: Window, fits: int) -> None:
    link = Link(1, window)
    for number in range(1, fits + 1):
        data = Data(number, 0, bytes(10))
        assert link.is_new(data)
        link.accept(data)
    with pytest.raises(Flooded):
        link.is_new(Data(fits + 1, 0, bytes(10)))
    link.take()
    assert link.is_new(Data(fits + 1, 0, bytes(10)))


def test_a_new_process_in_an_old_one_s_name_is_refused() -> None:
    link = Link(1, WINDOW)
    link.greeted(life=5, taken=0)
    link.greeted(life=5, taken=0)
    with pytest.raises(PeerRestarted):
        link.greeted(life=6, taken=0)


def test_what_came_before_a_fault_in_the_same_bytes_is_delivered() -> None:
    wires = Wires()
    wires.reconnect()
    wires.drain()
    link = wires.ends[A].link
    good = link.data(link.number(b"good"), b"good")
    bad = Data(9, 0, b"after a gap")
    conversation = wires.ends[B].conversation
    assert conversation is not None
    with pytest.raises(BadNumber):
        conversation.receive(frame(talk(good)) + frame(talk(bad)))
    assert wires.ends[B].got == [b"good"]
