"""Holds by token: each is a client of the node with one request, and a time to live.

A ttl is at most the lease: a node that comes back after a crash grants nothing for one lease, so no
answer may promise more.  What waits lives as long as somebody asks for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Final, final

from grouplock.client.cluster import drawn
from grouplock.client.errors import LockLost
from grouplock.client.session import ASKED, HELD, Request, Session
from grouplock.http.faults import (
    ENDED,
    GIVEN_BACK,
    NOT_ASKED,
    RECALLED,
    HttpFault,
    over,
    recalled,
    refused,
    unknown_hold,
)
from grouplock.http.seat import Inside, Seat
from grouplock.http.shapes import Standing, Wanted
from grouplock.net import clock
from grouplock.net.daemon import Host
from grouplock.service.frames import Force, Settings
from grouplock.service.limits import BAD_NAME, EXPIRED, FORCED, TOO_MANY, UNAVAILABLE
from grouplock.service.rights import Rights

MOST: Final = 10_000  # holds of one node by HTTP
REMEMBERED: Final = 2_000  # how those that are over ended
PARTS: Final = 4  # renewals in a lease
TOKEN_BYTES: Final = 18
PATIENCE_S: Final = 5.0  # so long a home that is away is asked again
GOES_DOWN: Final = "this node goes down"
BAD_TTL: Final = "bad-ttl"
WAITING, IS_HELD, IS_OVER = "waiting", "held", "over"  # and recalled


def later(seconds: float, do: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(seconds, do)


@final
class HttpHold(Request):
    """`until`: when it ends unless somebody renews it, or asks for it while it waits."""

    __slots__ = (
        "asking", "cause", "news", "rights", "said", "seat", "timer", "token", "ttl", "until",
    )  # fmt: skip

    def __init__(self, host: Host, wanted: Wanted, ttl: float, rights: Rights | None) -> None:
        session = Session(*drawn(), lambda keeper, frame: None, clock.now, later, PATIENCE_S)
        settings = Settings(
            wanted.slots, wanted.policy, wanted.linger, wanted.max_session, wanted.max_wait
        )
        super().__init__(
            session, wanted.lock, tuple(wanted.groups), settings, at_once=wanted.at_once
        )
        self.seat = Seat(host, session, self.was_told)
        self.rights = rights
        self.token = secrets.token_urlsafe(TOKEN_BYTES)
        self.ttl = ttl
        self.until = clock.now() + ttl
        self.asking = 0  # how many wait for it at this moment
        self.news = asyncio.Event()
        self.timer: asyncio.TimerHandle | None = None
        self.cause = ""
        self.said = ""

    def was_told(self, kind: str, seq: int, cause: str, said: str) -> None:
        """A request that has lost its place in a queue asks anew; that is not its end."""
        if seq == self.seq and (self.state == HELD or (self.state == ASKED and kind != "Lost")):
            self.cause, self.said = cause, said

    def was_answered(self) -> None:
        """It is granted, or refused."""
        if self.state == HELD:
            self.cause = self.said = ""  # of a refusal that was not the last word
            self.session.own(self, self)
            self.until = clock.now() + self.ttl
        self.has_changed()

    def has_ended(self, error: LockLost) -> None:
        """Or is recalled."""
        if self.state == HELD:
            self.cause, self.said = RECALLED, str(error)
        self.said = self.said or str(error)
        self.has_changed()

    def has_changed(self) -> None:
        self.news.set()
        self.news = asyncio.Event()

    @property
    def standing(self) -> str:
        if self.state == HELD:
            return IS_HELD if self.error is None else RECALLED
        return WAITING if self.state == ASKED else IS_OVER

    @property
    def left(self) -> float:
        """Seconds for which it is certain."""
        until = self.until - clock.now()
        if self.state == HELD and self.keeper != self.session.here:
            return min(until, self.session.left(self))
        return until

    def shown(self, waited: float) -> Standing:
        held = self.state == HELD
        return Standing(
            self.token,
            self.standing,
            self.name,
            round(waited, 3),
            round(max(0.0, self.left), 3) if self.standing != IS_OVER else 0.0,
            list(self.groups),
            self.groups[self.place] if held else None,
            self.slot if held else None,
            str(self.fence) if held else None,
            self.cause or None,
        )


@final
class Holds:
    def __init__(self, host: Host, lease: float) -> None:
        self.host: Final = host
        self.lease: Final = lease
        self.inside: Final = Inside(host)
        self.all: Final[dict[str, HttpHold]] = {}
        self.past: Final[dict[str, HttpHold]] = {}
        self.beats: asyncio.Task[None] | None = None
        self.closing = False

    def begin(self) -> None:
        self.inside.seat.open(None)
        self.beats = asyncio.get_running_loop().create_task(self.beat())

    async def end(self) -> bool:
        """Before the node goes down: what waits is withdrawn.  True: somebody may believe in a hold
        for a while yet, so those stay in the table, and the node's end is not a clean one."""
        assert self.beats is not None
        self.closing = True
        self.beats.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self.beats
        for hold in list(self.all.values()):
            if hold.standing == WAITING:
                self.withdraw(hold, UNAVAILABLE, f"lock '{hold.name}': {GOES_DOWN}")
        self.inside.seat.close()
        return any([hold.state == HELD and hold.left > 0 for hold in self.all.values()])

    async def beat(self) -> None:
        while True:
            away = [h for h in self.all.values() if h.keeper != h.session.here]
            for hold in away:
                hold.seat.renew()
            pauses = [hold.session.next_beat(PARTS) for hold in away]
            await asyncio.sleep(min([*pauses, self.lease / PARTS]))

    # What a program wants.

    def take(self, wanted: Wanted, rights: Rights | None) -> HttpHold:
        ttl = self.ttl_of(wanted.ttl)
        if self.closing:
            raise refused(UNAVAILABLE, GOES_DOWN)
        if len(set(wanted.groups)) != len(wanted.groups):
            raise refused(BAD_NAME, f"a request for lock '{wanted.lock}' names a group twice")
        if len(self.all) >= MOST:
            raise refused(TOO_MANY, f"this node has {len(self.all)} holds by HTTP, its limit")
        hold = HttpHold(self.host, wanted, ttl, rights)
        hold.seat.open(self.inside.session)
        self.all[hold.token] = hold
        hold.wake = hold.was_answered
        hold.session.ask(hold)
        self.watch(hold)
        if hold.standing == IS_OVER:
            self.drop(hold)
        return hold

    def ttl_of(self, asked: float | None) -> float:
        if asked is not None and asked > self.lease:
            raise refused(
                BAD_TTL,
                f"a ttl is at most this cluster's lease, {self.lease:g} s, as a node that comes "
                "back after a crash waits for no longer",
            )
        return self.lease if asked is None else asked

    def find(self, token: str, rights: Rights | None) -> HttpHold:
        hold = self.all.get(token) or self.past.get(token)
        if hold is None or hold.rights is not rights:
            raise unknown_hold()
        self.look_at(hold)
        return hold

    def renew(self, hold: HttpHold, ttl: float | None) -> None:
        if ttl is not None:
            hold.ttl = self.ttl_of(ttl)
        if hold.standing == IS_OVER:
            raise self.why_over(hold)
        if hold.standing == RECALLED:
            raise recalled(hold.said, hold.left)
        hold.until = clock.now() + hold.ttl
        self.watch(hold)

    def give_back(self, hold: HttpHold) -> None:
        """Again does nothing."""
        if hold.standing != IS_OVER:
            self.withdraw(hold, GIVEN_BACK, f"lock '{hold.name}' was given back")

    def withdraw(self, hold: HttpHold, cause: str, said: str) -> None:
        hold.cause, hold.said = cause, said
        hold.session.leave(hold)
        hold.has_changed()
        self.drop(hold)

    @contextlib.asynccontextmanager
    async def asked(self, hold: HttpHold) -> AsyncIterator[None]:
        """Somebody wants to know: what waits goes on waiting."""
        hold.asking += 1
        try:
            yield
        finally:
            hold.asking -= 1
            if hold.standing == WAITING:
                hold.until = clock.now() + hold.ttl
                self.watch(hold)

    async def change(self, hold: HttpHold, known: str, wait: float) -> None:
        """Until it stands otherwise than `known`, or for `wait` seconds."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(wait):
                while hold.standing == known:
                    await hold.news.wait()
        self.look_at(hold)

    def why_over(self, hold: HttpHold) -> HttpFault:
        said = hold.said or str(hold.error)
        if hold.fence or hold.cause in ENDED:
            return over(hold.cause or EXPIRED, said, bool(hold.fence))
        return refused(hold.cause, said)

    # Time.

    def watch(self, hold: HttpHold) -> None:
        if hold.timer is not None:
            hold.timer.cancel()
        loop = asyncio.get_running_loop()
        hold.timer = loop.call_later(max(0.0, hold.until - clock.now()), self.look_at, hold)

    def look_at(self, hold: HttpHold) -> None:
        """Its time may be over: by the clock, whatever timers did."""
        if hold.standing == IS_OVER:
            if hold.token in self.all:
                self.drop(hold)
            return
        if hold.standing == WAITING and hold.asking:
            hold.until = clock.now() + hold.ttl
        if hold.left > 0:
            self.watch(hold)
        elif hold.state == HELD:
            self.expire(hold)
        else:
            said = f"lock '{hold.name}': nobody asked for this hold for {hold.ttl:g} s"
            self.withdraw(hold, NOT_ASKED, said)

    def expire(self, hold: HttpHold) -> None:
        """As a lease that has run out, not as something given back: its slot is in doubt."""
        was_recalled = hold.standing == RECALLED
        for answer in hold.seat.say(
            Force(0, hold.name, hold.session.number << 32 | hold.seq, True)
        ):
            hold.session.receive(answer)
        hold.cause = FORCED if was_recalled else EXPIRED
        if not was_recalled:
            hold.said = f"lock '{hold.name}': the hold was not renewed for {hold.ttl:g} s"
        hold.session.leave(hold)  # where its home is elsewhere: not believed in from here on
        hold.has_changed()
        self.drop(hold)

    def drop(self, hold: HttpHold) -> None:
        """It is over; how it ended is remembered for a while."""
        if hold.timer is not None:
            hold.timer.cancel()
        self.all.pop(hold.token, None)
        self.past[hold.token] = hold
        if len(self.past) > REMEMBERED:
            self.past.pop(next(iter(self.past)))
        hold.seat.close()
