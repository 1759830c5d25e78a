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
queued; for a request that names one group its base algorithm does not.  Both are kept.  With
`secondary=once` a site gets at most one secondary token a session; with `numbers=bounded` (section
5.2) no number exceeds `smax`: B1 and B2 set them back.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from librt.vecs import vec
from mypy_extensions import i32

from grouplock.parts import aging_queue, bounded_numbers
from grouplock.parts.aging_queue import WAITER, Waiter, conflict_waits, is_queued, next_group
from grouplock.parts.bounded_numbers import (
    RESETS,
    TALLY,
    BoundedNumbers,
    RequestsReset,
    ResetRequests,
    ResetSessions,
    SessionsReset,
)
from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.parts.vectors import copy, freeze, thaw, zeros
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import (
    CELL,
    COUNT,
    FLAG,
    GROUPS,
    SITES,
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
    """`issued`: how many secondaries its own session has given out so far; where it matters also
    to whom (`lent`) and how many earlier sessions did (`earlier`).
    """

    def __init__(
        self,
        session: int,
        group: int,
        safe: bool,
        old: int,
        fulfilled: vec[i32],
        issued: int,
        queue: list[Waiter],
        lent: list[int],
        earlier: int,
    ) -> None:
        self.session: Final = session
        self.group: Final = group
        self.safe: Final = safe
        self.old: Final = old
        self.fulfilled: Final = fulfilled
        self.issued: Final = issued
        self.queue: Final = queue
        self.lent: Final = lent
        self.earlier: Final = earlier


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
        lent=SITES,
        earlier=TALLY,
    ),
    *RESETS,
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
    queue: aging_queue.Saved
    lent: tuple[int, ...]
    numbers: bounded_numbers.Saved


