"""Surrogate: who has locked a quorum invites others of its group in, who need no locks then.

Idea: Maekawa's algorithm, in which a lock comes with the requests of the same group that wait for
it.  Who has all locks of its quorum leads: it invites them, and its quorum stays locked, as a
surrogate for theirs, until everybody has left.  A leader gives each follower a part of a weight;
an arbiter is free again when the parts that were given back to it add up to the whole.
Source: paper 000, sections IV (figures 1 and 2), VIII.A and VIII.B.
Channels: FIFO.  Cost: 3(q-1) messages alone, O(q) at most; 2 hops to enter, 2 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.fulfilled import MARKS, Fulfilled, FulfilledState, Mark
from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.preemption import (
    NOBODY,
    PREEMPTION,
    Failed,
    Inquire,
    Locks,
    LocksState,
    Relinquish,
    Stamp,
)
from grouplock.parts.tenure import Tenure, TenureState, load_tenure, save_tenure
from grouplock.parts.weights import NOTHING, Weight
from grouplock.parts.wishes import (
    WISHES,
    Desk,
    DeskState,
    Heard,
    HeardState,
    Wish,
    meet,
    most_wanted,
)
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, GROUPS, SITE, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick, Quorum
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

# Each message names the request that it is about by its clock, and by its site where that is
# neither the sender nor the receiver.


@final
class Request(Message):
    def __init__(self, clock: int, groups: Groups) -> None:
        self.clock: Final = clock
        self.groups: Final = groups


@final
class Locked(Message):
    """With who waits for this lock: those that may be invited, and those that may not."""

    def __init__(
        self, clock: int, wishes: list[Wish], news: list[Mark], conflicts: list[Mark]
    ) -> None:
        self.clock: Final = clock
        self.wishes: Final = wishes
        self.news: Final = news  # requests that are fulfilled
        self.conflicts: Final = conflicts


@final
class Invite(Message):
    def __init__(self, clock: int, leading: int, group: int, num: int, den: int) -> None:
        self.clock: Final = clock
        self.leading: Final = leading  # the clock of the sender's request
        self.group: Final = group
        self.num: Final = num
        self.den: Final = den


@final
class Cancel(Message):
    def __init__(self, clock: int) -> None:
        self.clock: Final = clock


@final
class Leave(Message):
    def __init__(self, clock: int, leading: int) -> None:
        self.clock: Final = clock
        self.leading: Final = leading  # the clock of the receiver's request


@final
class Released(Message):
    """A part of the leader's weight comes back; `done` are requests that are fulfilled."""

    def __init__(self, clock: int, leader: int, done: list[Mark], num: int, den: int) -> None:
        self.clock: Final = clock
        self.leader: Final = leader
        self.done: Final = done
        self.num: Final = num
        self.den: Final = den


@final
class Forward(Message):
    """To who holds the lock: somebody else asks who may be invited."""

    def __init__(self, leading: int, clock: int, site: int, groups: Groups) -> None:
        self.leading: Final = leading  # the clock of the receiver's request
        self.clock: Final = clock
        self.site: Final = site
        self.groups: Final = groups


@final
class Stepdown(Message):
    """To who holds the lock: somebody else asks who may not be invited."""

    def __init__(self, leading: int, clock: int, site: int) -> None:
        self.leading: Final = leading
        self.clock: Final = clock
        self.site: Final = site


MESSAGES: Final = Messages(
    Shape(Request, clock=COUNT, groups=GROUPS),
    Shape(Locked, clock=COUNT, wishes=WISHES, news=MARKS, conflicts=MARKS),
    Shape(Invite, clock=COUNT, leading=COUNT, group=COUNT, num=COUNT, den=COUNT),
    Shape(Cancel, clock=COUNT),
    Shape(Leave, clock=COUNT, leading=COUNT),
    Shape(Released, clock=COUNT, leader=SITE, done=MARKS, num=COUNT, den=COUNT),
    Shape(Forward, leading=COUNT, clock=COUNT, site=SITE, groups=GROUPS),
    Shape(Stepdown, leading=COUNT, clock=COUNT, site=SITE),
    *PREEMPTION,
)


