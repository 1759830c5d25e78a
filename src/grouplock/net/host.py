"""One site at work: inputs in, effects out to links, timers, clients, and the trace.

A step runs to its end, with what the site sends itself, before any of its effects is carried out.
"""

from __future__ import annotations

import asyncio
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from grouplock.measure.trace import Step
from grouplock.net.clients import BrokenPromise, Clients
from grouplock.net.codec import Codec
from grouplock.protocol.effects import (
    CANCEL_TIMER,
    GRANTED,
    PERSIST,
    SEND,
    TIMER,
    Effect,
    Effects,
    packed,
)
from grouplock.protocol.groups import NO_SETUP, Groups
from grouplock.protocol.message import Message
from grouplock.protocol.system import System

NS_PER_MS: Final = 1_000_000


class Host:
    """`send(peer, payload)` and `took(peer)` are the links; `now` is in nanoseconds."""

    def __init__(
        self,
        system: System,
        me: int,
        codec: Codec,
        clients: Clients,
        send: Callable[[int, bytes], None],
        took: Callable[[int], None],
        now: Callable[[], int],
        record: Callable[[Step], None] | None,
    ) -> None:
        self.system: Final = system
        self.me: Final = me
        self.codec: Final = codec
        self.clients: Final = clients
        self.send: Final = send
        self.took: Final = took
        self.now: Final = now
        self.record: Final = record
        self.site: Final = system.make(me)
        self.out: Final = Effects()
        self.timers: Final[dict[int, asyncio.TimerHandle]] = {}
        self.sent = 0
        self.handled = 0
        self.integers = 0
        self.steps = 0

    # Inputs.

    def request(self, rid: int, groups: Groups) -> None:
        self.step(("request", rid, groups), self.site.request, rid, groups)

    def release(self, rid: int) -> None:
        self.step(("release", rid), self.site.release, rid)

    def deliver(self, src: int, msg: Message) -> None:
        # Packed before the step: a site may keep a message's vector and go on writing in it.
        packed_msg = self.system.messages.pack(msg) if self.record else ()
        if src != self.me:
            self.handled += 1
            self.took(src)
        self.step(("deliver", src, packed_msg), self.site.on_message, src, msg)

    def ring(self, tag: int) -> None:
        del self.timers[tag]
        self.step(("timer", tag), self.site.on_timer, tag)

    def setup_done(self, session: int) -> None:
        self.step(("setup", session, True), self.site.setup_done, session, True)

    def persisted(self, record: tuple[Any, ...]) -> None:
        self.step(("persisted", record), self.site.persisted, record)

    def step(self, do: tuple[Any, ...], handler: Callable[..., None], *args: Any) -> None:
        at = self.now()
        try:
            handler(*args, self.out)
            if not self.system.channel.own:
                self.handle_own()
        except AssertionError as fault:
            # The algorithm's own: it was not written for what happened.
            raise BrokenPromise("assertion", f"site {self.me}: {_where(fault)}") from fault
        self.steps += 1
        effects = self.out.take()
        if self.record is not None:
            out = tuple([packed(effect, self.system.messages) for effect in effects])
            self.record(Step(at / NS_PER_MS, self.me, do, out))
        # Who may enter enters now: the sends below take their time.
        for effect in effects:
            if effect[0] == GRANTED:
                self.clients.granted(effect[1], effect[2], effect[3])
        for effect in effects:
            self.carry_out(effect)

    # Effects.

    def handle_own(self) -> None:
        """What the site has sent itself is part of the step."""
        effects = self.out.kept
        i = 0
        while i < len(effects):
            effect = effects[i]
            if effect[0] == SEND and effect[1] == self.me:
                self.site.on_message(self.me, effect[2], self.out)
            i += 1

    def carry_out(self, effect: Effect) -> None:
        kind = effect[0]
        loop = asyncio.get_running_loop()
        if kind == SEND and effect[1] != self.me:
            self.sent += 1
            self.integers += self.system.messages.integers(effect[2])
            self.send(effect[1], self.codec.encode(effect[2]))
        elif kind == SEND and self.system.channel.own:
            loop.call_soon(self.deliver, self.me, effect[2])
        elif kind == GRANTED and effect[5] != NO_SETUP:
            loop.call_soon(self.setup_done, effect[4])
        elif kind == TIMER:
            self.disarm(effect[1])
            self.timers[effect[1]] = loop.call_later(effect[2] / 1000, self.ring, effect[1])
        elif kind == CANCEL_TIMER:
            self.disarm(effect[1])
        elif kind == PERSIST:
            loop.call_soon(self.persisted, effect[1])

    def disarm(self, tag: int) -> None:
        timer = self.timers.pop(tag, None)
        if timer is not None:
            timer.cancel()


def _where(fault: AssertionError) -> str:
    """Its words, or else its place."""
    last = traceback.extract_tb(fault.__traceback__)[-1]
    return str(fault) or f"{Path(last.filename).name}:{last.lineno}: assert in {last.name}"
