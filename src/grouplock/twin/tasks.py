"""What an application does with its holds: waits, gives up, sets up, writes, lets go.

Some are careless and go on writing when their hold is over: the fence is there for them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from grouplock.client.errors import GroupLockError, LockLost
from grouplock.client.session import ASKED, HELD, Request
from grouplock.service.frames import Settings
from grouplock.twin.machines import Do
from grouplock.twin.player import Player, Waits
from grouplock.twin.scenario import Scenario

# (player, request, group): on the way to the fenced resource.
Write = Callable[[Player, Request, str], None]


class Want(Request):
    """One request of a task."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.ended = False

    def has_ended(self, error: LockLost) -> None:
        self.ended = True


class Program:
    """All requests of one task; `left` says how many it has not begun."""

    def __init__(
        self,
        player: Player,
        scenario: Scenario,
        number: int,
        chance: random.Random,
        write: Write,
        stops: Callable[[], bool],
    ) -> None:
        self.player: Final = player
        self.scenario: Final = scenario
        self.number: Final = number
        self.chance: Final = chance
        self.write: Final = write
        self.stops: Final = stops
        self.life: Final = player.life
        self.done = False
        self.at = "beginning"
        self.held = self.failed = self.gave_up = self.lost = 0

    def run(self) -> Waits:
        for turn in range(self.scenario.requests):
            self.at = "thinking"
            yield self.chance.expovariate(1.0 / (0.05 * self.scenario.lease))
            if self.stops():
                break
            yield from self.one(turn)
        self.done = True

    def wanted(self, turn: int) -> Want:
        s, chance = self.scenario, self.chance
        lock = chance.randrange(s.locks)
        if chance.random() < 0.1:
            groups: tuple[str, ...] = (f"me-{self.player.session.number}-{self.number}-{turn}",)
        else:
            some = chance.sample(range(s.groups), min(s.groups, chance.choice((1, 1, 1, 2))))
            groups = tuple([f"g{k}" for k in some])
        settings = Settings(slots=s.slots if lock == 0 else 1)
        timeout = chance.choice((None, None, 0.1, 1.0))
        limit = None if timeout is None else timeout * s.lease
        setup = chance.random() < 0.3 or None
        at_once = chance.random() < 0.05
        session = self.player.session
        return Want(session, f"lock{lock}", groups, settings, limit, setup, "event", at_once)

    def one(self, turn: int) -> Waits:
        chance, lease, session = self.chance, self.scenario.lease, self.player.session
        request = self.wanted(turn)
        self.at = f"waiting for {request.name} {request.groups}"
        try:
            session.enter(request, self)
        except GroupLockError:
            self.failed += 1
            return
        if request.state == ASKED:
            yield lambda resume: self.until(request, resume)
        if request.error is not None:
            self.failed += 1
            return
        if request.state == ASKED:
            self.gave_up += 1
            session.leave(request)
            return
        if request.switch:
            self.at = f"setting {request.name} up"
            yield chance.uniform(0.0, 0.1 * lease)
            session.ready(request, chance.random() < 0.9)
            if request.state != HELD:
                self.failed += 1
                return
        session.own(request, self)
        self.held += 1
        self.at = f"inside {request.name}"
        careless = chance.random() < 0.3
        group = request.groups[request.place]
        for _ in range(chance.choice((1, 2, 4))):
            if careless or session.believes(request):
                self.write(self.player, request, group)
            yield chance.expovariate(1.0 / (0.05 * lease))
            if request.ended and not careless:
                break
        if chance.random() < 0.5:
            self.write(self.player, request, group)  # the last word, whatever has become of it
        self.lost += not session.leaves(request)

    def until(self, request: Want, resume: Do) -> None:
        """It is no longer waiting, or its time is over."""
        told: list[bool] = []

        def once() -> None:
            if not told:
                told.append(True)
                request.wake = None
                self.player.on_loop(resume)

        request.wake = once
        if request.timeout is not None:
            self.player.on_loop_later(request.timeout, once)
