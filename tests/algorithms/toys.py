"""Algorithms for one question each: does a circle end, does a channel keep its promise?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from grouplock.properties import EXCLUSION, NO_DEADLOCK, ONE_TOKEN, SERVED
from grouplock.protocol.channel import ANY_ORDER, FIFO, Channel
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site
from grouplock.protocol.system import CRASH, TIMERS, System


class Numbered(Message):
    def __init__(self, number: int) -> None:
        self.number = number


NUMBERED: Final = Messages(Shape(Numbered, number=COUNT))


class Wake(Message):
    pass


RING: Final = Messages(Shape(Numbered, number=COUNT), Shape(Wake), token=Numbered)


def toy(
    n: int,
    make: Callable[[int], Site[Any]],
    channel: Channel = ANY_ORDER,
    promises: tuple[str, ...] = (EXCLUSION, SERVED, NO_DEADLOCK),
    supports: tuple[str, ...] = (),
    messages: Messages = NUMBERED,
) -> System:
    return System("toy", {}, n, 1, False, channel, supports, promises, messages, make)


class Ring(Site[tuple[int, int]]):
    """A token, once woken, goes round for ever; who waits keeps it a while.  One may be deaf."""

    def __init__(self, me: int, n: int, deaf: int) -> None:
        super().__init__(me, [s for s in range(n) if s != me])
        self.next = (me + 1) % n
        self.deaf = deaf
        self.rid = -1
        self.holds = int(me == 0)

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        self.rid = rid
        if self.holds:
            out.granted(rid, groups[0])
        else:
            out.send(0, Wake())

    def release(self, rid: int, out: Outbox) -> None:
        self.rid, self.holds = -1, 0
        out.send(self.next, Numbered(0))

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Wake):
            if self.holds and self.rid < 0:
                self.holds = 0
                out.send(self.next, Numbered(0))
        elif self.rid >= 0 and self.me != self.deaf:
            self.holds = 1
            out.granted(self.rid, 0)
        else:
            out.send(self.next, Numbered(0))

    def tokens(self) -> int:
        return self.holds

    def save(self) -> tuple[int, int]:
        return (self.rid, self.holds)

    def load(self, state: tuple[int, int]) -> None:
        self.rid, self.holds = state


def ring(n: int, deaf: int = -1) -> System:
    promises = (EXCLUSION, SERVED, NO_DEADLOCK, ONE_TOKEN)
    return toy(n, lambda me: Ring(me, n, deaf), FIFO, promises, messages=RING)


class Patient(Site[tuple[int, ...]]):
    """Enters when its timer has rung often enough; `forever`: it never does."""

    def __init__(self, me: int, n: int, forever: bool) -> None:
        super().__init__(me, [s for s in range(n) if s != me])
        self.forever = forever
        self.rid = -1
        self.rung = 0

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        self.rid, self.rung = rid, 0
        out.timer(7, 1.0)

    def release(self, rid: int, out: Outbox) -> None:
        self.rid = -1

    def on_timer(self, tag: int, out: Outbox) -> None:
        assert tag == 7
        self.rung += 1
        if self.forever or self.rung < 3:
            self.rung %= 3
            out.timer(7, 1.0)
        else:
            out.granted(self.rid, 0)

    def save(self) -> tuple[int, ...]:
        return (self.rid, self.rung)

    def load(self, state: tuple[int, ...]) -> None:
        self.rid, self.rung = state


def patient(forever: bool, promises: tuple[str, ...] = (SERVED, NO_DEADLOCK)) -> System:
    return toy(1, lambda me: Patient(me, 1, forever), promises=promises, supports=(TIMERS,))


class Sender(Site[tuple[int, ...]]):
    """Site 0 sends 1, 2, 3 to site 1 and enters; site 1 keeps what it got."""

    def __init__(self, me: int, n: int, strict: bool) -> None:
        super().__init__(me, [s for s in range(n) if s != me])
        self.strict = strict
        self.got: tuple[int, ...] = ()
        self.gone: tuple[int, ...] = ()

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        if self.me == 0:
            for number in (1, 2, 3):
                out.send(1, Numbered(number))
        out.granted(rid, groups[0])

    def release(self, rid: int, out: Outbox) -> None:
        pass

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        assert isinstance(msg, Numbered)
        self.got += (msg.number,)
        if self.strict:
            assert self.got == tuple(range(1, len(self.got) + 1)), f"got {self.got}"

    def on_crash(self, peer: int, out: Outbox) -> None:
        self.gone += (peer,)

    def save(self) -> tuple[int, ...]:
        return (len(self.got), *self.got, *self.gone)

    def load(self, state: tuple[int, ...]) -> None:
        self.got, self.gone = state[1 : state[0] + 1], state[state[0] + 1 :]


def sender(channel: Channel, strict: bool = True) -> System:
    return toy(2, lambda me: Sender(me, 2, strict), channel, (NO_DEADLOCK,), (CRASH,))
