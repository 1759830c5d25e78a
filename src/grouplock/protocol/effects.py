"""An outbox that keeps what a step did, in order, for a driver to carry out afterwards."""

from __future__ import annotations

from typing import Any, Final, final

from grouplock.protocol.groups import NO_SETUP
from grouplock.protocol.message import Message, Messages
from grouplock.protocol.outbox import Outbox

# An effect is a tuple that begins with one of these; the rest are the call's arguments.
# A broadcast is kept as its sends.
SEND: Final = "send"  # (dst, message)
GRANTED: Final = "granted"  # (rid, group, slot, session, setup)
WITHDRAWN: Final = "withdrawn"  # (rid)
LOST: Final = "lost"  # (rid)
ENDED: Final = "ended"  # (session)
REPORT: Final = "report"  # (state)
TIMER: Final = "timer"  # (tag, after)
CANCEL_TIMER: Final = "cancel_timer"  # (tag)
PERSIST: Final = "persist"  # (record)

Effect = tuple[Any, ...]


@final
class Effects(Outbox):
    def __init__(self) -> None:
        self.kept: list[Effect] = []

    def take(self) -> list[Effect]:
        """What was kept since the last call."""
        kept = self.kept
        self.kept = []
        return kept

    def send(self, dst: int, msg: Message) -> None:
        self.kept.append((SEND, dst, msg))

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        for dst in dsts:
            self.kept.append((SEND, dst, msg))

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = NO_SETUP
    ) -> None:
        self.kept.append((GRANTED, rid, group, slot, session, setup))

    def withdrawn(self, rid: int) -> None:
        self.kept.append((WITHDRAWN, rid))

    def lost(self, rid: int) -> None:
        self.kept.append((LOST, rid))

    def ended(self, session: int) -> None:
        self.kept.append((ENDED, session))

    def report(self, state: tuple[Any, ...]) -> None:
        self.kept.append((REPORT, state))

    def timer(self, tag: int, after: float) -> None:
        self.kept.append((TIMER, tag, after))

    def cancel_timer(self, tag: int) -> None:
        self.kept.append((CANCEL_TIMER, tag))

    def persist(self, record: tuple[Any, ...]) -> None:
        self.kept.append((PERSIST, record))


def packed(effect: Effect, messages: Messages) -> Effect:
    """The effect as plain values: for traces and for the checker."""
    if effect[0] == SEND:
        return (SEND, effect[1], messages.pack(effect[2]))
    return effect
