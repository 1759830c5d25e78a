"""Keeps a run as a trace: every step with its input and its effects."""

from __future__ import annotations

from typing import IO, Any, final

from grouplock.measure.trace import Step, step_line
from grouplock.protocol.effects import Effects, packed
from grouplock.protocol.groups import NO_SETUP
from grouplock.protocol.message import Message, Messages
from grouplock.protocol.outbox import Outbox
from grouplock.sim.kernel import Recorder


@final
class TraceWriter(Recorder):
    """Passes every effect on to the kernel, and writes it down."""

    def __init__(self, inner: Outbox, messages: Messages, file: IO[str]) -> None:
        self.inner = inner
        self.messages = messages
        self.file = file
        self.effects = Effects()

    def step(self, at: float, site: int, do: tuple[Any, ...]) -> None:
        out = tuple([packed(effect, self.messages) for effect in self.effects.take()])
        self.file.write(step_line(Step(at, site, do, out)) + "\n")

    def send(self, dst: int, msg: Message) -> None:
        self.effects.send(dst, msg)
        self.inner.send(dst, msg)

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        self.effects.broadcast(dsts, msg)
        self.inner.broadcast(dsts, msg)

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = NO_SETUP
    ) -> None:
        self.effects.granted(rid, group, slot, session, setup)
        self.inner.granted(rid, group, slot, session, setup)

    def withdrawn(self, rid: int) -> None:
        self.effects.withdrawn(rid)
        self.inner.withdrawn(rid)

    def lost(self, rid: int) -> None:
        self.effects.lost(rid)
        self.inner.lost(rid)

    def ended(self, session: int) -> None:
        self.effects.ended(session)
        self.inner.ended(session)

    def report(self, state: tuple[Any, ...]) -> None:
        self.effects.report(state)
        self.inner.report(state)

    def timer(self, tag: int, after: float) -> None:
        self.effects.timer(tag, after)
        self.inner.timer(tag, after)

    def cancel_timer(self, tag: int) -> None:
        self.effects.cancel_timer(tag)
        self.inner.cancel_timer(tag)

    def persist(self, record: tuple[Any, ...]) -> None:
        self.effects.persist(record)
        self.inner.persist(record)
