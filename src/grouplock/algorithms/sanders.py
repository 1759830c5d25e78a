"""Surrogate over an information structure: whom one asks and whom one tells need not be the same.

Idea: a site asks its request set and, when it leaves, tells its inform set.  An arbiter that will
not be told by who asks lends it nothing: it agrees, and goes on to the next.  With quorums for
both this is surrogate; where everybody is asked and nobody but oneself told, it is Ricart and
Agrawala's algorithm with leaders and followers.
Source: paper 000, section VIII.C; B. A. Sanders, The information structure of distributed mutual
exclusion algorithms, ACM TOCS 5(3), 1987.
Channels: FIFO.  Cost: with request sets of r 2(r-1) messages alone and those to the inform set,
O(r) at most; 2 hops to enter, 2 to hand over, 1 with singleton inform sets.
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
from grouplock.parts.structures import OfEverybody, OfQuorums, Sites, Structure
from grouplock.parts.weights import NOTHING, WHOLE, Weight, plus, share
from grouplock.parts.wishes import WISHES, Desk, DeskState, Heard, HeardState, Wish, most_wanted
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, GROUPS, SITE, Message, Messages, Records, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Request(Message):
    def __init__(self, clock: int, groups: Groups) -> None:
        self.clock: Final = clock
        self.groups: Final = groups


@final
class Open:
    """The arbiter's own tenure, of which followers may be inside still, and its leader's weight."""

    def __init__(self, clock: int, num: int, den: int) -> None:
        self.clock: Final = clock
        self.num: Final = num
        self.den: Final = den


@final
class Locked(Message):
    """With who waits here and may be invited, what is fulfilled, and what is still open."""

    def __init__(self, clock: int, wishes: list[Wish], news: list[Mark], open: list[Open]) -> None:
        self.clock: Final = clock
        self.wishes: Final = wishes
        self.news: Final = news
        self.open: Final = open


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
class Released(Message):
    """The sender's part of the leader's weight; its request, of this clock, is fulfilled."""

    def __init__(self, leading: int, leader: int, clock: int, num: int, den: int) -> None:
        self.leading: Final = leading
        self.leader: Final = leader
        self.clock: Final = clock
        self.num: Final = num
        self.den: Final = den


MESSAGES: Final = Messages(
    Shape(Request, clock=COUNT, groups=GROUPS),
    Shape(
        Locked,
        clock=COUNT,
        wishes=WISHES,
        news=MARKS,
        open=Records(Shape(Open, clock=COUNT, num=COUNT, den=COUNT)),
    ),
    Shape(Invite, clock=COUNT, leading=COUNT, group=COUNT, num=COUNT, den=COUNT),
    Shape(Cancel, clock=COUNT),
    Shape(Released, leading=COUNT, leader=SITE, clock=COUNT, num=COUNT, den=COUNT),
    *PREEMPTION,
)

Part = tuple[int, Weight]  # of a leader's weight: the clock of its request, and how much
Parts = tuple[tuple[int, Part], ...]


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
    desk: DeskState
    fulfilled: FulfilledState
    opened: Part
    returned: Parts
    missed: Parts


CLOSED: Final[Part] = (0, WHOLE)


@final
class Sanders(Site[State]):
    def __init__(self, me: int, peers: list[int], structure: Structure, singleton: bool) -> None:
        super().__init__(me, peers)
        self.structure: Final = structure
        self.singleton: Final = singleton  # an arbiter waits for its own site alone
        self.asked: Final = structure.asks(me)
        # As a requester.
        self.phase = IDLE
        self.rid = 0
        self.groups: Groups = ()
        self.clock = 0
        self.current = 0  # the clock of the present request
        self.locks: Final = Locks()
        self.heard: Final = Heard()
        self.leader = NOBODY  # for whose request we are inside, our own perhaps
        self.weight = NOTHING  # what we have to give back
        # As an arbiter.
        self.desk: Final = Desk()
        self.fulfilled: Final = Fulfilled()
        # With singleton inform sets, by leader.
        self.opened = CLOSED  # our own last tenure, until its followers have left
        self.returned: dict[int, Part] = {}  # what followers have given back
        self.missed: dict[int, Part] = {}  # tenures that have to be over before we lead

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Locked):
            self.on_locked(src, msg, out)
        elif isinstance(msg, Failed):
            self.on_failed(src, msg, out)
        elif isinstance(msg, Inquire):
            self.on_inquire(src, msg, out)
        elif isinstance(msg, Invite):
            self.on_invite(src, msg, out)
        elif isinstance(msg, Request):
            self.on_request(src, msg, out)
        elif isinstance(msg, Relinquish):
            self.on_relinquish(src, msg, out)
        elif isinstance(msg, Cancel):
            self.on_cancel(src, msg, out)
        elif isinstance(msg, Released):
            self.on_released(src, msg, out)

    # The requester.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.groups, self.current = WAITING, rid, groups, self.clock
        self.tell(self.asked, Request(self.current, groups), out)  # L2

    def on_locked(self, src: int, msg: Locked, out: Outbox) -> None:
        for mark in msg.news:
            self.fulfilled.mark((mark.clock, mark.site))  # L3
        if not self.waits_with(msg.clock):
            return
        self.locks.gain(src)  # L4
        self.heard.queued[src] = msg.wishes
        if self.singleton:
            self.note_open(src, msg.open)
        self.lead_if_possible(out)

    def on_failed(self, src: int, msg: Failed, out: Outbox) -> None:
        if self.waits_with(msg.clock):
            self.locks.refuse(src)  # L5
            self.hand_over(out)

    def on_inquire(self, src: int, msg: Inquire, out: Outbox) -> None:
        if self.waits_with(msg.clock):
            self.locks.want(src)  # L6
            self.hand_over(out)

    def hand_over(self, out: Outbox) -> None:
        for arbiter in self.locks.hand_over():
            del self.heard.queued[arbiter]
            out.send(arbiter, Relinquish(self.current))  # L7

    def waits_with(self, clock: int) -> bool:
        """Whether the message is about the present request, and that is not inside."""
        return self.phase == WAITING and clock == self.current

    def lead_if_possible(self, out: Outbox) -> None:
        if len(self.locks.held) < len(self.asked) or self.missed:
            return
        own = (self.current, self.me)
        self.heard.queued[self.me] = self.desk.welcome()  # L8
        waiting = self.heard.waiting(own, self.fulfilled)
        group = most_wanted(self.groups, waiting)  # L9
        guests = [stamp for stamp, groups in waiting if group in groups]
        num, den = share(1, len(guests))
        for clock, site in guests:
            out.send(site, Invite(clock, self.current, group, num, den))  # L10
        self.enter(own, (1, 1 + len(guests)), group, out)

    def on_invite(self, src: int, msg: Invite, out: Outbox) -> None:
        assert self.waits_with(msg.clock), "who is known to be fulfilled is not invited"
        self.tell(self.asked, Cancel(self.current), out)  # L11
        self.enter((msg.leading, src), (msg.num, msg.den), msg.group, out)

    def enter(self, leader: Stamp, weight: Weight, group: int, out: Outbox) -> None:
        self.phase, self.leader, self.weight = INSIDE, leader, weight
        self.locks.clear()
        self.heard.clear()
        self.missed = {}
        out.granted(self.rid, group)  # L12

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        leader, weight, clock = self.leader, self.weight, self.current
        self.phase, self.rid, self.groups, self.current = IDLE, 0, (), 0
        self.leader, self.weight = NOBODY, NOTHING
        informed = self.structure.tells(leader[1])
        if self.singleton and leader[1] != self.me:
            informed = self.structure.askers(leader[1])  # L13
        self.tell(informed, Released(leader[0], leader[1], clock, weight[0], weight[1]), out)  # L14

    def tell(self, sites: Sites, msg: Message, out: Outbox) -> None:
        others = [site for site in sites if site != self.me]
        out.broadcast(others, msg)
        if len(others) < len(sites):
            out.send(self.me, msg)

    # The arbiter.

    def on_request(self, src: int, msg: Request, out: Outbox) -> None:
        self.clock = max(self.clock, msg.clock)  # L15
        refused = self.desk.arrive((msg.clock, src), msg.groups)
        if self.desk.arbiter.holder == NOBODY:
            self.lend(out)
            return
        if refused != NOBODY:
            out.send(refused[1], Failed(refused[0]))  # L16
        if self.desk.arbiter.recall():
            clock, site = self.desk.arbiter.holder
            out.send(site, Inquire(clock))  # L17

    def on_relinquish(self, src: int, msg: Relinquish, out: Outbox) -> None:
        if self.desk.arbiter.give_back((msg.clock, src)):
            self.lend(out)  # L18

    def on_cancel(self, src: int, msg: Cancel, out: Outbox) -> None:
        self.finish((msg.clock, src))  # L19
        if self.desk.arbiter.holder == (msg.clock, src):
            self.lend(out)  # L20

    def on_released(self, src: int, msg: Released, out: Outbox) -> None:
        leader, weight = (msg.leading, msg.leader), (msg.num, msg.den)
        self.finish((msg.clock, src))
        if not self.singleton:
            assert self.desk.arbiter.holder == leader
            if self.desk.come_back(weight):
                self.lend(out)  # L21
        elif leader == (msg.clock, src):
            assert self.opened == CLOSED
            self.opened = (msg.leading, weight) if weight != WHOLE else CLOSED  # L22
            self.lend(out)
        else:
            self.count_back(leader, weight)  # L23
            if self.phase == WAITING:
                self.lead_if_possible(out)

    def finish(self, stamp: Stamp) -> None:
        """The request is fulfilled: it waits here no more."""
        self.fulfilled.mark(stamp)
        self.desk.drop(stamp)

    def lend(self, out: Outbox) -> None:
        """To the oldest; and to the next, as long as we would not be told by who has it."""
        while True:
            clock, site = self.desk.lend()
            if site < 0:
                return
            news = self.fulfilled.news(site)
            out.send(site, Locked(clock, self.desk.welcome(), news, self.still_open()))  # L24
            if self.me in self.structure.tells(site):
                return  # L25

    # With singleton inform sets: tenures whose leader has left and whose followers may not have.

    def still_open(self) -> list[Open]:
        clock, weight = self.opened
        return [] if weight == WHOLE else [Open(clock, weight[0], weight[1])]

    def note_open(self, src: int, found: list[Open]) -> None:
        """What the arbiter does not say any more has come to its end there."""
        if not found:
            self.returned.pop(src, CLOSED)  # L26
            return
        self.missed[src] = (found[0].clock, (found[0].num, found[0].den))  # L27
        self.settle(src)

    def count_back(self, leader: Stamp, weight: Weight) -> None:
        clock, site = leader
        before = self.returned.get(site, CLOSED)
        if before[0] <= clock:
            had = before[1] if before[0] == clock else NOTHING
            self.returned[site] = (clock, plus(had, weight))  # L28
            self.settle(site)

    def settle(self, site: int) -> None:
        """If all of the weight of this leader is back: it need not be waited for."""
        clock, weight = self.returned.get(site, CLOSED)
        missed = self.missed.get(site, CLOSED)
        if missed[0] == clock and plus(missed[1], weight) == WHOLE:
            self.missed.pop(site, CLOSED)  # L29
        if site == self.me and self.opened[0] == clock and plus(self.opened[1], weight) == WHOLE:
            self.opened = CLOSED  # L30
            self.returned.pop(site, CLOSED)

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
            self.desk.save(),
            self.fulfilled.save(),
            self.opened,
            tuple([(site, self.returned[site]) for site in sorted(self.returned)]),
            tuple([(site, self.missed[site]) for site in sorted(self.missed)]),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.groups = state.phase, state.rid, state.groups
        self.clock, self.current = state.clock, state.current
        self.locks.load(state.locks)
        self.heard.load(state.heard)
        self.leader, self.weight = state.leader, state.weight
        self.desk.load(state.desk)
        self.fulfilled.load(state.fulfilled)
        self.opened = state.opened
        self.returned, self.missed = dict(state.returned), dict(state.missed)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Sanders:
    n = int(options["n"])
    if options["structure"] == "maekawa":
        assert pick is not None
        return Sanders(me, peers, OfQuorums(n, pick), singleton=False)
    return Sanders(me, peers, OfEverybody(n), options["singleton"] == "on")
