"""TokenGME: a primary token that lends out secondary ones, for groups asked for unevenly.

Idea: Suzuki and Kasami's token gets a group.  The holder of the primary token gives a secondary
token of the same group and session to everybody compatible who asks, and queues the others.  Who
learns of a conflict gives a secondary back (a release, told to all) or closes the session: the
next group is the one with most waiting requests plus their ages, all of it is served together.
A token of the new session becomes safe when all secondaries of the old one are released.
Source: N. Mittal, P. K. Mohan, A priority-based distributed group mutual exclusion algorithm
when group access is non-uniform, JPDC 67, 2007; its section 5.1 for sets of groups.
Channels: any order, exactly once.  Cost: at most 2n-1 messages a request, amortised; 2 hops to
enter, 1 to hand over; up to n inside together.

With sets of groups the paper lets a compatible request wait where a conflicting one is already
queued; for a request that names one group its base algorithm does not.  Both are kept.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from librt.vecs import vec
from mypy_extensions import i32

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.vectors import copy, freeze, thaw, zeros
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import (
    CELL,
    COUNT,
    FLAG,
    GROUPS,
    SITE,
    VECTOR,
    Message,
    Messages,
    Records,
    Shape,
)
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

NONE: Final = 0
SECONDARY: Final = 1
PRIMARY: Final = 2

NO_GROUPS: Final[Groups] = ()


@final
class Waiter:
    """A request in the primary token's queue; its age is the sessions begun since it came."""

    def __init__(self, site: int, number: int, groups: Groups, age: int) -> None:
        self.site: Final = site
        self.number: Final = number
        self.groups: Final = groups
        self.age: Final = age


@final
class Ask(Message):
    def __init__(self, number: int, groups: Groups) -> None:
        self.number: Final = number
        self.groups: Final = groups


@final
class Release(Message):
    def __init__(self, session: int) -> None:
        self.session: Final = session


@final
class Secondary(Message):
    """`old`: how many secondaries the session before gave out; `fulfilled`: requests answered."""

    def __init__(self, session: int, group: int, safe: bool, old: int, fulfilled: vec[i32]) -> None:
        self.session: Final = session
        self.group: Final = group
        self.safe: Final = safe
        self.old: Final = old
        self.fulfilled: Final = fulfilled


@final
class Primary(Message):
    """`issued`: how many secondaries its own session has given out so far."""

    def __init__(
        self,
        session: int,
        group: int,
        safe: bool,
        old: int,
        fulfilled: vec[i32],
        issued: int,
        queue: list[Waiter],
    ) -> None:
        self.session: Final = session
        self.group: Final = group
        self.safe: Final = safe
        self.old: Final = old
        self.fulfilled: Final = fulfilled
        self.issued: Final = issued
        self.queue: Final = queue


WAITER: Final = Shape(Waiter, site=SITE, number=CELL, groups=GROUPS, age=COUNT)
MESSAGES: Final = Messages(
    Shape(Ask, number=CELL, groups=GROUPS),
    Shape(Release, session=COUNT),
    Shape(Secondary, session=COUNT, group=COUNT, safe=FLAG, old=COUNT, fulfilled=VECTOR),
    Shape(
        Primary,
        session=COUNT,
        group=COUNT,
        safe=FLAG,
        old=COUNT,
        fulfilled=VECTOR,
        issued=COUNT,
        queue=Records(WAITER),
    ),
    token=Primary,
)


class State(NamedTuple):
    phase: int
    rid: int
    wanted: Groups
    asked: tuple[int, ...]
    accepts: tuple[Groups, ...]
    released_session: int
    released: int
    holds: int
    session: int
    group: int
    safe: bool
    old: int
    issued: int
    fulfilled: tuple[int, ...]
    queue: tuple[tuple[int, int, Groups, int], ...]