class Rules(NamedTuple):
    """The options."""

    leaves: bool  # a follower reports to its leader, not to its leader's arbiters
    listed: bool  # sites keep and pass on what is fulfilled
    enters: bool  # who comes later may be invited too
    pivots: bool  # as long as the leader is inside, whoever else waits


class State(NamedTuple):
    phase: int
    rid: int
    groups: Groups
    clock: int
    current: int
    locks: LocksState
    heard: HeardState
    leader: Stamp
    weight: Weight
    tenure: TenureState
    desk: DeskState
    fulfilled: FulfilledState


@final
class Surrogate(Site[State]):
    def __init__(self, me: int, peers: list[int], pick: Pick, rules: Rules) -> None:
        super().__init__(me, peers)
        self.pick: Final = pick
        self.rules: Final = rules
        self.quorum: Final = quorum_of(pick, me)
        # As a requester.
        self.phase = IDLE
        self.rid = 0
        self.groups: Groups = ()
        self.clock = 0
        self.current = 0  # the clock of the present request
        self.locks: Final = Locks()
        self.heard: Final = Heard()
        self.leader = NOBODY  # whose follower is inside
        self.weight = NOTHING  # what a follower has to give back
        self.tenure: Tenure | None = None
        # As an arbiter.
        self.desk: Final = Desk()
        self.fulfilled: Final = Fulfilled()

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Locked):
            self.on_locked(src, msg, out)
        elif isinstance(msg, Failed):
            self.on_failed(src, msg, out)
        elif isinstance(msg, Inquire):
            self.on_inquire(src, msg, out)
        elif isinstance(msg, Invite):
            self.on_invite(src, msg, out)
        elif isinstance(msg, Leave):
            self.on_leave(src, msg, out)
        elif isinstance(msg, Forward):
            self.on_forward(msg, out)
        elif isinstance(msg, Stepdown):
            self.on_stepdown(msg, out)
        elif isinstance(msg, Request):
            self.on_request(src, msg, out)
        elif isinstance(msg, Relinquish):
            self.on_relinquish(src, msg, out)
        elif isinstance(msg, Cancel):
            self.on_cancel(src, msg, out)
        elif isinstance(msg, Released):
            self.on_released(msg, out)

    # The requester.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.groups, self.current = WAITING, rid, groups, self.clock
        self.tell(self.quorum, Request(self.current, groups), out)  # L2

    def on_locked(self, src: int, msg: Locked, out: Outbox) -> None:
        for mark in msg.news:
            self.fulfilled.mark((mark.clock, mark.site))  # L3
        if not self.waits_with(msg.clock):
            return
        self.locks.gain(src)  # L4
        self.heard.queued[src] = msg.wishes
        for mark in msg.conflicts:
            self.heard.conflict((mark.clock, mark.site))  # L5
        if len(self.locks.held) == len(self.quorum):
            self.lead(out)

    def on_failed(self, src: int, msg: Failed, out: Outbox) -> None:
        if self.waits_with(msg.clock):
            self.locks.refuse(src)  # L6
            self.hand_over(out)

    def on_inquire(self, src: int, msg: Inquire, out: Outbox) -> None:
        if self.waits_with(msg.clock):  # else the answer is our Cancel or our Released
            self.locks.want(src)  # L7
            self.hand_over(out)

    def hand_over(self, out: Outbox) -> None:
        for arbiter in self.locks.hand_over():
            del self.heard.queued[arbiter]
            out.send(arbiter, Relinquish(self.current))  # L8

    def waits_with(self, clock: int) -> bool:
        """Whether the message is about the present request, and that is not inside."""
        return self.phase == WAITING and clock == self.current

    # The leader.

    def lead(self, out: Outbox) -> None:
        assert self.tenure is None
        waiting = self.heard.waiting((self.current, self.me), self.fulfilled)
        group = most_wanted(self.groups, waiting)
        self.tenure = Tenure(self.current, group)  # L9
        welcome = [stamp for stamp, groups in waiting if group in groups]
        self.invite(self.tenure, welcome, out)  # L10
        if self.rules.enters:
            unmet = [stamp for stamp in self.heard.conflicts if not self.fulfilled.knows(stamp)]
            self.tenure.closed = bool(unmet) or len(welcome) < len(waiting)  # L11
        self.enter(group, out)

    def invite(self, tenure: Tenure, guests: list[Stamp], out: Outbox) -> None:
        num, den = NOTHING if self.rules.leaves else tenure.give(len(guests))
        for guest in guests:
            if self.rules.leaves or self.rules.enters:
                tenure.guests.append(guest)
            out.send(guest[1], Invite(guest[0], tenure.clock, tenure.group, num, den))

    def on_leave(self, src: int, msg: Leave, out: Outbox) -> None:
        tenure = self.tenure_of(msg.leading)
        if tenure is None:
            return
        tenure.guests.remove((msg.clock, src))  # L12
        if self.rules.listed:
            self.fulfilled.mark((msg.clock, src))
        else:
            tenure.done.append((msg.clock, src))
        self.end_tenure(tenure, out)

    def on_forward(self, msg: Forward, out: Outbox) -> None:
        stamp = (msg.clock, msg.site)
        tenure = self.tenure_of(msg.leading)
        if self.waits_with(msg.leading):
            self.heard.forwarded[stamp] = msg.groups  # L13
        elif tenure is None or stamp in tenure.guests or self.fulfilled.knows(stamp):
            return
        elif tenure.group not in msg.groups:
            self.close(tenure, out)  # L14
        elif not tenure.closed or (self.rules.pivots and tenure.inside):
            self.invite(tenure, [stamp], out)  # L15

    def on_stepdown(self, msg: Stepdown, out: Outbox) -> None:
        stamp = (msg.clock, msg.site)
        tenure = self.tenure_of(msg.leading)
        if self.waits_with(msg.leading):
            self.heard.conflict(stamp)  # L16
        elif tenure is not None and not self.fulfilled.knows(stamp):
            self.close(tenure, out)  # L17

    def tenure_of(self, clock: int) -> Tenure | None:
        """The tenure that the message is about, if it is not over."""
        return self.tenure if self.tenure is not None and self.tenure.clock == clock else None

    def close(self, tenure: Tenure, out: Outbox) -> None:
        tenure.closed = True
        self.end_tenure(tenure, out)

    def end_tenure(self, tenure: Tenure, out: Outbox) -> None:
        if not tenure.over():
            return
        done = [Mark(clock, site) for clock, site in sorted(tenure.done)]
        done.append(Mark(tenure.clock, self.me))
        self.tenure = None
        self.tell(self.quorum, Released(tenure.clock, self.me, done, 1, tenure.parts), out)  # L18

    # The follower.

    def on_invite(self, src: int, msg: Invite, out: Outbox) -> None:
        if self.waits_with(msg.clock):
            self.leader, self.weight = (msg.leading, src), (msg.num, msg.den)  # L19
            self.tell(self.quorum, Cancel(self.current), out)  # L20
            self.enter(msg.group, out)
        elif self.rules.leaves:
            out.send(src, Leave(msg.clock, msg.leading))  # L21
        else:
            assert not self.rules.listed, "who is known to be fulfilled is not invited"
            self.give_back((msg.leading, src), msg.clock, (msg.num, msg.den), out)  # L22

    def give_back(self, leader: Stamp, clock: int, weight: Weight, out: Outbox) -> None:
        done = [Mark(clock, self.me)]
        back = Released(leader[0], leader[1], done, weight[0], weight[1])
        self.tell(quorum_of(self.pick, leader[1]), back, out)

    # Both.

    def enter(self, group: int, out: Outbox) -> None:
        self.phase = INSIDE
        self.locks.clear()
        self.heard.clear()
        out.granted(self.rid, group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        clock, leader, weight = self.current, self.leader, self.weight
        self.phase, self.rid, self.groups, self.current = IDLE, 0, (), 0
        self.leader, self.weight = NOBODY, NOTHING
        if leader == NOBODY:
            assert self.tenure is not None
            self.tenure.inside = False  # L23
            self.end_tenure(self.tenure, out)
            return
        if not self.rules.leaves:
            self.give_back(leader, clock, weight, out)  # L24
        if self.rules.leaves or self.rules.enters:
            out.send(leader[1], Leave(clock, leader[0]))  # L25

    def tell(self, sites: Quorum, msg: Message, out: Outbox) -> None:
        others = [site for site in sites if site != self.me]
        out.broadcast(others, msg)
        if len(others) < len(sites):
            out.send(self.me, msg)

    # The arbiter.

    def on_request(self, src: int, msg: Request, out: Outbox) -> None:
        self.clock = max(self.clock, msg.clock)  # L26
        stamp = (msg.clock, src)
        refused = self.desk.arrive(stamp, msg.groups)
        leading, holder = self.desk.arbiter.holder
        if holder < 0:
            self.lend(out)
            return
        if refused != NOBODY:
            out.send(refused[1], Failed(refused[0]))  # L27
        if self.desk.arbiter.recall():
            out.send(holder, Inquire(leading))  # L28
        if self.rules.enters:
            if not meet(msg.groups, self.desk.groups[(leading, holder)]):
                out.send(holder, Stepdown(leading, msg.clock, src))  # L29
            elif self.rules.pivots or not self.desk.conflicts():
                self.forward(stamp, out)  # L30

    def on_relinquish(self, src: int, msg: Relinquish, out: Outbox) -> None:
        if self.desk.arbiter.give_back((msg.clock, src)):
            self.lend(out)  # L31

    def on_cancel(self, src: int, msg: Cancel, out: Outbox) -> None:
        stamp = (msg.clock, src)
        self.finish(stamp)
        if stamp == self.desk.arbiter.holder:
            assert self.desk.returned == NOTHING
            self.lend(out)  # L32
        else:
            self.forward_rest(out)

    def on_released(self, msg: Released, out: Outbox) -> None:
        assert self.desk.arbiter.holder == (msg.clock, msg.leader)
        for mark in msg.done:
            self.finish((mark.clock, mark.site))
        if self.desk.come_back((msg.num, msg.den)):
            self.lend(out)  # L33
        else:
            self.forward_rest(out)

    def finish(self, stamp: Stamp) -> None:
        """The request is fulfilled: it waits here no more."""
        if self.rules.listed:
            self.fulfilled.mark(stamp)  # L34
        self.desk.drop(stamp)  # L35

    def lend(self, out: Outbox) -> None:
        clock, site = self.desk.lend()
        if site < 0:
            return
        wishes, conflicts = self.desk.welcome(), []
        if self.rules.enters:
            self.desk.handed = [(wish.clock, wish.site) for wish in wishes]
            conflicts = [Mark(stamp[0], stamp[1]) for stamp in self.desk.conflicts()]
        out.send(site, Locked(clock, wishes, self.fulfilled.news(site), conflicts))  # L36

    def forward_rest(self, out: Outbox) -> None:
        """If it was the last conflict that waits no more, the holder may invite the others."""
        if not self.rules.enters or self.desk.arbiter.holder == NOBODY or self.desk.conflicts():
            return
        for wish in self.desk.welcome():
            if (wish.clock, wish.site) not in self.desk.handed:
                self.forward((wish.clock, wish.site), out)  # L37

    def forward(self, stamp: Stamp, out: Outbox) -> None:
        leading, holder = self.desk.arbiter.holder
        self.desk.handed.append(stamp)
        out.send(holder, Forward(leading, stamp[0], stamp[1], self.desk.groups[stamp]))

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.groups,
            self.clock,
            self.current,
            self.locks.save(),
            self.heard.save(),
            self.leader,
            self.weight,
            save_tenure(self.tenure),
            self.desk.save(),
            self.fulfilled.save(),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.groups = state.phase, state.rid, state.groups
        self.clock, self.current = state.clock, state.current
        self.locks.load(state.locks)
        self.heard.load(state.heard)
        self.leader, self.weight = state.leader, state.weight
        self.tenure = load_tenure(state.tenure)
        self.desk.load(state.desk)
        self.fulfilled.load(state.fulfilled)


def quorum_of(pick: Pick, site: int) -> Quorum:
    quorum = pick.quorum(site)
    assert quorum is not None
    return quorum


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Surrogate:
    assert pick is not None
    entry = options["entry"]
    rules = Rules(
        leaves=options["release"] == "leave",
        listed=options["stale"] == "on",
        enters=entry != "off",
        pivots=entry == "pivot",
    )
    return Surrogate(me, peers, pick, rules)
