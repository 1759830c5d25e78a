"""Manabe and Park's algorithm: the group is chosen last, and whoever accepts it is called in.

Idea: a request goes to a quorum before it has a group.  With the permission of all of them the
requester is a pivot: it chooses one of its groups and tells it to its quorum, and each manager
there calls in all who accept that group, for as long as the pivot is inside.  Because any two
quorums meet, whoever accepts the pivot's group hears of it.  A pivot that leaves closes its
quorum in two rounds: each manager waits until those that it called have left, and only when all
have said so is the quorum free.  A permission that was given too early is recalled, as in
Sanders' algorithm.
Source: Y. Manabe, J. Park, A quorum-based extended group mutual exclusion algorithm without
unnecessary blocking, ICPADS 2004 (paper 001); its figure 1 with a request's clock in every
message and a record of its own for the closing (docs/errata/001.md).
Channels: FIFO.  Cost: 6(q-1) messages for a pivot alone, 3(q-1) for a follower, 9(q-1) at worst;
2 hops to enter, 4 to hand over.
"""

from __future__ import annotations

from bisect import insort
from typing import Final, NamedTuple, final

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, GROUPS, SITE, Message, Messages, Records, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

# What a manager's permission is doing.
VACANT: Final = 0  # nobody has it
OFFERED: Final = 1  # given, and the holder has not said yet that it is a pivot
RECALLED: Final = 2  # offered, and asked back for an older request
LOCKED: Final = 3  # the holder is a pivot and inside
CLOSING: Final = 4  # the pivot has left, and somebody may still be inside

NOBODY: Final = -1
NO_GROUPS: Final[Groups] = ()

Tag = tuple[int, int]  # a request: its stamp and its site; the older one is the smaller
Queued = tuple[int, int, Groups]  # stamp, site, groups


@final
class Waiter:
    """A request that waits at the manager who tells of it."""

    def __init__(self, site: int, stamp: int, groups: Groups) -> None:
        self.site: Final = site
        self.stamp: Final = stamp
        self.groups: Final = groups


# To managers, of a request of the sender's; `stamp` says of which.


@final
class Ask(Message):
    def __init__(self, stamp: int, groups: Groups) -> None:
        self.stamp: Final = stamp
        self.groups: Final = groups


@final
class Lock(Message):
    def __init__(self, stamp: int, group: int) -> None:
        self.stamp: Final = stamp
        self.group: Final = group


