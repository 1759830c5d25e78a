"""Cao and Singhal's delay-optimal mutual exclusion with quorums.

Idea: as in Maekawa's algorithm whoever has the permission of every arbiter of its quorum is
inside, but who leaves hands each permission straight to the next in line, whom the arbiter named
beforehand (a transfer), and tells the arbiter afterwards: one hop from exit to entry, not two.
A permission counts how often it was passed on.  By that number an arbiter follows the releases in
the order in which the permission went, and a late transfer is told from one that still holds.
Source: G. Cao, M. Singhal, A delay-optimal quorum-based mutual exclusion algorithm for distributed
systems, IEEE TPDS 12(12), 2001 (paper 002); 5.2.1 is `direct`, 5.3 is `ahead`, 6 is `faults`.
Channels: any order, exactly once; FIFO for `faults`.  Cost: 3(q-1) messages when nobody else asks,
5 to 6(q-1) under load; 2 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from bisect import insort
from typing import Final, NamedTuple, final

from grouplock.parts.permissions import (
    LINE,
    Claim,
    Line,
    Passed,
    SavedSeat,
    Seat,
    join,
    leave,
    load_seat,
    without,
)
from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import COUNT, SITE, SITES, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Request(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Fail(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Inquire(Message):
    """Yield if you must, and, as a transfer does, who is next."""

    def __init__(self, stamp: int, number: int, line: Line) -> None:
        self.stamp: Final = stamp
        self.number: Final = number
        self.line: Final = line


@final
class Transfer(Message):
    """`number`: the permission's, as far as the arbiter knows."""

    def __init__(self, stamp: int, number: int, line: Line) -> None:
        self.stamp: Final = stamp
        self.number: Final = number
        self.line: Final = line


@final
class Reply(Message):
    """The arbiter's permission itself, from the arbiter or from who had it before."""

    def __init__(self, arbiter: int, stamp: int, number: int, line: Line) -> None:
        self.arbiter: Final = arbiter
        self.stamp: Final = stamp
        self.number: Final = number
        self.line: Final = line


@final
class Release(Message):
    """The permission went to the first in line, which knows the others; or back, with no line."""

    def __init__(self, stamp: int, number: int, line: Line) -> None:
        self.stamp: Final = stamp
        self.number: Final = number
        self.line: Final = line


@final
class Yield(Message):
    """A release by who wants the permission again."""

    def __init__(self, stamp: int, number: int, line: Line) -> None:
        self.stamp: Final = stamp
        self.number: Final = number
        self.line: Final = line


@final
class Withdraw(Message):
    """The permission is not wanted any more (`redundant`, `faults`)."""

    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Probe(Message):
    """Who has crashed: believe it, then say whether you have our permission (`faults`)."""

    def __init__(self, crashed: list[int]) -> None:
        self.crashed: Final = crashed


@final
class Probed(Message):
    """`number` 0: the permission is not here."""

    def __init__(self, stamp: int, number: int) -> None:
        self.stamp: Final = stamp
        self.number: Final = number


MESSAGES: Final = Messages(
    Shape(Request, stamp=COUNT),
    Shape(Fail, stamp=COUNT),
    Shape(Inquire, stamp=COUNT, number=COUNT, line=LINE),
    Shape(Transfer, stamp=COUNT, number=COUNT, line=LINE),
    Shape(Reply, arbiter=SITE, stamp=COUNT, number=COUNT, line=LINE),
    Shape(Release, stamp=COUNT, number=COUNT, line=LINE),
    Shape(Yield, stamp=COUNT, number=COUNT, line=LINE),
    Shape(Withdraw, stamp=COUNT),
    Shape(Probe, crashed=SITES),
    Shape(Probed, stamp=COUNT, number=COUNT),
)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    stamp: int
    failed: bool
    seats: tuple[SavedSeat, ...]
    lock: Claim | None
    number: int
    queue: tuple[Claim, ...]
    inquired: bool
    told: tuple[tuple[Claim, tuple[Claim, ...]], ...]
    passed: tuple[tuple[int, Passed], ...]
    dead: tuple[int, ...]
    giver: int
    probed: tuple[tuple[int, int], ...]
    found: tuple[tuple[int, Claim], ...]


