"""A coordinator that uses the whole contract: what drivers are tried out on.

The first member keeps the queue and the slots.  A session is persisted before its first grant;
its first entrant sets it up; an empty one lingers on a timer.  A view begins with everybody's
calls, from which the new coordinator makes its tables; what changed after the report is told again.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grouplock.properties import (
    CONCURRENT_ENTRY,
    EXCLUSION,
    NO_DEADLOCK,
    SERVED,
    TOGETHER,
)
from grouplock.protocol.channel import Channel
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, Groups
from grouplock.protocol.message import COUNT, FLAG, GROUPS, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site
from grouplock.protocol.system import (
    CANCEL,
    CRASH,
    LEASES,
    MANY,
    RECORDS,
    SETS,
    SETUP,
    SLOTS,
    TIMERS,
    VIEWS,
    System,
)
from grouplock.protocol.view import View

CLOSED, WRITING, PREPARING, OPEN = range(4)  # what a slot does
LINGER: Final = 5.0


class Ask(Message):
    def __init__(self, epoch: int, rid: int, groups: Groups) -> None:
        self.epoch, self.rid, self.groups = epoch, rid, groups


class Grant(Message):
    """`old` is two more than what `granted` says about the setup."""

    def __init__(self, epoch: int, rid: int, group: int, slot: int, session: int, old: int) -> None:
        self.epoch, self.rid, self.group = epoch, rid, group
        self.slot, self.session, self.old = slot, session, old


class Done(Message):
    def __init__(self, epoch: int, rid: int) -> None:
        self.epoch, self.rid = epoch, rid


class Ready(Message):
    def __init__(self, epoch: int, session: int, ok: bool) -> None:
        self.epoch, self.session, self.ok = epoch, session, ok


MESSAGES: Final = Messages(
    Shape(Ask, epoch=COUNT, rid=COUNT, groups=GROUPS),
    Shape(Grant, epoch=COUNT, rid=COUNT, group=COUNT, slot=COUNT, session=COUNT, old=COUNT),
    Shape(Done, epoch=COUNT, rid=COUNT),
    Shape(Ready, epoch=COUNT, session=COUNT, ok=FLAG),
)


class Call(NamedTuple):
    """A request of ours; session 0: it waits."""

    rid: int
    groups: Groups
    group: int = 0
    slot: int = 0
    session: int = 0
    preparing: bool = False


class Slot(NamedTuple):
    phase: int = CLOSED
    group: int = UNKNOWN_GROUP  # also of the last session, when closed
    last: int = UNKNOWN_GROUP  # what the slot is set up for
    session: int = 0
    inside: tuple[tuple[int, int], ...] = ()  # (site, rid)


State = tuple[Any, ...]


class Everything(Site[State]):
    def __init__(self, me: int, peers: list[int], slots: int) -> None:
        super().__init__(me, peers)
        self.slot_count: Final = slots
        self.epoch = self.promised = 0
        self.members = tuple(sorted([me, *peers]))
        self.calls: tuple[Call, ...] = ()
        self.reported: tuple[Call, ...] = ()
        self.early: tuple[tuple[int, Any], ...] = ()  # messages of later epochs
        self.queue: tuple[tuple[int, int, Groups], ...] = ()  # (site, rid, groups)
        self.slots = [Slot()] * slots
        self.lingering: tuple[int, ...] = ()
        self.sessions = 0

    def save(self) -> State:
        return (
            self.epoch, self.promised, self.members, self.calls, self.reported, self.early,
            self.queue, tuple(self.slots), self.lingering, self.sessions,
        )  # fmt: skip

    def load(self, state: State) -> None:
        (self.epoch, self.promised, self.members, self.calls, self.reported, self.early,
         self.queue, slots, self.lingering, self.sessions) = state  # fmt: skip
        self.slots = list(slots)

    # A client's site.

    def frozen(self) -> bool:
        """Between a report and its view nothing is said and nothing granted."""
        return self.promised > self.epoch

    def tell(self, msg: Message, out: Outbox) -> None:
        if not self.frozen():
            out.send(self.members[0], msg)

    def drop(self, rid: int, out: Outbox) -> None:
        self.calls = tuple(c for c in self.calls if c.rid != rid)
        self.tell(Done(self.epoch, rid), out)

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        self.calls += (Call(rid, groups),)
        self.tell(Ask(self.epoch, rid, groups), out)

    def release(self, rid: int, out: Outbox) -> None:
        self.drop(rid, out)

    def withdraw(self, rid: int, out: Outbox) -> None:
        self.drop(rid, out)
        out.withdrawn(rid)

    def expire(self, rid: int, out: Outbox) -> None:
        self.drop(rid, out)
        out.lost(rid)

    def force(self, rid: int, out: Outbox) -> None:
        self.expire(rid, out)

    def setup_done(self, session: int, ok: bool, out: Outbox) -> None:
        self.tell(Ready(self.epoch, session, ok), out)
        kept = [c for c in self.calls if c.session != session or ok or not c.preparing]
        self.calls = tuple(c._replace(preparing=False) if c.session == session else c for c in kept)

    def on_message(self, src: int, msg: Any, out: Outbox) -> None:
        if msg.epoch > self.epoch:
            self.early += ((src, MESSAGES.pack(msg)),)
        elif msg.epoch == self.epoch and not self.frozen():
            self.handle(src, msg, out)

    def handle(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Grant):
            self.on_grant(msg, out)
        elif isinstance(msg, Ask):
            self.queue += ((src, msg.rid, msg.groups),)
        elif isinstance(msg, Done):
            self.leave(src, msg.rid)
        elif isinstance(msg, Ready):
            self.on_ready(msg, out)
        self.serve(out)

    def on_grant(self, msg: Grant, out: Outbox) -> None:
        setup = msg.old - 2
        for at, c in enumerate(self.calls):
            if c.rid == msg.rid:
                inside = (msg.group, msg.slot, msg.session, setup != NO_SETUP)
                held = Call(c.rid, c.groups, *inside)
                self.calls = (*self.calls[:at], held, *self.calls[at + 1 :])
                out.granted(msg.rid, msg.group, msg.slot, msg.session, setup)
                return
        if setup != NO_SETUP:  # nobody is here any more who would set it up
            self.tell(Ready(self.epoch, msg.session, False), out)

    # The coordinator.

    def on_ready(self, msg: Ready, out: Outbox) -> None:
        for at, slot in enumerate(self.slots):
            if slot.phase == PREPARING and slot.session == msg.session:
                if msg.ok:
                    self.slots[at] = slot._replace(phase=OPEN, last=slot.group)
                else:
                    self.slots[at] = Slot()
                    out.ended(slot.session)

    def leave(self, site: int, rid: int) -> None:
        self.queue = tuple(w for w in self.queue if w[:2] != (site, rid))
        for at, slot in enumerate(self.slots):
            inside = tuple(h for h in slot.inside if h != (site, rid))
            self.slots[at] = slot._replace(inside=inside)

    def serve(self, out: Outbox) -> None:
        while self.queue and self.serve_head(out):
            pass
        for at, slot in enumerate(self.slots):
            if slot.phase == OPEN and not slot.inside and at not in self.lingering:
                self.lingering += (at,)
                out.timer(at, LINGER)

    def serve_head(self, out: Outbox) -> bool:
        site, rid, groups = self.queue[0]
        free = -1
        for at, slot in enumerate(self.slots):
            if slot.phase != CLOSED and slot.group in groups:
                if slot.phase != OPEN:
                    return False
                self.slots[at] = slot._replace(inside=(*slot.inside, (site, rid)))
                self.queue = self.queue[1:]
                self.stop_lingering(at, out)
                out.send(site, Grant(self.epoch, rid, slot.group, at, slot.session, 0))
                return True
            if slot.phase == CLOSED or (slot.phase == OPEN and not slot.inside):
                free = at
        if free < 0:
            return False
        self.close(free, out)
        self.sessions += 1
        last = self.slots[free].last
        self.slots[free] = Slot(WRITING, groups[0], last, self.sessions, ((site, rid),))
        self.queue = self.queue[1:]
        out.persist((self.sessions,))
        return True

    def close(self, at: int, out: Outbox) -> None:
        self.stop_lingering(at, out)
        if self.slots[at].phase != CLOSED:
            out.ended(self.slots[at].session)
            self.slots[at] = Slot(last=self.slots[at].last)

    def stop_lingering(self, at: int, out: Outbox) -> None:
        if at in self.lingering:
            self.lingering = tuple(s for s in self.lingering if s != at)
            out.cancel_timer(at)

    def on_timer(self, tag: int, out: Outbox) -> None:
        self.lingering = tuple(s for s in self.lingering if s != tag)
        if not self.slots[tag].inside:
            self.close(tag, out)

    def persisted(self, record: tuple[Any, ...], out: Outbox) -> None:
        for at, slot in enumerate(self.slots):
            if slot.phase == WRITING and slot.session == record[0] and not self.frozen():
                if not slot.inside:
                    self.close(at, out)
                    continue
                fits = slot.last == slot.group
                self.slots[at] = slot._replace(phase=OPEN if fits else PREPARING)
                site, rid = slot.inside[0]
                old = 0 if fits else slot.last + 2
                out.send(site, Grant(self.epoch, rid, slot.group, at, slot.session, old))
        if not self.frozen():
            self.serve(out)

    # Crashes, views, a new process.

    def on_crash(self, peer: int, out: Outbox) -> None:
        """Its requests need no place any more; its holds wait for the view."""
        self.queue = tuple(w for w in self.queue if w[0] != peer)
        if not self.frozen():
            self.serve(out)

    def on_report(self, epoch: int, out: Outbox) -> None:
        self.promised, self.reported = epoch, self.calls
        for at in self.lingering:
            out.cancel_timer(at)
        self.lingering = ()
        out.report((self.sessions, self.calls))

    def on_view(self, view: View, out: Outbox) -> None:
        if view.epoch < self.promised:
            return  # a newer one is being made
        self.epoch, self.members = view.epoch, view.members
        self.queue, self.slots = (), [Slot()] * self.slot_count
        if self.me == self.members[0]:
            for site, (sessions, calls) in view.reports:
                self.sessions = max(self.sessions, sessions)
                for call in calls:
                    self.take_over(site, Call(*call))
        for call in self.reported:
            now = [c for c in self.calls if c.rid == call.rid]
            if call.preparing and not (now and now[0].preparing):
                self.tell(Ready(self.epoch, call.session, bool(now)), out)
            if not now:
                self.tell(Done(self.epoch, call.rid), out)
        for call in self.calls:
            if call.rid not in [c.rid for c in self.reported]:
                self.tell(Ask(self.epoch, call.rid, call.groups), out)
        early, self.early = self.early, ()
        for src, packed in early:
            self.on_message(src, MESSAGES.unpack(packed, len(self.peers) + 1), out)
        self.serve(out)

    def take_over(self, site: int, call: Call) -> None:
        if call.session == 0:
            self.queue += ((site, call.rid, call.groups),)
            return
        self.sessions = max(self.sessions, call.session)
        slot = self.slots[call.slot]
        inside = (*slot.inside, (site, call.rid))
        phase = PREPARING if call.preparing else OPEN
        self.slots[call.slot] = Slot(phase, call.group, call.group, call.session, inside)

    def on_restart(self, records: list[tuple[Any, ...]], out: Outbox) -> None:
        """Nothing is done before the view that has us in it."""
        self.epoch, self.promised = -1, 0
        for record in records:
            self.sessions = max(self.sessions, record[0])


def everything(n: int, slots: int = 1, own: bool = True) -> System:
    """`own`: what a site sends itself goes through a channel; else it is part of the step."""

    def make(me: int) -> Everything:
        return Everything(me, [site for site in range(n) if site != me], slots)

    return System(
        name="everything",
        options={},
        n=n,
        slots=slots,
        shared=True,
        channel=Channel(fifo=True, own=own),
        supports=(MANY, CANCEL, SLOTS, SETS, TIMERS, SETUP, CRASH, VIEWS, LEASES, RECORDS),
        promises=(EXCLUSION, SERVED, NO_DEADLOCK, CONCURRENT_ENTRY, TOGETHER),
        messages=MESSAGES,
        make=make,
    )
