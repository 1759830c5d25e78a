"""A link: the numbers of what two sites send each other, which outlive any one connection.

Each message has a number, one more than the last.  The sender keeps a message until the receiver
has taken it (handed it to its site) and says so; after a reconnect it sends again all that it
keeps, and the receiver drops what it already has.  So each message arrives exactly once and in
order for as long as both processes live.  Both directions have one window: a sender keeps no
more than that, and a receiver holds no more than that on behalf of a sender.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

from grouplock.net.errors import BadNumber, Flooded, PeerRestarted, WindowFull
from grouplock.net.wire import Ack, Data


class Window(NamedTuple):
    messages: int = 65_536
    size: int = 16 * 1024 * 1024  # bytes of payloads


class Link:
    """Bytes and sockets are the conversation's; here are only numbers."""

    def __init__(
        self, peer: int, window: Window, reborn: Callable[[int], None] | None = None
    ) -> None:
        self.peer: Final = peer
        self.window: Final = window
        self.reborn: Final = reborn  # told of a new process in the peer's name; None: an error
        self.life: int | None = None  # the peer's process, once it has said hello
        self.begin()

    def begin(self) -> None:
        """Nothing has been said in either direction."""
        # What we send.
        self.numbered = 0  # the last number given
        self.kept: deque[bytes] = deque()  # the last of `numbered`, not yet taken
        self.kept_size = 0
        # What we receive.
        self.arrived = 0  # all up to this number are here
        self.taken = 0  # and up to this one the site has had
        self.told = 0  # and up to this one we have said so
        self.held: deque[int] = deque()  # sizes of what arrived and is not taken
        self.held_size = 0

    def greeted(self, life: int, taken: int) -> None:
        """A hello of the peer's process: a new connection begins."""
        if self.life is not None and self.life != life:
            if self.reborn is None:
                raise PeerRestarted(f"site {self.peer} is a new process and knows no numbers")
            self.life = life
            self.begin()
            self.reborn(self.peer)
        self.acknowledged(taken)
        self.life = life

    # Sending.

    def number(self, payload: bytes) -> int:
        """Gives the message its number and keeps it; it goes out now or after the next hello."""
        w = self.window
        if len(self.kept) >= w.messages or self.kept_size + len(payload) > w.size:
            raise WindowFull(
                f"site {self.peer} has not taken {len(self.kept)} messages of "
                f"{self.kept_size} bytes; more are not kept"
            )
        self.numbered += 1
        self.kept.append(payload)
        self.kept_size += len(payload)
        return self.numbered

    def data(self, number: int, payload: bytes) -> Data:
        return Data(number, self.tell(), payload)

    def acknowledged(self, taken: int) -> None:
        if taken > self.numbered:
            raise BadNumber(
                f"site {self.peer} acknowledges message {taken}, the last was {self.numbered}"
            )
        while self.numbered - len(self.kept) < taken:
            self.kept_size -= len(self.kept.popleft())

    def again(self) -> list[Data]:
        """All that a new connection has to carry first."""
        first = self.numbered - len(self.kept) + 1
        return [self.data(first + i, payload) for i, payload in enumerate(self.kept)]

    # Receiving.

    def is_new(self, data: Data) -> bool:
        """Whether to accept it; what is already here is dropped."""
        self.acknowledged(data.taken)
        if data.number <= self.arrived:
            return False
        if data.number != self.arrived + 1:
            raise BadNumber(
                f"site {self.peer} sent message {data.number} after message {self.arrived}"
            )
        w = self.window
        if len(self.held) >= w.messages or self.held_size + len(data.payload) > w.size:
            raise Flooded(f"site {self.peer} sends more than its window of {w.messages} messages")
        return True

    def accept(self, data: Data) -> None:
        assert data.number == self.arrived + 1
        self.arrived += 1
        self.held.append(len(data.payload))
        self.held_size += len(data.payload)

    def take(self) -> None:
        """The site has had the oldest message that it had not had."""
        self.held_size -= self.held.popleft()
        self.taken += 1

    @property
    def owes(self) -> int:
        """How many messages were taken and not yet acknowledged."""
        return self.taken - self.told

    def ack(self) -> Ack:
        return Ack(self.tell())

    def tell(self) -> int:
        """For whatever carries it to the peer; what is lost with a connection, a hello repeats."""
        self.told = self.taken
        return self.taken