@final
class CaoSinghal(Site[State]):
    def __init__(self, me: int, peers: list[int], pick: Pick, options: Options) -> None:
        super().__init__(me, peers)
        self.pick: Final = pick
        self.direct: Final = options["direct"] == "on"
        self.redundant: Final = options["redundant"] == "on"
        self.survives: Final = options["faults"] == "on"
        self.named: Final = 2 if options["ahead"] == "on" else 1  # how many heirs are told of
        # Who asks.
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.stamp = 0  # of the present request
        self.failed = False  # somewhere somebody goes before us
        self.seats: dict[int, Seat] = {}  # by arbiter
        # The arbiter.
        self.lock: Claim | None = None  # who has our permission, as far as we know
        self.number = 0  # how often it was passed on since it was last free
        self.queue: Line = []
        self.inquired = False  # the lock was asked to yield
        self.told: dict[Claim, Line] = {}  # whom each claim knows, or will, as its heirs
        self.passed: dict[int, Passed] = {}  # by number: how our permission went on
        # What is left of the crashed.
        self.dead: list[int] = []
        self.giver = me  # from whom the lock has our permission
        self.asked: dict[int, int] = {}  # how many answers to probes each site owes us
        self.found: list[tuple[int, Claim]] = []  # who has it, with its number

    # A: asking.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.ask(out)

    def ask(self, out: Outbox) -> None:
        self.clock += 1
        self.stamp, self.failed = self.clock, False
        for arbiter in self.arbiters():
            self.seats[arbiter] = Seat()
            out.send(arbiter, Request(self.stamp))

    def arbiters(self) -> list[int]:
        """A living quorum; with `redundant` what is left without any one member has a quorum."""
        living = [site for site in range(len(self.peers) + 1) if site not in self.dead]
        own = self.pick.quorum(self.me)
        if own is None or [site for site in own if site in self.dead]:
            own = self.pick.quorum(self.me, len(self.dead), living)
        members = list(own or ())
        if self.redundant:
            for slow in own or ():
                if not self.has_quorum([site for site in members if site != slow]):
                    others = [site for site in living if site != slow]
                    spare = self.pick.quorum(self.me, 0, others, members) or ()
                    members += [site for site in spare if site not in members]
        return sorted(members)

    def has_quorum(self, members: list[int]) -> bool:
        return self.pick.quorum(self.me, 0, members) is not None

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if src in self.dead:
            return  # what it sent before it crashed comes too late
        if isinstance(msg, Request):
            self.on_request(Claim(msg.stamp, src), out)
        elif isinstance(msg, Reply):
            self.on_reply(msg, out)
        elif isinstance(msg, Transfer):
            self.on_transfer(src, msg.stamp, msg.number, msg.line)
        elif isinstance(msg, Inquire):
            self.on_inquire(src, msg, out)
        elif isinstance(msg, Fail):
            self.on_fail(src, msg, out)
        elif isinstance(msg, Yield):
            self.on_passed(msg.number, Passed(Claim(msg.stamp, src), True, tuple(msg.line)), out)
        elif isinstance(msg, Release):
            self.on_passed(msg.number, Passed(Claim(msg.stamp, src), False, tuple(msg.line)), out)
        elif isinstance(msg, Withdraw):
            self.on_withdraw(Claim(msg.stamp, src), out)
        elif isinstance(msg, Probe):
            self.on_probe(src, msg.crashed, out)
        elif isinstance(msg, Probed):
            self.on_probed(src, msg, out)

    def on_reply(self, msg: Reply, out: Outbox) -> None:
        seat = self.seat(msg.arbiter, msg.stamp)
        if seat is None:
            out.send(msg.arbiter, Release(msg.stamp, msg.number, []))
            return
        assert seat.number == 0, "a second permission of one arbiter"
        seat.number = msg.number
        self.learn(seat, msg.line)
        held = [arbiter for arbiter, seat in self.seats.items() if seat.number]
        if len(held) == len(self.seats) or (self.redundant and self.has_quorum(held)):
            self.enter(held, out)
        elif seat.inquired and self.failed:
            self.give_way(msg.arbiter, seat, out)

    def seat(self, arbiter: int, stamp: int) -> Seat | None:
        """That of the present request, if it is what this is about."""
        return self.seats.get(arbiter) if stamp == self.stamp else None

    def on_transfer(self, arbiter: int, stamp: int, number: int, line: Line) -> None:
        seat = self.seat(arbiter, stamp)
        if seat is not None and number > seat.past:
            self.learn(seat, line)

    def learn(self, seat: Seat, line: Line) -> None:
        join(seat.line, line)
        if self.named == 1:
            del seat.line[1:]

    def on_inquire(self, arbiter: int, msg: Inquire, out: Outbox) -> None:
        self.on_transfer(arbiter, msg.stamp, msg.number, msg.line)
        seat = self.seat(arbiter, msg.stamp)
        if seat is not None and self.phase == WAITING:
            if seat.number and self.failed:
                self.give_way(arbiter, seat, out)
            else:
                seat.inquired = True

    def on_fail(self, arbiter: int, msg: Fail, out: Outbox) -> None:
        if self.phase == WAITING and self.seat(arbiter, msg.stamp) is not None:
            self.failed = True
            for asker, seat in self.seats.items():
                if seat.inquired and seat.number:
                    self.give_way(asker, seat, out)

    def give_way(self, arbiter: int, seat: Seat, out: Outbox) -> None:
        if not self.direct:
            seat.line = []
        self.hand_over(arbiter, seat, True, out)
        self.failed = True
        seat.past, seat.number, seat.inquired, seat.line = seat.number, 0, False, []

    def hand_over(self, arbiter: int, seat: Seat, again: bool, out: Outbox) -> None:
        """To the first in line, and the arbiter is told; or back to the arbiter."""
        line = seat.line
        if line:
            reply = Reply(arbiter, line[0].stamp, seat.number + 1, line[1:])
            out.send(line[0].site, reply)
        if again:
            out.send(arbiter, Yield(self.stamp, seat.number, line))
        else:
            out.send(arbiter, Release(self.stamp, seat.number, line))

    # B: inside.

    def enter(self, held: list[int], out: Outbox) -> None:
        self.phase, self.failed = INSIDE, False
        if self.redundant:
            quorum = self.pick.quorum(self.me, 0, held) or ()
            self.leave_seats([arbiter for arbiter in self.seats if arbiter not in quorum], out)
        for seat in self.seats.values():
            seat.inquired = False
        out.granted(self.rid, self.group)

    def leave_seats(self, arbiters: list[int], out: Outbox) -> None:
        for arbiter in arbiters:
            seat = self.seats.pop(arbiter)
            if seat.number:
                self.hand_over(arbiter, seat, False, out)
            else:
                out.send(arbiter, Withdraw(self.stamp))

    # C: leaving.

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.leave_seats(list(self.seats), out)
        self.phase, self.rid, self.group, self.stamp = IDLE, 0, 0, 0

    # The arbiter.

    def on_request(self, claim: Claim, out: Outbox) -> None:
        self.clock = max(self.clock, claim.stamp)
        head = self.queue[0] if self.queue else claim
        insort(self.queue, claim)
        if self.lock is None:
            self.grant(out)
            return
        if claim > self.lock or claim > head:
            out.send(claim.site, Fail(claim.stamp))
        elif claim < head < self.lock:
            out.send(head.site, Fail(head.stamp))
        self.tell(out)

    def grant(self, out: Outbox) -> None:
        """Our permission is here: to the first in the queue."""
        self.inquired = False
        self.giver = self.me
        if not self.queue:
            self.lock, self.number, self.told = None, 0, {}
            return
        self.lock = self.queue.pop(0)
        self.number += 1
        line = self.queue[: self.named]
        join(self.told.setdefault(self.lock, []), line)
        out.send(self.lock.site, Reply(self.me, self.lock.stamp, self.number, line))

    def tell(self, out: Outbox) -> None:
        """The lock who is next, and with `ahead` the next one who comes then."""
        if self.lock is None or self.asked:
            return
        knows = self.told.setdefault(self.lock, [])
        if self.queue:
            heir = self.queue[0]
            news = [heir] if heir not in knows else []
            join(knows, news)
            if heir < self.lock and not self.inquired:
                self.inquired = True
                out.send(self.lock.site, Inquire(self.lock.stamp, self.number, news))
            elif news:
                out.send(self.lock.site, Transfer(self.lock.stamp, self.number, news))
        if len(self.queue) > 1 and self.named > 1:
            heir, second = self.queue[:2]
            if second not in knows and second not in self.told.get(heir, []):
                join(self.told.setdefault(heir, []), [second])
                out.send(heir.site, Transfer(heir.stamp, self.number, [second]))

    def on_passed(self, number: int, passed: Passed, out: Outbox) -> None:
        self.passed[number] = passed
        if not self.asked:
            self.follow(out)

    def follow(self, out: Outbox) -> None:
        """Go after our permission as far as we know the way."""
        while self.number in self.passed:
            claim, again, line = self.passed.pop(self.number)
            self.told.pop(claim, None)
            if again and claim.site not in self.dead:
                insort(self.queue, claim)
            if not line:
                self.grant(out)
                return
            self.lock, self.inquired = line[0], False
            self.number += 1
            if self.survives:
                self.giver = claim.site
            leave(self.queue, self.lock)
            join(self.told.setdefault(self.lock, []), list(line[1:]))
        if self.lock is not None and (self.lock.site in self.dead or self.giver in self.dead):
            self.probe(out)
        else:
            self.tell(out)

    def on_withdraw(self, claim: Claim, out: Outbox) -> None:
        if claim in self.queue:
            self.queue.remove(claim)
            self.told.pop(claim, None)
        self.tell(out)

    # Crashes.

    def on_crash(self, peer: int, out: Outbox) -> None:
        if peer in self.dead:
            return
        insort(self.dead, peer)
        for seat in self.seats.values():
            seat.line = without(seat.line, peer)
        if self.seats.pop(peer, None) is not None and self.phase == WAITING:
            if not self.has_quorum(list(self.seats)):
                self.leave_seats(list(self.seats), out)
                self.ask(out)
        self.queue = without(self.queue, peer)
        if self.asked or (self.lock is not None and peer in (self.lock.site, self.giver)):
            self.probe(out)
        else:
            self.tell(out)

    def probe(self, out: Outbox) -> None:
        """Ask everybody to whom our permission may have gone."""
        self.found = []
        sites = [claim.site for line in self.told.values() for claim in line]
        sites += [claim.site for claim in [*self.told, *self.queue]]
        living = [site for site in sorted(set(sites)) if site not in self.dead]
        self.asked = {site: owed for site, owed in self.asked.items() if site not in self.dead}
        for site in living:
            self.asked[site] = self.asked.get(site, 0) + 1
            out.send(site, Probe(list(self.dead)))
        if not self.asked:
            self.resolve(out)

    def on_probe(self, arbiter: int, crashed: list[int], out: Outbox) -> None:
        for peer in crashed:
            self.on_crash(peer, out)
        seat = self.seats.get(arbiter)
        out.send(arbiter, Probed(self.stamp, seat.number if seat is not None else 0))

    def on_probed(self, src: int, msg: Probed, out: Outbox) -> None:
        self.asked[src] -= 1
        if self.asked[src] == 0:
            del self.asked[src]
            if msg.number:
                self.found.append((msg.number, Claim(msg.stamp, src)))
            if not self.asked:
                self.resolve(out)

    def resolve(self, out: Outbox) -> None:
        """Take up the trail where somebody has or had our permission; nobody: make it anew."""
        trail = sorted([*self.found, *[(k, p.claim) for k, p in self.passed.items()]])
        self.found = []
        if trail:
            self.number, self.lock = trail[0]
            self.giver, self.inquired = self.me, False
            leave(self.queue, self.lock)
            self.follow(out)
        else:
            self.grant(out)

    # The whole state.

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.stamp,
            self.failed,
            tuple([seat.save(arbiter) for arbiter, seat in sorted(self.seats.items())]),
            self.lock,
            self.number,
            tuple(self.queue),
            self.inquired,
            tuple([(claim, tuple(line)) for claim, line in sorted(self.told.items())]),
            tuple(sorted(self.passed.items())),
            tuple(self.dead),
            self.giver,
            tuple(sorted(self.asked.items())),
            tuple(self.found),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.stamp, self.failed = state.clock, state.stamp, state.failed
        self.seats = {saved[0]: load_seat(saved) for saved in state.seats}
        self.lock, self.number, self.queue = state.lock, state.number, list(state.queue)
        self.inquired = state.inquired
        self.told = {claim: list(line) for claim, line in state.told}
        self.passed = dict(state.passed)
        self.dead, self.giver = list(state.dead), state.giver
        self.asked, self.found = dict(state.probed), list(state.found)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> CaoSinghal:
    assert pick is not None
    return CaoSinghal(me, peers, pick, options)
