"""A test algorithm that talks: every entry is told to others in every way in which one can send.

It excludes nobody (each site enters when it asks), so it is of use only where nobody judges.
"""

from __future__ import annotations

from typing import Any

from grouplock.protocol.channel import ANY_ORDER
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site
from grouplock.protocol.system import System


class Word(Message):
    def __init__(self, number: int) -> None:
        self.number = number


MESSAGES = Messages(Shape(Word, number=COUNT))


class Chatter(Site[tuple[Any, ...]]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.said = 0

    def word(self) -> Word:
        self.said += 1
        return Word(self.said)

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        out.granted(rid, groups[0])
        out.broadcast(self.peers, self.word())

    def release(self, rid: int, out: Outbox) -> None:
        some = [self.peers[i] for i in range(self.said % 2, len(self.peers), 2)]
        out.broadcast(some, self.word())
        for peer in self.peers[: self.said % 3]:
            out.send(peer, self.word())

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        assert isinstance(msg, Word)
        if self.said > 60:  # or the talk would never end
            return
        if msg.number % 5 == 0:
            out.send(src, self.word())
        if msg.number % 7 == 0:
            out.broadcast(self.peers, self.word())

    def save(self) -> tuple[Any, ...]:
        return (self.said,)

    def load(self, state: tuple[Any, ...]) -> None:
        (self.said,) = state


def chatter(n: int) -> System:
    return System(
        name="chatter",
        options={},
        n=n,
        slots=1,
        shared=True,
        channel=ANY_ORDER,
        supports=(),
        promises=(),
        messages=MESSAGES,
        make=lambda me: Chatter(me, [p for p in range(n) if p != me]),
    )