@final
class TokenGME(Site[State]):
    def __init__(self, me: int, peers: list[int], by_priority: bool) -> None:
        super().__init__(me, peers)
        self.n: Final = len(peers) + 1
        self.by_priority: Final = by_priority
        self.phase = IDLE
        self.rid = 0
        self.wanted = NO_GROUPS
        # What everybody is known to have asked for: the newest request's number and groups.
        self.asked = zeros(self.n)
        self.accepts: list[Groups] = [NO_GROUPS] * self.n
        # The newest session of which releases arrived, and how many did.
        self.released_session = 0
        self.released = 0
        # The token that we hold.
        self.holds = PRIMARY if me == 0 else NONE
        self.session = 0
        self.group = 0
        self.safe = me == 0
        self.old = 0
        self.issued = 0
        self.fulfilled = zeros(self.n) if me == 0 else vec[i32]()
        self.queue: list[Waiter] = []

    # A1: a request.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.wanted = WAITING, rid, groups
        if self.holds != NONE and self.group in groups:
            self.enter(out)  # L1
            return
        self.asked[self.me] += 1  # L2
        self.accepts[self.me] = groups
        out.broadcast(self.peers, Ask(int(self.asked[self.me]), groups))  # L3
        self.learn(self.me, out)  # L4

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):  # A2
            if msg.number > self.asked[src]:
                self.asked[src] = i32(msg.number)  # L5
                self.accepts[src] = msg.groups
                self.learn(src, out)
        elif isinstance(msg, Release):  # A5
            self.count_release(msg.session)  # L6
            self.try_enter(out)
        elif isinstance(msg, Secondary):  # A3
            self.adopt(SECONDARY, msg.session, msg.group, msg.safe, msg.old, msg.fulfilled)  # L7
            self.try_enter(out)
        elif isinstance(msg, Primary):  # A3
            self.adopt(PRIMARY, msg.session, msg.group, msg.safe, msg.old, msg.fulfilled)  # L8
            self.issued, self.queue = msg.issued, msg.queue
            for site in self.peers:
                self.offer(site, out)  # L9
            self.try_enter(out)

    # What a token's holder does when it learns of a request.

    def learn(self, site: int, out: Outbox) -> None:
        if self.holds == PRIMARY:
            self.offer(site, out)  # L10
            self.close_if_possible(out)  # L11
        elif self.holds == SECONDARY and self.idle() and self.conflicts(site):
            self.give_back(out)  # L12

    def offer(self, site: int, out: Outbox) -> None:
        """Lend a secondary token to a compatible request, queue any other."""
        if not self.pending(site) or self.queued(site):
            return
        groups = self.accepts[site]
        if self.group in groups and not (len(groups) > 1 and self.conflict_waits()):
            self.fulfilled[site] = self.asked[site]  # L13
            self.issued += 1
            out.send(site, self.secondary())  # L14
        else:
            self.queue.append(Waiter(site, int(self.asked[site]), groups, 0))  # L15

    def secondary(self) -> Secondary:
        return Secondary(self.session, self.group, self.safe, self.old, copy(self.fulfilled))

    def pending(self, site: int) -> bool:
        return self.asked[site] > self.fulfilled[site]

    def conflicts(self, site: int) -> bool:
        return self.pending(site) and self.group not in self.accepts[site]

    def queued(self, site: int) -> bool:
        for waiter in self.queue:  # noqa: SIM110  a loop compiles to a loop, any() to a generator
            if waiter.site == site:
                return True
        return False

    def conflict_waits(self) -> bool:
        for waiter in self.queue:  # noqa: SIM110
            if self.group not in waiter.groups:
                return True
        return False

    def idle(self) -> bool:
        """Nobody is inside with our token, and nobody waits for it to become safe."""
        return self.phase == IDLE or (self.phase == WAITING and self.safe)

    # A3: a token arrives.

    def adopt(
        self, holds: int, session: int, group: int, safe: bool, old: int, fulfilled: vec[i32]
    ) -> None:
        assert self.holds == NONE, "a second token"
        assert self.phase == WAITING, "a token that nobody asked for"
        assert group in self.wanted
        assert fulfilled[self.me] == self.asked[self.me]
        self.holds, self.session, self.group = holds, session, group
        self.old, self.fulfilled = old, fulfilled
        self.safe = safe or self.is_safe()  # L16

    def try_enter(self, out: Outbox) -> None:
        if self.holds == NONE:
            return
        if not self.safe:
            self.safe = self.is_safe()  # L17
        if self.safe and self.phase == WAITING and self.group in self.wanted:
            self.enter(out)  # L18

    def is_safe(self) -> bool:
        """All of the session before is released, or somebody who knew has released of ours."""
        if self.old == 0 or self.released_session == self.session:
            return True
        return self.released_session == self.session - 1 and self.released == self.old

    def enter(self, out: Outbox) -> None:
        self.phase = INSIDE
        out.granted(self.rid, self.group, 0, self.session)

    # A4: leaving.

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.wanted = IDLE, 0, NO_GROUPS
        if self.holds == PRIMARY:
            self.close_if_possible(out)  # L19
            return
        for site in self.peers:
            if self.conflicts(site):
                self.give_back(out)  # L20
                return

    def give_back(self, out: Outbox) -> None:
        session = self.session
        self.forget()
        out.broadcast(self.peers, Release(session))  # L21
        self.count_release(session)  # L22

    def forget(self) -> None:
        self.holds, self.session, self.group, self.safe = NONE, 0, 0, False
        self.old, self.issued, self.fulfilled, self.queue = 0, 0, vec[i32](), []

    # A5: a release is told.

    def count_release(self, session: int) -> None:
        if session > self.released_session:
            self.released_session, self.released = session, 1  # L23
        elif session == self.released_session:
            self.released += 1  # L24

    # A6: the primary token's holder begins the next session.

    def close_if_possible(self, out: Outbox) -> None:
        if not self.queue or not self.idle():
            return
        group = self.next_group()  # L25
        batch: list[Waiter] = []
        rest: list[Waiter] = []
        for w in self.queue:
            if group in w.groups:
                batch.append(w)
                self.fulfilled[w.site] = i32(w.number)  # L26
            else:
                rest.append(Waiter(w.site, w.number, w.groups, w.age + 1))  # L27
        self.session += 1  # L28
        self.group, self.old, self.issued, self.queue = group, self.issued, len(batch) - 1, rest
        self.safe = self.old == 0
        for w in batch[1:]:
            out.send(w.site, self.secondary())  # L29
        heir = batch[0].site
        if heir == self.me:
            self.try_enter(out)  # L30
        else:
            self.hand_over(heir, out)  # L31

    def hand_over(self, heir: int, out: Outbox) -> None:
        primary = Primary(
            self.session,
            self.group,
            self.safe,
            self.old,
            self.fulfilled,
            self.issued,
            self.queue,
        )
        self.forget()
        out.send(heir, primary)

    def next_group(self) -> int:
        """By number of waiting requests plus their ages, or that of the request at the head."""
        eligible = self.queue if self.by_priority else self.queue[:1]
        best, best_weight = -1, -1
        weights: dict[int, int] = {}
        for w in self.queue:
            for group in w.groups:
                weights[group] = weights.get(group, 0) + 1 + w.age
        for w in eligible:  # the oldest in the queue wins a tie
            for group in w.groups:
                if weights[group] > best_weight:
                    best, best_weight = group, weights[group]
        return best

    def tokens(self) -> int:
        return 1 if self.holds == PRIMARY else 0

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.wanted,
            freeze(self.asked),
            tuple(self.accepts),
            self.released_session,
            self.released,
            self.holds,
            self.session,
            self.group,
            self.safe,
            self.old,
            self.issued,
            freeze(self.fulfilled),
            tuple([(w.site, w.number, w.groups, w.age) for w in self.queue]),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.wanted = state.phase, state.rid, state.wanted
        self.asked, self.accepts = thaw(state.asked), list(state.accepts)
        self.released_session, self.released = state.released_session, state.released
        self.holds, self.session, self.group = state.holds, state.session, state.group
        self.safe, self.old, self.issued = state.safe, state.old, state.issued
        self.fulfilled = thaw(state.fulfilled)
        self.queue = [Waiter(*w) for w in state.queue]


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> TokenGME:
    return TokenGME(me, peers, options["policy"] == "priority")
