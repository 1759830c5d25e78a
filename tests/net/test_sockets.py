"""Strangers and wrong peers on a real socket: a typed error, a closed connection, life goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Final, TypeVar

import pytest

from grouplock.net import loops
from grouplock.net.codec import digest
from grouplock.net.conversation import Conversation, Identity
from grouplock.net.errors import BadPayload, NetError, Troubles, WindowFull
from grouplock.net.frames import PREFIX, frame
from grouplock.net.link import Link, Window
from grouplock.net.switchboard import LOOPBACK, Habits, Switchboard, Wire
from grouplock.net.wire import GREETING_LIMIT, MARK, VERSION, Ack, Challenge, Data, greeting, talk
from grouplock.protocol.message import COUNT, Message, Messages, Shape

TABLE: Final = digest(Messages(Shape(object, number=COUNT)))
QUICK: Final = Habits(hello_within_s=0.2, call_again_s=0.001, call_again_max_s=0.01)
WITHIN_S: Final = 10.0


class Note(Message):
    def __init__(self, text: bytes) -> None:
        self.text: Final = text


def decode(payload: bytes) -> Note:
    if payload == b"nonsense":
        raise BadPayload("nonsense is no message")
    return Note(payload)


def identity(site: int, n: int = 3) -> Identity:
    return Identity("run", b"secret", site, n, TABLE, life=site + 1)


OPEN: Final[list[Switchboard]] = []
T = TypeVar("T")


def run(main: Coroutine[None, None, T]) -> T:
    """However the test ends, nothing stays open: uvloop does not close over open sockets."""

    async def bounded() -> T:
        try:
            async with asyncio.timeout(2 * WITHIN_S):
                return await main
        finally:
            while OPEN:
                board = OPEN.pop()
                board.close()
                await board.wait_closed()

    return loops.run(bounded())


class Station:
    """A switchboard whose site takes every message at once and writes it down."""

    def __init__(self, site: int, n: int = 3, habits: Habits = QUICK) -> None:
        self.identity = identity(site, n)
        self.faults: list[NetError] = []
        self.got: list[tuple[int, bytes]] = []
        self.news = asyncio.Condition()
        self.takes = True
        self.board = Switchboard(
            self.identity, decode, self.deliver, Troubles(self.faults.append), habits
        )
        OPEN.append(self.board)

    def deliver(self, src: int, msg: Message) -> None:
        assert isinstance(msg, Note)
        self.got.append((src, msg.text))
        if self.takes:
            self.board.took(src)

    @property
    def causes(self) -> list[str]:
        return [fault.cause for fault in self.faults]


async def until(holds: Callable[[], bool]) -> None:
    """Lets the loop run until it holds; the test's time limit is the failure."""
    async with asyncio.timeout(WITHIN_S):
        while not holds():
            await asyncio.sleep(0)


async def say(port: int, *said: bytes) -> bytes:
    """What a stranger gets to hear until the connection is closed."""
    reader, writer = await asyncio.open_connection(LOOPBACK, port)
    try:
        for data in said:
            writer.write(data)
        async with asyncio.timeout(WITHIN_S):
            return await reader.read()
    except ConnectionResetError:
        return b""
    finally:
        writer.close()


class Caller:
    """A peer by hand: a conversation on a blocking-free socket, able to misbehave afterwards."""

    def __init__(self, me: Identity, called: int = 0) -> None:
        self.link = Link(called, Window())
        self.heard = b""
        self.said = b""
        self.conversation = Conversation(
            me,
            {called: self.link},
            calling=True,
            nonce=bytes(16),
            write=self.write,
            met=lambda link: None,
            decode=decode,
            deliver=lambda src, msg: None,
        )

    def write(self, data: bytes) -> None:
        self.said += data
        self.writer.write(data)

    async def call(self, port: int) -> None:
        """Raises what the other end answers with, or has the connection."""
        self.reader, self.writer = await asyncio.open_connection(LOOPBACK, port)
        async with asyncio.timeout(WITHIN_S):
            while self.conversation.link is None:
                data = await self.reader.read(65_536)
                assert data, "closed without a word"
                self.heard += data
                self.conversation.receive(data)

    async def closed(self) -> None:
        async with asyncio.timeout(WITHIN_S):
            try:
                while await self.reader.read(65_536):
                    pass
            except ConnectionResetError:
                pass
        self.writer.close()


async def still_serves(station: Station, port: int) -> None:
    """An honest peer gets its messages through."""
    honest = Station(2)
    honest.board.call({0: port})
    before = len(station.got)
    honest.board.send(0, b"hello")
    await until(lambda: len(station.got) > before)
    assert station.got[-1] == (2, b"hello")


