"""Which timers a forum's holder wants to run, and which of them do.

A timer stands for a session or for a request; where that is another one, the timer begins anew.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from grouplock.parts.forum import Forum, number
from grouplock.protocol.system import Options

# Timers: one for all, two for each slot.
GHOSTS: Final = 0
WAIT: Final = 1
LINGER: Final = 2
SESSION: Final = 3


class Clocks(NamedTuple):
    """After how long, in the driver's unit; 0: never."""

    ghosts: float  # nobody can believe any more in a hold that was not renewed
    linger: float  # an empty session ends
    session: float  # a session takes nobody in any more past those who wait
    wait: float  # no session does, past a request that has waited for so long


def clocks_of(options: Options) -> Clocks:
    return Clocks(
        float(number(options, "ghost", 10)),
        float(number(options, "linger", 0)),
        float(number(options, "max_session", 0)),
        float(number(options, "max_wait", 0)),
    )


@final
class Alarms:
    def __init__(self, clocks: Clocks) -> None:
        self.clocks: Final = clocks
        self.some: Final = clocks.linger + clocks.session + clocks.wait > 0
        self.armed: dict[int, int] = {}  # and what for
        self.rung = False  # that of the oldest request has, and stands for it still

    def stop(self, forum: Forum) -> list[int]:
        """Timers that are wanted no more."""
        wanted = self.wanted(forum)
        stopped = []
        for tag in list(self.armed):
            if wanted.get(tag, 0) != self.armed[tag]:
                del self.armed[tag]
                if tag != WAIT or not self.rung:
                    stopped.append(tag)
        return stopped

    def start(self, forum: Forum) -> list[int]:
        started = []
        for tag, what in self.wanted(forum).items():
            if tag not in self.armed:
                self.armed[tag] = what
                self.rung = self.rung and tag != WAIT
                started.append(tag)
        return started

    def wanted(self, forum: Forum) -> dict[int, int]:
        found: dict[int, int] = {}
        for place, slot in enumerate(forum.slots):
            for session in slot.present:
                if slot.lingers and not session.late:
                    found[LINGER + 2 * place] = session.number
                if self.clocks.session and not session.late:
                    found[SESSION + 2 * place] = session.number
        if self.clocks.wait and forum.queue:
            head = forum.queue[0]
            found[WAIT] = head.ticket << 20 | head.site
        return found

    def after(self, tag: int) -> float:
        if tag == WAIT:
            return self.clocks.wait
        return self.clocks.session if tag % 2 else self.clocks.linger

    def ring(self, tag: int, forum: Forum, patience: int) -> None:
        if tag == GHOSTS:
            forum.exorcise()
        elif tag == WAIT:
            self.rung = True
            forum.close_doors(patience)
        else:
            del self.armed[tag]
            for session in forum.slots[(tag - LINGER) // 2].present:
                session.late = True

    def forget(self) -> list[int]:
        """All of them; which ran."""
        ran = [tag for tag in self.armed if tag != WAIT or not self.rung]
        self.armed, self.rung = {}, False
        return ran

    def save(self) -> tuple[Any, ...]:
        return tuple([(tag, self.armed[tag]) for tag in sorted(self.armed)]), self.rung

    def load(self, saved: tuple[Any, ...]) -> None:
        self.armed, self.rung = dict(saved[0]), saved[1]
