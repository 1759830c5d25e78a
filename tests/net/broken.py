"""Algorithms that are wrong on purpose, and a site's process for one: `python broken.py NAME N`."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any, Final

from grouplock.net.site import serve
from grouplock.properties import EXCLUSION, ONE_TOKEN, SERVED
from grouplock.protocol.channel import ANY_ORDER
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site
from grouplock.protocol.system import System


class Ask(Message):
    def __init__(self, group: int) -> None:
        self.group: Final = group


class Allow(Message):
    pass


class OpenDoor(Site[tuple[int, ...]]):
    """RA1 that always allows."""

    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.rid = self.group = self.missing = 0

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        self.rid, self.group, self.missing = rid, groups[0], len(self.peers)
        out.broadcast(self.peers, Ask(self.group))

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.asked(src, msg, out)
        else:
            self.missing -= 1
            if self.missing == 0:
                self.enter(out)

    def asked(self, src: int, ask: Ask, out: Outbox) -> None:
        out.send(src, Allow())

    def enter(self, out: Outbox) -> None:
        out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        self.rid = 0


class ClosedDoor(OpenDoor):
    """Never allows."""

    def asked(self, src: int, ask: Ask, out: Outbox) -> None:
        pass


class WrongDoor(OpenDoor):
    def enter(self, out: Outbox) -> None:
        out.granted(self.rid, self.group + 1)


class Revolving(OpenDoor):
    def enter(self, out: Outbox) -> None:
        out.granted(self.rid, self.group)
        out.granted(self.rid, self.group)


class Astonished(OpenDoor):
    def asked(self, src: int, ask: Ask, out: Outbox) -> None:
        assert src == self.me, "somebody else asks"


class Mistaken(OpenDoor):
    def asked(self, src: int, ask: Ask, out: Outbox) -> None:
        raise ZeroDivisionError("a mistake")


class Rich(OpenDoor):
    """Everybody has the token."""

    def tokens(self) -> int:
        return 1


class Mortal(OpenDoor):
    """Site 1 is killed in the middle of the run."""

    def asked(self, src: int, ask: Ask, out: Outbox) -> None:
        if self.me == 1:
            os.kill(os.getpid(), signal.SIGKILL)


class Absent(OpenDoor):
    """Site 1 thinks for ever; it does not even look at its standard input."""

    def asked(self, src: int, ask: Ask, out: Outbox) -> None:
        while self.me == 1:
            pass


PROMISES: Final[dict[type[OpenDoor], tuple[str, ...]]] = {Rich: (EXCLUSION, SERVED, ONE_TOKEN)}
KINDS: Final[dict[str, type[OpenDoor]]] = {
    kind.__name__: kind
    for kind in (
        OpenDoor,
        ClosedDoor,
        WrongDoor,
        Revolving,
        Astonished,
        Mistaken,
        Rich,
        Mortal,
        Absent,
    )
}


def system(name: str, n: int) -> System:
    kind = KINDS[name]

    def make(me: int) -> Site[Any]:
        return kind(me, [site for site in range(n) if site != me])

    return System(
        name=name,
        options={},
        n=n,
        slots=1,
        shared=True,
        channel=ANY_ORDER,
        supports=(),
        promises=PROMISES.get(kind, (EXCLUSION, SERVED)),
        messages=Messages(Shape(Ask, group=COUNT), Shape(Allow)),
        make=make,
    )


def argv(name: str, n: int) -> list[str]:
    return [sys.executable, str(Path(__file__)), name, str(n)]


if __name__ == "__main__":
    serve(system(sys.argv[1], int(sys.argv[2])))
