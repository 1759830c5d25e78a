"""A client in the daemon's own process: its frames are handed over as objects, on its own thread.

Compiled, with the daemon: between the two there is a mutex and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, final

from grouplock.protocol.daemon import Daemon, Deeds


@final
class Caller(Deeds):
    """What a step of ours does to others goes to `others`; what it says to us is the answer."""

    def __init__(
        self, conn: int, daemon: Daemon, mutex: Any, now: Callable[[], float], others: Deeds
    ) -> None:
        self.conn: Final = conn
        self.daemon: Final = daemon
        self.enter: Final[Callable[[], object]] = mutex.acquire
        self.leave: Final[Callable[[], object]] = mutex.release
        self.now: Final = now
        self.others: Final = others
        self.answers: list[Any] = []

    def say(self, frame: Any) -> list[Any]:
        """One frame to the daemon; what is said back at once."""
        self.enter()
        try:
            self.daemon.on_frame(self.conn, frame, self.now(), self)
            answers = self.answers
            if answers:
                self.answers = []
        finally:
            self.leave()
        return answers

    def send(self, conn: int, frame: Any) -> None:
        if conn == self.conn:
            self.answers.append(frame)
        else:
            self.others.send(conn, frame)

    def hang_up(self, conn: int) -> None:
        self.others.hang_up(conn)

    def persist(self, record: tuple[Any, ...]) -> None:
        self.others.persist(record)

    def propose(self, view: Any) -> None:
        self.others.propose(view)

    def wake(self, at: float) -> None:
        self.others.wake(at)