def on_a_station(
    test: Callable[[Station, int], Awaitable[None]], habits: Habits = QUICK
) -> Station:
    """Runs the test against site 0 of three; afterwards that must still serve."""

    async def main() -> Station:
        station = Station(0, habits=habits)
        port = await station.board.listen()
        await test(station, port)
        await still_serves(station, port)
        return station

    return run(main())


GREETING_OF_NEXT_VERSION = MARK + bytes([VERSION + 1]) + b"whatever it says"
STRANGERS = {
    "bad-frame": frame(b"GET / HTTP/1.1\r\n\r\n"),
    "oversized-frame": (GREETING_LIMIT + 1).to_bytes(PREFIX, "big"),
    "wrong-version": frame(GREETING_OF_NEXT_VERSION),
}


@pytest.mark.parametrize("cause", STRANGERS)
def test_a_stranger_is_told_why_and_the_connection_is_closed(cause: str) -> None:
    async def test(station: Station, port: int) -> None:
        answer = await say(port, STRANGERS[cause])
        assert cause.encode() in answer
        assert station.causes == [cause]

    on_a_station(test)


def test_a_frame_of_ours_out_of_turn_is_a_bad_frame() -> None:
    async def test(station: Station, port: int) -> None:
        await say(port, frame(greeting(Challenge(bytes(16)))))
        await say(port, frame(talk(Data(1, 0, b"x"))))
        assert station.causes == ["bad-frame"]
        assert station.board.troubles.counts == {"bad-frame": 2}

    on_a_station(test)


def test_who_says_nothing_is_hung_up_on() -> None:
    async def test(station: Station, port: int) -> None:
        await say(port)
        assert station.causes == ["silent-stranger"]

    on_a_station(test)


def test_a_hello_byte_by_byte_has_no_more_time() -> None:
    async def test(station: Station, port: int) -> None:
        await say(port, (100).to_bytes(PREFIX, "big"), b"g", b"r")
        assert station.causes == ["silent-stranger"]

    on_a_station(test)


def test_strangers_are_no_more_than_so_many() -> None:
    async def test(station: Station, port: int) -> None:
        writers = []
        for _ in range(3):
            writers.append((await asyncio.open_connection(LOOPBACK, port))[1])
        await until(lambda: len(station.board.strangers) == 3)
        assert b"too-many-strangers" in await say(port)
        assert len(station.board.strangers) == 3
        for writer in writers:
            writer.close()
        await until(lambda: not station.board.strangers)

    station = on_a_station(test, QUICK._replace(hello_within_s=WITHIN_S, strangers=3))
    assert station.causes == ["too-many-strangers"]


WRONG = {
    "wrong-run": identity(1)._replace(run="another"),
    "wrong-secret": identity(1)._replace(secret=b"guessed"),
    "wrong-table": identity(1)._replace(table=bytes(32)),
    "unknown-peer": identity(0),
}


@pytest.mark.parametrize("cause", WRONG)
def test_a_wrong_peer_is_told_why_and_refused(cause: str) -> None:
    async def test(station: Station, port: int) -> None:
        caller = Caller(WRONG[cause])
        with pytest.raises(NetError, match=cause):
            await caller.call(port)
        await caller.closed()
        assert station.causes == [cause]

    on_a_station(test)


def test_another_number_of_sites_and_a_site_beyond_them_are_refused() -> None:
    async def test(station: Station, port: int) -> None:
        with pytest.raises(NetError, match="one of 4 sites, we are 3"):
            await (four := Caller(identity(1, n=4))).call(port)
        with pytest.raises(NetError, match="site 7 has no business"):
            await (seven := Caller(identity(7))).call(port)
        await four.closed()
        await seven.closed()

    on_a_station(test)


def test_the_secret_is_never_on_the_wire() -> None:
    async def test(station: Station, port: int) -> None:
        caller = Caller(identity(1))
        await caller.call(port)
        caller.writer.close()
        assert b"run" in caller.heard
        assert b"run" in caller.said
        assert b"secret" not in caller.heard + caller.said

    on_a_station(test)


def test_an_impostor_who_takes_our_calls_learns_nothing_and_is_not_believed() -> None:
    """It can only echo: it has no answer to our challenge."""

    async def main() -> None:
        async def impostor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.write(frame(greeting(Challenge(bytes(16)))))
            writer.write(await reader.read(65_536))
            await reader.read()
            writer.close()

        server = await asyncio.start_server(impostor, LOOPBACK, 0)
        caller = Station(1)
        caller.board.call({0: server.sockets[0].getsockname()[1]})
        await until(lambda: bool(caller.faults))
        server.close()
        assert caller.causes[0] == "wrong-secret"
        assert not caller.board.wires

    run(main())


LIES = {
    "bad-frame": b"\xc1",
    "bad-message": talk(Data(1, 0, b"nonsense")),
    "bad-number": talk(Data(2, 0, b"after a gap")),
}


