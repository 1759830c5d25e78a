"""A fixed coordinator: what an engineer would do, and the control for everything else.

Idea: site 0 keeps the queue and the slots.  A request joins the open session of an acceptable
group unless a request that came before it is still waiting; otherwise it opens a free slot, or
it waits.  Being served in order of arrival, nobody starves.
Source: folklore.  Channels: any order, exactly once.  Cost: three messages a request (none for
the coordinator's own clients); 2 hops to enter, 2 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, GROUPS, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

COORDINATOR: Final = 0
CLOSED: Final = -1  # the group of a slot that has no session


@final
class Ask(Message):
    def __init__(self, rid: int, groups: Groups) -> None:
        self.rid: Final = rid
        self.groups: Final = groups


@final
class Grant(Message):
    def __init__(self, rid: int, group: int, slot: int, session: int) -> None:
        self.rid: Final = rid
        self.group: Final = group
        self.slot: Final = slot
        self.session: Final = session


@final
class Done(Message):
    def __init__(self, rid: int) -> None:
        self.rid: Final = rid


@final
class Cancel(Message):
    def __init__(self, rid: int) -> None:
        self.rid: Final = rid


@final
class Cancelled(Message):
    def __init__(self, rid: int) -> None:
        self.rid: Final = rid


MESSAGES: Final = Messages(
    Shape(Ask, rid=COUNT, groups=GROUPS),
    Shape(Grant, rid=COUNT, group=COUNT, slot=COUNT, session=COUNT),
    Shape(Done, rid=COUNT),
    Shape(Cancel, rid=COUNT),
    Shape(Cancelled, rid=COUNT),
)


@final
class Slot:
    """A session's place: who is inside, as (site, rid)."""

    def __init__(self) -> None:
        self.group = CLOSED
        self.session = 0
        self.inside: list[tuple[int, int]] = []


class State(NamedTuple):
    wanted: tuple[int, ...]
    withdrawing: tuple[int, ...]
    queue: tuple[tuple[int, int, Groups], ...]
    slots: tuple[tuple[int, int, tuple[tuple[int, int], ...]], ...]
    sessions: int
    early: tuple[tuple[int, int], ...]


@final
class Central(Site[State]):
    def __init__(self, me: int, peers: list[int], slots: int, first_session: int = 0) -> None:
        super().__init__(me, peers)
        # As a client's site: requests of ours that are waiting, and those being withdrawn.
        self.wanted: list[int] = []
        self.withdrawing: list[int] = []
        # As the coordinator.
        self.queue: list[tuple[int, int, Groups]] = []  # (site, rid, groups), oldest first
        self.slots: Final = [Slot() for _ in range(slots if me == COORDINATOR else 0)]
        self.sessions = first_session
        self.early: list[tuple[int, int]] = []  # cancellations that overtook their request

    # The client's side.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert rid not in self.wanted
        self.wanted.append(rid)
        out.send(COORDINATOR, Ask(rid, groups))  # L1

    def release(self, rid: int, out: Outbox) -> None:
        out.send(COORDINATOR, Done(rid))  # L2

    def withdraw(self, rid: int, out: Outbox) -> None:
        if rid in self.wanted:
            self.wanted.remove(rid)
        self.withdrawing.append(rid)
        out.send(COORDINATOR, Cancel(rid))  # L3

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Grant):
            if msg.rid in self.wanted:  # a grant that crossed our cancellation is void
                self.wanted.remove(msg.rid)
                out.granted(msg.rid, msg.group, msg.slot, msg.session)  # L4
        elif isinstance(msg, Cancelled):
            self.withdrawing.remove(msg.rid)
            out.withdrawn(msg.rid)  # L5
        elif isinstance(msg, Ask):
            self.on_ask(src, msg, out)
        elif isinstance(msg, Done):
            self.leave(src, msg.rid)  # L6
            self.serve(out)
        elif isinstance(msg, Cancel):
            self.on_cancel(src, msg.rid, out)

    # The coordinator's side.

    def on_ask(self, src: int, ask: Ask, out: Outbox) -> None:
        if (src, ask.rid) in self.early:
            self.early.remove((src, ask.rid))  # L7
        else:
            self.queue.append((src, ask.rid, ask.groups))  # L8
            self.serve(out)

    def on_cancel(self, src: int, rid: int, out: Outbox) -> None:
        waiting = [w for w in self.queue if w[0] != src or w[1] != rid]
        if len(waiting) < len(self.queue):
            self.queue = waiting  # L9
        elif not self.leave(src, rid):
            self.early.append((src, rid))  # L10
        out.send(src, Cancelled(rid))  # L11
        self.serve(out)

    def serve(self, out: Outbox) -> None:
        """Let in from the head of the queue for as long as the head finds a place."""
        while self.queue:
            site, rid, groups = self.queue[0]
            place = self.place_for(groups)
            if place < 0:
                return
            slot = self.slots[place]
            if slot.group == CLOSED:
                self.sessions += 1
                slot.group, slot.session = groups[0], self.sessions  # L12
            slot.inside.append((site, rid))
            del self.queue[0]
            out.send(site, Grant(rid, slot.group, place, slot.session))  # L13

    def place_for(self, groups: Groups) -> int:
        """An open session of an acceptable group, else a free slot, else -1."""
        free = -1
        for place, slot in enumerate(self.slots):
            if slot.group in groups:
                return place  # L14
            if slot.group == CLOSED and free < 0:
                free = place
        return free

    def leave(self, site: int, rid: int) -> bool:
        for slot in self.slots:
            if (site, rid) in slot.inside:
                slot.inside.remove((site, rid))
                if not slot.inside:
                    slot.group, slot.session = CLOSED, 0  # L15
                return True
        return False

    def save(self) -> State:
        return State(
            tuple(self.wanted),
            tuple(self.withdrawing),
            tuple(self.queue),
            tuple([(s.group, s.session, tuple(s.inside)) for s in self.slots]),
            self.sessions,
            tuple(self.early),
        )

    def load(self, state: State) -> None:
        self.wanted = list(state.wanted)
        self.withdrawing = list(state.withdrawing)
        self.queue = list(state.queue)
        for slot, (group, session, inside) in zip(self.slots, state.slots, strict=True):
            slot.group, slot.session, slot.inside = group, session, list(inside)
        self.sessions = state.sessions
        self.early = list(state.early)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Central:
    return Central(me, peers, int(options["slots"]), int(options.get("first_session", 0)))
