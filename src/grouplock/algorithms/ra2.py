"""RA2: who has everybody's answer leads its group in, and takes along who waits for the same.

Idea: as in RA1 an answer is held back only from a request of another group.  Who has all answers
enters as a leader and invites everybody it knows to wait for its group: followers need no more
answers.  A follower may still be inside when its leader's answers let another group in, so
answers carry which requests were invited: who is told of such a request waits until its site
says that it has left, or turns out to want the same group.
Source: Y.-J. Joung, The congenial talking philosophers problem in computer networks, Distributed
Computing 15, 2002 (his second algorithm), whose text was not at hand: derived from its outline,
and checked.  Channels: FIFO for differential vectors, any order for whole ones; exactly once.
Cost: 2(n-1) to 3(n-1) messages; 2 hops to enter; 1 to hand over to a leader, 2 to a follower; up
to n inside together.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from mypy_extensions import i32

from grouplock.parts.growing_vector import CHANGES, WHOLE, Entry, GrowingVector, Saved
from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.stamps import precedes
from grouplock.parts.vectors import freeze, thaw, zeros
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import CELL, COUNT, Kind, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Ask(Message):
    def __init__(self, number: int, stamp: int, group: int) -> None:
        self.number: Final = number
        self.stamp: Final = stamp
        self.group: Final = group


@final
class Allow(Message):
    """An answer to that request; `left`: the newest request of the sender's that is over."""

    def __init__(self, number: int, left: int, invited: list[Entry]) -> None:
        self.number: Final = number
        self.left: Final = left
        self.invited: Final = invited


@final
class Invite(Message):
    """That request may enter at once, behind the sender."""

    def __init__(self, number: int, invited: list[Entry]) -> None:
        self.number: Final = number
        self.invited: Final = invited


def table(vector: Kind) -> Messages:
    return Messages(
        Shape(Ask, number=CELL, stamp=COUNT, group=COUNT),
        Shape(Allow, number=CELL, left=CELL, invited=vector),
        Shape(Invite, number=CELL, invited=vector),
    )


MESSAGES: Final = table(CHANGES)
MESSAGES_WITH_WHOLE_VECTORS: Final = table(WHOLE)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    stamp: int
    leads: bool
    missing: tuple[int, ...]
    deferred: tuple[int, ...]
    asked: tuple[int, ...]
    wants: tuple[int, ...]
    left: tuple[int, ...]
    invited: Saved


@final
class RA2(Site[State]):
    def __init__(self, me: int, peers: list[int], differential: bool) -> None:
        super().__init__(me, peers)
        n = len(peers) + 1
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.stamp = 0  # of the present request
        self.leads = False  # inside, and not by invitation
        self.missing: set[int] = set()  # whose answer the request still needs
        self.deferred: list[int] = []  # who gets its answer when we leave
        # Of everybody: the newest request that is known and its group, the newest that was
        # invited by anybody, the newest that is over.  A site's requests count from 1.
        self.asked = zeros(n)
        self.wants: list[int] = [0] * n
        self.left = zeros(n)
        self.invited: Final = GrowingVector(me, n, differential)

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.asked[self.me] += 1
        self.stamp = self.clock
        self.missing = set(self.peers)
        out.broadcast(self.peers, Ask(self.mine(), self.stamp, self.group))  # L2
        self.try_to_lead(out)

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.clock = max(self.clock, msg.stamp)  # L3
            if msg.number > self.asked[src]:  # L4
                self.asked[src], self.wants[src] = i32(msg.number), msg.group
                self.learn_left(src, msg.number - 1)  # L5
                if self.waits(src):
                    self.answer(src, msg, out)
        elif isinstance(msg, Allow):
            self.invited.learn(msg.invited)  # L6
            self.learn_left(src, msg.left)  # L7
            if self.phase == WAITING and msg.number == self.mine():
                self.missing.discard(src)  # L8
        elif isinstance(msg, Invite):
            self.invited.learn(msg.invited)  # L9
            if self.phase == WAITING and msg.number == self.mine():
                self.enter(False, out)  # L10
        self.try_to_lead(out)

    def answer(self, src: int, ask: Ask, out: Outbox) -> None:
        if self.phase == INSIDE and self.leads and ask.group == self.group:
            self.invite(src, out)  # L11
        elif self.holds_back(src, ask):
            if src not in self.deferred:
                self.deferred.append(src)  # L12
        else:
            self.allow(src, out)  # L13

    def holds_back(self, src: int, ask: Ask) -> bool:
        if self.phase == IDLE or ask.group == self.group:
            return False
        return self.phase == INSIDE or precedes(self.stamp, self.me, ask.stamp, src)

    def allow(self, site: int, out: Outbox) -> None:
        number, left = int(self.asked[site]), int(self.left[self.me])
        out.send(site, Allow(number, left, self.invited.news_for(site)))

    def invite(self, site: int, out: Outbox) -> None:
        number = int(self.asked[site])
        self.invited.grow(site, number)
        out.send(site, Invite(number, self.invited.news_for(site)))

    def try_to_lead(self, out: Outbox) -> None:
        if self.phase != WAITING or self.missing:
            return
        for site in self.peers:
            if self.may_be_inside(site):
                return  # L14
        self.enter(True, out)  # L15
        for site in self.peers:
            if self.wants[site] == self.group and self.waits(site):
                self.invite(site, out)  # L16

    def waits(self, site: int) -> bool:
        """Its newest request is neither invited nor over, as far as we know."""
        asked = self.asked[site]
        return asked > self.left[site] and asked > self.invited.cells[site]

    def may_be_inside(self, site: int) -> bool:
        """As a follower that has not left, unless we know that it wants our group."""
        invited = self.invited.cells[site]
        if invited <= self.left[site]:
            return False
        return self.asked[site] != invited or self.wants[site] != self.group

    def enter(self, leads: bool, out: Outbox) -> None:
        self.phase, self.leads = INSIDE, leads
        self.missing = set()
        out.granted(self.rid, self.group)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.left[self.me] = self.asked[self.me]  # L17
        for site in self.peers:
            if self.waits(site) and self.wants[site] != self.group:
                if not self.leads:
                    self.allow(site, out)  # L18
                elif site in self.deferred:
                    self.allow(site, out)  # L19
        self.phase, self.rid, self.group, self.stamp = IDLE, 0, 0, 0
        self.leads, self.deferred = False, []

    def mine(self) -> int:
        """The number of our newest request."""
        return int(self.asked[self.me])

    def learn_left(self, site: int, number: int) -> None:
        if number > self.left[site]:
            self.left[site] = i32(number)

    def save(self) -> State:
        """The group of a request that is over does not matter any more."""
        wants = [
            group if asked > left else 0
            for group, asked, left in zip(self.wants, self.asked, self.left, strict=True)
        ]
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.stamp,
            self.leads,
            tuple(sorted(self.missing)),
            tuple(self.deferred),
            freeze(self.asked),
            tuple(wants),
            freeze(self.left),
            self.invited.save(),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.stamp, self.leads = state.clock, state.stamp, state.leads
        self.missing, self.deferred = set(state.missing), list(state.deferred)
        self.asked, self.wants = thaw(state.asked), list(state.wants)
        self.left = thaw(state.left)
        self.invited.load(state.invited)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> RA2:
    return RA2(me, peers, options["vectors"] == "differential")