@pytest.mark.parametrize("cause", LIES)
def test_a_peer_that_turns_bad_is_cut_off(cause: str) -> None:
    async def test(station: Station, port: int) -> None:
        caller = Caller(identity(1))
        await caller.call(port)
        caller.writer.write(frame(LIES[cause]))
        await caller.closed()
        assert station.causes == [cause]
        assert station.got == []
        assert 1 not in station.board.wires

    on_a_station(test)


def test_a_peer_that_acknowledges_what_was_never_sent_is_cut_off() -> None:
    async def test(station: Station, port: int) -> None:
        caller = Caller(identity(1))
        await caller.call(port)
        caller.writer.write(frame(talk(Ack(5))))
        await caller.closed()
        assert station.causes == ["bad-number"]

    on_a_station(test)


def test_an_oversized_frame_of_a_peer_is_refused_by_its_length() -> None:
    async def test(station: Station, port: int) -> None:
        caller = Caller(identity(1))
        await caller.call(port)
        caller.writer.write((station.identity.frame_limit + 1).to_bytes(PREFIX, "big"))
        await caller.closed()
        assert station.causes == ["oversized-frame"]

    on_a_station(test)


def test_a_peer_that_floods_is_cut_off() -> None:
    habits = QUICK._replace(window=Window(messages=10, size=1000))

    async def test(station: Station, port: int) -> None:
        station.takes = False
        caller = Caller(identity(1))
        await caller.call(port)
        for number in range(1, 12):
            caller.writer.write(frame(talk(Data(number, 0, b"x"))))
        await caller.closed()
        assert station.causes == ["flooded"]
        assert len(station.got) == 10
        station.takes = True

    on_a_station(test, habits)


def test_a_peer_that_never_takes_anything_fills_the_window_and_no_more() -> None:
    habits = QUICK._replace(window=Window(messages=10, size=1000))

    async def test(station: Station, port: int) -> None:
        for _ in range(10):
            station.board.send(1, b"x")
        with pytest.raises(WindowFull, match="site 1 has not taken 10 messages"):
            station.board.send(1, b"x")

    on_a_station(test, habits)


def test_a_new_process_in_an_old_one_s_name_is_refused() -> None:
    async def test(station: Station, port: int) -> None:
        caller = Caller(identity(1))
        await caller.call(port)
        again = Caller(identity(1)._replace(life=99))
        with pytest.raises(NetError, match="peer-restarted"):
            await again.call(port)
        caller.writer.close()
        await again.closed()

    on_a_station(test)


def test_a_cause_is_told_once_and_counted() -> None:
    async def test(station: Station, port: int) -> None:
        for _ in range(5):
            await say(port, STRANGERS["bad-frame"])
        assert station.causes == ["bad-frame"]
        assert station.board.troubles.counts == {"bad-frame": 5}

    on_a_station(test)


def test_messages_arrive_once_and_in_order_though_the_connection_keeps_breaking() -> None:
    async def main() -> None:
        low, high = Station(0, n=2), Station(1, n=2)
        high.board.call({0: await low.board.listen()})
        await low.board.complete.wait()
        sent = [b"%d" % k for k in range(400)]
        for k, payload in enumerate(sent):
            low.board.send(1, payload)
            high.board.send(0, payload)
            if k % 7 == 0:
                await asyncio.sleep(0)
            if k % 40 == 39:
                for wire in [*low.board.wires.values(), *high.board.wires.values()]:
                    assert wire.transport is not None
                    wire.transport.abort()
        await until(lambda: len(low.got) >= len(sent) and len(high.got) >= len(sent))
        await until(lambda: not low.board.links[1].kept and not high.board.links[0].kept)
        assert low.got == [(1, payload) for payload in sent]
        assert high.got == [(0, payload) for payload in sent]
        assert low.faults == high.faults == []

    run(main())


def test_a_site_that_is_not_there_yet_is_called_until_it_is() -> None:
    async def main() -> None:
        low, high = Station(0, n=2), Station(1, n=2)
        port = await low.board.listen()
        assert low.board.server is not None
        low.board.server.close()
        await low.board.server.wait_closed()
        high.board.call({0: port})
        high.board.send(0, b"early")
        await until(lambda: bool(high.faults))
        assert high.causes == ["unreachable"]
        loop = asyncio.get_running_loop()
        low.board.server = await loop.create_server(
            lambda: Wire(low.board, low.board.links, calling=False), LOOPBACK, port
        )
        await until(lambda: low.got == [(1, b"early")])

    run(main())


def test_a_message_that_fits_into_no_frame_is_our_fault_and_said_so() -> None:
    async def test(station: Station, port: int) -> None:
        with pytest.raises(NetError, match="does not fit into a frame"):
            station.board.send(1, bytes(station.identity.frame_limit))

    on_a_station(test)
