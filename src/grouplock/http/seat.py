"""A client of the node in the node's own process and on its own loop: no socket, the same frames.

What the node says by itself comes within its step, on whatever thread: it is looked at later.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any, Final

from grouplock.client.cluster import Cluster, drawn
from grouplock.client.routes import Patience
from grouplock.client.session import Session
from grouplock.http.faults import HttpFault, refused
from grouplock.net import clock
from grouplock.net.caller import Caller
from grouplock.net.daemon import Host
from grouplock.service.frames import VERSION, Hello, Lost, Parting, Refused, Renew, Renewed
from grouplock.service.limits import WRONG_KEY

KEPT: Final = 16  # renewals that may be unanswered
_numbers: Final = itertools.count(1)


class Seat:
    """Brings one session's frames to the node, and the node's to the session."""

    def __init__(
        self, host: Host, session: Session, told: Callable[[str, int, str, str], None]
    ) -> None:
        """`told(kind, seq, cause, said)`: what a session does not keep of a refusal or a loss."""
        self.host: Final = host
        self.session: Final = session
        self.told: Final = told
        self.loop: Final = asyncio.get_running_loop()
        self.caller: Caller | None = None
        self.sent_at: Final[dict[int, float]] = {}

    def open(self, like: Session | None) -> None:
        """`like`: one that knows the members already, so that the homes are not drawn anew."""
        session = self.session
        session.attachment += 1
        welcome = self.greet()
        if type(welcome) is Parting and welcome.cause == WRONG_KEY and not session.requests:
            session.number, session.key = drawn()  # somebody else has ours
            welcome = self.greet()
        if type(welcome) is Parting:
            raise refused(welcome.cause, welcome.said)
        if like is not None:
            session.members, session.home, session.only = like.members, like.home, like.only
        session.knows(welcome.members, welcome.lease, welcome.epoch)
        session.here = welcome.node
        session.say = self.say

    def greet(self) -> Any:
        session = self.session
        self.caller = caller = self.host.open_local(self.post)
        hello = Hello(VERSION, session.number, session.key, session.attachment, False)
        [answer] = caller.say(hello)
        if type(answer) is Parting:
            self.close()
        return answer

    def close(self) -> None:
        if self.caller is not None:
            caller, self.caller = self.caller, None
            self.host.close_local(caller)

    def say(self, frame: Any) -> list[Any]:
        if self.caller is None:
            return []
        answers = self.caller.say(frame)
        for answer in answers:
            self.note(answer)
        return answers

    def post(self, frame: Any) -> None:
        self.loop.call_soon_threadsafe(self.heard, frame)

    def heard(self, frame: Any) -> None:
        if self.caller is None:
            return
        if type(frame) is Renewed:
            at = self.sent_at.pop(frame.number, None)
            if at is not None:
                self.session.renewed(frame.keeper, at, frame.epoch)
        elif type(frame) is Parting:
            self.come_back(frame)
        else:
            self.note(frame)
            self.session.receive(frame)

    def note(self, frame: Any) -> None:
        if type(frame) is Lost or type(frame) is Refused:
            self.told(type(frame).__name__, frame.seq, frame.cause, frame.said)

    def come_back(self, parting: Parting) -> None:
        """The node has nothing of us any more; what stands is told again."""
        self.close()
        try:
            self.open(self.session)
        except HttpFault:
            for keeper in self.session.in_use():
                self.session.unreachable(keeper, parting.said)
            return
        for keeper in self.session.in_use():
            for frame in self.session.again(keeper):
                for answer in self.say(frame):
                    self.session.receive(answer)

    def renew(self) -> None:
        """What other nodes keep for us."""
        for keeper in self.session.in_use():
            number = next(_numbers)
            if len(self.sent_at) >= KEPT:
                self.sent_at.pop(next(iter(self.sent_at)))
            self.sent_at[number] = clock.now()
            for answer in self.say(Renew(number, keeper)):
                self.heard(answer)
            if self.session.about_to_lapse(keeper):
                self.session.lapse(keeper)


class Inside(Cluster):
    """The cluster as seen from the node's own loop: for an operator's questions."""

    def __init__(self, host: Host) -> None:
        super().__init__(Patience())
        self.seat: Final = Seat(host, self.session, lambda *_: None)

    def transmit(self, keeper: int, frame: Any) -> None:
        for answer in self.seat.say(frame):
            self.session.receive(answer)