@final
class TokenGME(Site[State]):
    def __init__(self, me: int, peers: list[int], by_priority: bool, once: bool, smax: int) -> None:
        """`smax` 0 is no bound."""
        super().__init__(me, peers)
        self.n: Final = len(peers) + 1
        self.by_priority: Final = by_priority
        self.once: Final = once
        self.numbers: Final = BoundedNumbers(self.n, smax) if smax else None
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
        self.lent: list[int] = []

    # A1: a request.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.wanted = WAITING, rid, groups
        if self.holds != NONE and self.group in groups and not self.frozen():
            self.enter(out)  # L1
        elif self.numbers is not None and (self.numbers.acks or self.frozen()):
            self.numbers.held = True
        else:
            self.ask(out)

    def ask(self, out: Outbox) -> None:
        self.asked[self.me] += 1  # L2
        self.accepts[self.me] = self.wanted
        out.broadcast(self.peers, Ask(int(self.asked[self.me]), self.wanted))  # L3
        self.learn(self.me, out)  # L4

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):  # A2
            if msg.number > self.asked[src]:
                self.asked[src] = i32(msg.number)  # L5
                self.accepts[src] = msg.groups
                self.learn(src, out)
            if self.numbers is not None:
                self.numbers.hear(src)
                self.forget_cycle(self.numbers, src, out)
        elif isinstance(msg, Release):  # A5
            self.count_release(msg.session, out)  # L6
            self.try_enter(out)
        elif isinstance(msg, Secondary):  # A3
            self.adopt(SECONDARY, msg.session, msg.group, msg.safe, msg.old, msg.fulfilled)  # L7
            self.try_enter(out)
        elif isinstance(msg, Primary):  # A3
            self.adopt(PRIMARY, msg.session, msg.group, msg.safe, msg.old, msg.fulfilled)  # L8
            self.issued, self.queue, self.lent = msg.issued, msg.queue, msg.lent
            if self.numbers is not None:
                self.numbers.earlier = msg.earlier
            for site in self.peers:
                self.offer(site, out)  # L9
            self.try_enter(out)
        elif self.numbers is not None:
            self.on_reset(self.numbers, src, msg, out)

    # What a token's holder does when it learns of a request.

    def learn(self, site: int, out: Outbox) -> None:
        if self.holds == PRIMARY:
            self.offer(site, out)  # L10
            self.close_if_possible(out)  # L11
        elif self.holds == SECONDARY and self.idle() and self.conflicts(site):
            self.give_back(out)  # L12

    def offer(self, site: int, out: Outbox) -> None:
        """Lend a secondary token to a compatible request, queue any other."""
        if not self.pending(site) or is_queued(self.queue, site):
            return
        groups = self.accepts[site]
        if self.group in groups and self.may_lend(site, groups):
            self.fulfilled[site] = self.asked[site]  # L13
            self.issued += 1
            if self.once:
                self.lent = [*self.lent, site]
            out.send(site, self.secondary())  # L14
        else:
            self.queue.append(Waiter(site, int(self.asked[site]), groups, 0))  # L15

    def may_lend(self, site: int, groups: Groups) -> bool:
        if len(groups) > 1 and conflict_waits(self.queue, self.group):
            return False
        return not (self.once and site in self.lent) and not self.frozen()

    def secondary(self) -> Secondary:
        return Secondary(self.session, self.group, self.safe, self.old, copy(self.fulfilled))

    def pending(self, site: int) -> bool:
        if self.numbers is not None:
            return self.numbers.is_new(int(self.asked[site]), int(self.fulfilled[site]))
        return self.asked[site] > self.fulfilled[site]

    def conflicts(self, site: int) -> bool:
        return self.pending(site) and self.group not in self.accepts[site]

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
        if self.holds == NONE or self.frozen():
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
        if self.numbers is not None:
            self.end_cycle(self.numbers, out)
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
        self.count_release(session, out)  # L22

    def forget(self) -> None:
        self.holds, self.session, self.group, self.safe = NONE, 0, 0, False
        self.old, self.issued, self.fulfilled, self.queue, self.lent = 0, 0, vec[i32](), [], []
        if self.numbers is not None:
            self.numbers.earlier = 0

    # A5: a release is told.

    def count_release(self, session: int, out: Outbox) -> None:
        if session > self.released_session:
            self.released_session, self.released = session, 1  # L23
        elif session == self.released_session:
            self.released += 1  # L24
        if self.numbers is not None:
            self.numbers.counted += 1
            self.forget_sessions(self.numbers, out)

    # A6: the primary token's holder begins the next session.

    def close_if_possible(self, out: Outbox) -> None:
        if not self.queue or not self.idle() or self.frozen():
            return
        if self.numbers is not None:
            if self.session == self.numbers.smax:
                self.begin_anew(self.numbers, out)
                return
            self.numbers.earlier += self.issued
        self.next_session(out)

    def next_session(self, out: Outbox) -> None:
        group = next_group(self.queue, self.by_priority)  # L25
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
        self.lent = [w.site for w in batch[1:]] if self.once else []
        for w in batch[1:]:
            out.send(w.site, self.secondary())  # L29
        heir = batch[0].site
        if heir == self.me:
            self.try_enter(out)  # L30
            return
        primary = Primary(
            self.session,
            self.group,
            self.safe,
            self.old,
            self.fulfilled,
            self.issued,
            self.queue,
            self.lent,
            self.numbers.earlier if self.numbers is not None else 0,
        )
        self.forget()
        out.send(heir, primary)  # L31

    # Bounded numbers (section 5.2).  B1: requests, whose numbers their own site sets back.

    def end_cycle(self, numbers: BoundedNumbers, out: Outbox) -> None:
        if numbers.is_last(int(self.asked[self.me])) and not numbers.acks:
            numbers.acks = self.n  # L32
            out.broadcast(self.peers, ResetRequests())  # L33
            self.cycle_ended(numbers, out)

    def on_reset(self, numbers: BoundedNumbers, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, ResetRequests):
            numbers.ending.append(src)  # L34
            self.forget_cycle(numbers, src, out)
        elif isinstance(msg, RequestsReset):
            self.cycle_ended(numbers, out)  # L35
        elif isinstance(msg, ResetSessions):
            numbers.expect(src, msg.secondaries)  # L36
            self.forget_sessions(numbers, out)
        elif isinstance(msg, SessionsReset):
            self.sessions_ended(numbers, out)  # L37

    def forget_cycle(self, numbers: BoundedNumbers, src: int, out: Outbox) -> None:
        if numbers.all_heard(src):
            numbers.forget_cycle(src)
            self.asked[src] = i32(numbers.restarted(int(self.asked[src])))  # L38
            self.accepts[src] = NO_GROUPS
            out.send(src, RequestsReset())  # L39

    def cycle_ended(self, numbers: BoundedNumbers, out: Outbox) -> None:
        numbers.acks -= 1
        if numbers.acks == 0:
            self.asked[self.me] = i32(numbers.restarted(int(self.asked[self.me])))  # L40
            self.accepts[self.me] = NO_GROUPS
            self.ask_what_was_held(numbers, out)  # L41

    # B2: sessions, whose numbers the primary token's holder sets back, and is frozen meanwhile.

    def begin_anew(self, numbers: BoundedNumbers, out: Outbox) -> None:
        numbers.uncounted = self.n  # L42
        secondaries = numbers.earlier + self.issued
        out.broadcast(self.peers, ResetSessions(secondaries))  # L43
        numbers.expect(self.me, secondaries)
        self.forget_sessions(numbers, out)

    def forget_sessions(self, numbers: BoundedNumbers, out: Outbox) -> None:
        if numbers.all_counted():
            self.released_session, self.released = 0, 0  # L44
            resetter = numbers.forget_sessions()
            if resetter == self.me:
                self.sessions_ended(numbers, out)
            else:
                out.send(resetter, SessionsReset())  # L45

    def sessions_ended(self, numbers: BoundedNumbers, out: Outbox) -> None:
        numbers.uncounted -= 1
        if numbers.uncounted == 0:
            self.session, self.issued, numbers.earlier = 0, 0, 0  # L46
            self.next_session(out)
            self.ask_what_was_held(numbers, out)  # L47

    def frozen(self) -> bool:
        return self.numbers is not None and self.numbers.frozen()

    def ask_what_was_held(self, numbers: BoundedNumbers, out: Outbox) -> None:
        if numbers.held and not numbers.acks and not numbers.frozen():
            numbers.held = False
            self.ask(out)  # L48

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
            aging_queue.save(self.queue),
            tuple(self.lent),
            self.numbers.save() if self.numbers is not None else (),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.wanted = state.phase, state.rid, state.wanted
        self.asked, self.accepts = thaw(state.asked), list(state.accepts)
        self.released_session, self.released = state.released_session, state.released
        self.holds, self.session, self.group = state.holds, state.session, state.group
        self.safe, self.old, self.issued = state.safe, state.old, state.issued
        self.fulfilled = thaw(state.fulfilled)
        self.queue, self.lent = aging_queue.load(state.queue), list(state.lent)
        if self.numbers is not None:
            self.numbers.load(state.numbers)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> TokenGME:
    by_priority, once = options["policy"] == "priority", options["secondary"] == "once"
    smax = int(options["smax"]) if options["numbers"] == "bounded" else 0
    return TokenGME(me, peers, by_priority, once, smax)