@final
class Cancelled(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class NoNeed(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Release(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Over(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


# From managers, of a request of the addressee's.


@final
class Ok(Message):
    """`waiters`: who else waits there, if the group is to be chosen for them too."""

    def __init__(self, stamp: int, waiters: list[Waiter]) -> None:
        self.stamp: Final = stamp
        self.waiters: Final = waiters


@final
class Enter(Message):
    def __init__(self, stamp: int, group: int) -> None:
        self.stamp: Final = stamp
        self.group: Final = group


@final
class Cancel(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Finished(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


WAITER: Final = Shape(Waiter, site=SITE, stamp=COUNT, groups=GROUPS)
MESSAGES: Final = Messages(
    Shape(Ask, stamp=COUNT, groups=GROUPS),
    Shape(Lock, stamp=COUNT, group=COUNT),
    Shape(Cancelled, stamp=COUNT),
    Shape(NoNeed, stamp=COUNT),
    Shape(Release, stamp=COUNT),
    Shape(Over, stamp=COUNT),
    Shape(Ok, stamp=COUNT, waiters=Records(WAITER)),
    Shape(Enter, stamp=COUNT, group=COUNT),
    Shape(Cancel, stamp=COUNT),
    Shape(Finished, stamp=COUNT),
)


class State(NamedTuple):
    clock: int
    phase: int
    rid: int
    wanted: Groups
    stamp: int
    oks: tuple[int, ...]
    others: tuple[tuple[int, int, Groups], ...]
    caller: int
    closing: int
    finished: tuple[int, ...]
    status: int
    holder: Tag
    group: int
    queue: tuple[Queued, ...]
    called: tuple[Tag, ...]


@final
class ManabePark(Site[State]):
    def __init__(self, me: int, peers: list[int], quorum: list[int], for_waiters: bool) -> None:
        super().__init__(me, peers)
        self.quorum: Final = quorum
        self.for_waiters: Final = for_waiters
        self.clock = 0
        # As a requester: the present request.
        self.phase = IDLE
        self.rid = 0
        self.wanted = NO_GROUPS
        self.stamp = 0
        self.oks: list[int] = []  # managers whose permission we have, ascending
        self.others: list[Waiter] = []  # whom they told us of, by site
        self.caller = NOBODY  # the manager who called us in; nobody called a pivot
        # As a pivot that has left: its request, and the managers that have closed, ascending.
        self.closing = 0
        self.finished: list[int] = []
        # As a manager.
        self.status = VACANT
        self.holder: Tag = (0, 0)
        self.group = 0  # of the pivot that is inside
        self.queue: list[Queued] = []  # oldest first, the holder among them until it leaves
        self.called: list[Tag] = []  # who may be inside with this permission, in order

    # The requester.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.wanted, self.stamp = WAITING, rid, groups, self.clock
        self.tell_quorum(Ask(self.stamp, groups), NOBODY, out)  # L2

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.on_ask(src, msg, out)
        elif isinstance(msg, Ok):
            self.on_ok(src, msg, out)
        elif isinstance(msg, Lock):
            self.on_lock(src, msg, out)
        elif isinstance(msg, Enter):
            if self.waits(msg.stamp):
                self.caller = src  # L3
                self.tell_quorum(NoNeed(msg.stamp), src, out)  # L4
                self.enter(msg.group, out)
        elif isinstance(msg, NoNeed):
            self.on_no_need((msg.stamp, src), out)
        elif isinstance(msg, Release):
            self.on_release((msg.stamp, src), out)
        elif isinstance(msg, Finished):
            self.on_finished(src, msg.stamp, out)
        elif isinstance(msg, Over):
            assert (self.status, self.holder) == (CLOSING, (msg.stamp, src))
            self.offer(out)  # L5
        elif isinstance(msg, Cancel):
            if self.waits(msg.stamp):  # else our Lock or NoNeed is the answer
                if src in self.oks:
                    self.oks.remove(src)  # L6
                out.send(src, Cancelled(msg.stamp))  # L7
        elif isinstance(msg, Cancelled):
            self.on_cancelled((msg.stamp, src), out)

    def waits(self, stamp: int) -> bool:
        """Whether that request is ours and is not inside yet."""
        return self.phase == WAITING and self.stamp == stamp

    def tell_quorum(self, msg: Message, but: int, out: Outbox) -> None:
        for manager in self.quorum:
            if manager != but:
                out.send(manager, msg)

    def on_ok(self, manager: int, ok: Ok, out: Outbox) -> None:
        if not self.waits(ok.stamp):
            return
        insort(self.oks, manager)  # L8
        for waiter in ok.waiters:
            self.hear_of(waiter)
        if len(self.oks) == len(self.quorum):
            group = self.chosen()  # L9
            self.tell_quorum(Lock(self.stamp, group), NOBODY, out)  # L10
            self.enter(group, out)

    def hear_of(self, waiter: Waiter) -> None:
        """The newest request of each site counts."""
        at = 0
        while at < len(self.others) and self.others[at].site < waiter.site:
            at += 1
        if at == len(self.others) or self.others[at].site > waiter.site:
            self.others.insert(at, waiter)
        elif self.others[at].stamp < waiter.stamp:
            self.others[at] = waiter

    def chosen(self) -> int:
        """The group that most waiters accept, as far as we heard; the first of equals."""
        best, most = self.wanted[0], -1
        for group in self.wanted:
            accepted = 0
            for waiter in self.others:
                if group in waiter.groups:
                    accepted += 1
            if accepted > most:
                best, most = group, accepted
        return best

    def enter(self, group: int, out: Outbox) -> None:
        self.phase, self.oks, self.others = INSIDE, [], []
        out.granted(self.rid, group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        if self.caller == NOBODY:
            assert self.closing == 0
            self.closing = self.stamp  # L11
            self.tell_quorum(Release(self.stamp), NOBODY, out)  # L12
        else:
            out.send(self.caller, NoNeed(self.stamp))  # L13
        self.phase, self.rid, self.wanted, self.stamp = IDLE, 0, NO_GROUPS, 0
        self.caller = NOBODY

    def on_finished(self, manager: int, stamp: int, out: Outbox) -> None:
        assert self.closing == stamp
        insort(self.finished, manager)  # L14
        if len(self.finished) == len(self.quorum):
            self.closing, self.finished = 0, []
            self.tell_quorum(Over(stamp), NOBODY, out)  # L15

    # The manager.

    def offer(self, out: Outbox) -> None:
        """Give the permission to the oldest request, if there is any."""
        self.called, self.group = [], 0
        if not self.queue:
            self.status, self.holder = VACANT, (0, 0)  # L16
            return
        stamp, site, _ = self.queue[0]
        self.status, self.holder = OFFERED, (stamp, site)  # L17
        waiters: list[Waiter] = []
        if self.for_waiters:
            waiters = [Waiter(w[1], w[0], w[2]) for w in self.queue[1:]]
        out.send(site, Ok(stamp, waiters))  # L18

    def on_cancelled(self, who: Tag, out: Outbox) -> None:
        if self.status == RECALLED and self.holder == who:
            self.offer(out)  # L19

    def on_ask(self, src: int, ask: Ask, out: Outbox) -> None:
        self.clock = max(self.clock, ask.stamp)  # L20
        insort(self.queue, (ask.stamp, src, ask.groups))  # L21
        if self.status == VACANT:
            self.offer(out)  # L22
        elif self.status == OFFERED:
            if self.queue[0][1] == src:
                self.status = RECALLED  # L23
                out.send(self.holder[1], Cancel(self.holder[0]))  # L24
        elif self.status == LOCKED and self.group in ask.groups:
            self.call((ask.stamp, src), out)  # L25

    def call(self, who: Tag, out: Outbox) -> None:
        insort(self.called, who)
        out.send(who[1], Enter(who[0], self.group))

    def on_lock(self, src: int, lock: Lock, out: Outbox) -> None:
        pivot = (lock.stamp, src)
        assert self.status in (OFFERED, RECALLED)
        assert self.holder == pivot
        self.status, self.group, self.called = LOCKED, lock.group, [pivot]  # L26
        for stamp, site, groups in self.queue:
            if (stamp, site) != pivot and lock.group in groups:
                self.call((stamp, site), out)  # L27

    def on_release(self, pivot: Tag, out: Outbox) -> None:
        assert (self.status, self.holder) == (LOCKED, pivot)
        self.status = CLOSING  # L28
        self.forget(pivot)
        self.called.remove(pivot)
        self.close_if_empty(out)  # L29

    def on_no_need(self, who: Tag, out: Outbox) -> None:
        self.forget(who)  # L30
        if who == self.holder:
            assert self.status in (OFFERED, RECALLED)
            self.offer(out)  # L31
        elif who in self.called:
            self.called.remove(who)  # L32
            self.close_if_empty(out)  # L33

    def forget(self, who: Tag) -> None:
        self.queue = [w for w in self.queue if w[0] != who[0] or w[1] != who[1]]

    def close_if_empty(self, out: Outbox) -> None:
        """The pivot is among the called, so nobody is left only after it has left."""
        if not self.called:
            out.send(self.holder[1], Finished(self.holder[0]))  # L34

    def save(self) -> State:
        return State(
            self.clock,
            self.phase,
            self.rid,
            self.wanted,
            self.stamp,
            tuple(self.oks),
            tuple([(w.site, w.stamp, w.groups) for w in self.others]),
            self.caller,
            self.closing,
            tuple(self.finished),
            self.status,
            self.holder,
            self.group,
            tuple(self.queue),
            tuple(self.called),
        )

    def load(self, state: State) -> None:
        self.clock, self.phase, self.rid = state.clock, state.phase, state.rid
        self.wanted, self.stamp = state.wanted, state.stamp
        self.oks, self.caller = list(state.oks), state.caller
        self.others = [Waiter(*waiter) for waiter in state.others]
        self.closing, self.finished = state.closing, list(state.finished)
        self.status, self.holder, self.group = state.status, state.holder, state.group
        self.queue, self.called = list(state.queue), list(state.called)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> ManabePark:
    assert pick is not None
    quorum = pick.quorum(me)
    assert quorum is not None
    return ManabePark(me, peers, list(quorum), options["choice"] == "waiters")
