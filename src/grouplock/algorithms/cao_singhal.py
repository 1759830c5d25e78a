"""Cao and Singhal's delay-optimal mutual exclusion with quorums.

Idea: as in Maekawa's algorithm, who has the permission of every arbiter of its quorum is inside.
But who leaves hands each permission straight to the next in line, whom the arbiter has named
beforehand (a transfer), and tells the arbiter afterwards: one hop from exit to entry, not two.
A permission counts its passes.  By that number an arbiter follows releases in the order in which
its permission went, however late they are, and a request knows a transfer from before its yield.
Source: G. Cao, M. Singhal, A delay-optimal quorum-based mutual exclusion algorithm for distributed
systems, IEEE TPDS 12, 2001 (paper 002); 5.2.1 is `direct`, 5.3 is `ahead`, 6 is `faults`.
Channels: any order, exactly once; FIFO with `faults`.  Cost: 3(q-1) messages if nobody else asks,
5 to 6(q-1) under load; 2 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.permissions import (
    LINE,
    Claim,
    Desk,
    Line,
    Passed,
    SavedDesk,
    SavedSeat,
    Seat,
    join,
    load_desk,
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
    desk: SavedDesk
    dead: tuple[int, ...]
    asked: tuple[tuple[int, int], ...]
    found: tuple[tuple[int, Claim], ...]


@final
class CaoSinghal(Site[State]):
    def __init__(self, me: int, peers: list[int], options: Options, pick: Pick) -> None:
        super().__init__(me, peers)
        self.n: Final = int(options["n"])
        self.pick: Final = pick
        self.heirs: Final = 2 if options["ahead"] == "on" else 1  # how many one is told of
        self.direct: Final = options["direct"] == "on"
        self.redundant: Final = options["redundant"] == "on"
        # Who asks.
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.stamp = 0  # of the present request
        self.failed = False  # somewhere somebody goes before us
        self.seats: dict[int, Seat] = {}  # by arbiter
        # The arbiter.
        self.desk = Desk()
        # After crashes.
        self.dead: list[int] = []
        self.asked: dict[int, int] = {}  # how many answers to our probes each site owes us
        self.found: list[tuple[int, Claim]] = []  # who has our permission, and its number

    # A1: asking.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.ask(out)

    def ask(self, out: Outbox) -> None:
        self.clock += 1  # L1
        self.stamp, self.failed = self.clock, False
        for arbiter in self.arbiters():
            self.seats[arbiter] = Seat()
            out.send(arbiter, Request(self.stamp))  # L2

    def arbiters(self) -> list[int]:
        """Our quorum, or another that lives; if redundant, with all it takes to miss anyone."""
        own = self.pick.quorum(self.me)
        if own is None or [site for site in own if site in self.dead]:
            own = self.pick.quorum(self.me, len(self.dead), self.living())  # L3
        members = list(own or ())
        if self.redundant:
            for slow in own or ():
                if not self.enough([site for site in members if site != slow]):
                    others = [site for site in self.living() if site != slow]
                    spare = self.pick.quorum(self.me, 0, others, members) or ()
                    members += [site for site in spare if site not in members]  # L4
        return sorted(members)

    def living(self) -> list[int]:
        return [site for site in range(self.n) if site not in self.dead]

    def enough(self, sites: list[int]) -> bool:
        return self.pick.quorum(self.me, 0, sites) is not None

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if src in self.dead:
            return  # L5
        if isinstance(msg, Request):
            self.on_request(Claim(msg.stamp, src), out)
        elif isinstance(msg, Inquire):
            self.on_inquire(src, msg, out)
        elif isinstance(msg, Yield):
            self.on_passed(msg.number, Passed(Claim(msg.stamp, src), True, tuple(msg.line)), out)
        elif isinstance(msg, Transfer):
            self.on_transfer(src, msg.stamp, msg.number, msg.line)
        elif isinstance(msg, Reply):
            self.on_reply(msg, out)
        elif isinstance(msg, Fail):
            self.on_fail(src, msg, out)
        elif isinstance(msg, Release):
            self.on_passed(msg.number, Passed(Claim(msg.stamp, src), False, tuple(msg.line)), out)
        elif isinstance(msg, Withdraw):
            self.desk.withdraw(Claim(msg.stamp, src))  # L6
            self.tell(out)
        elif isinstance(msg, Probe):
            self.on_probe(src, msg, out)
        elif isinstance(msg, Probed):
            self.on_probed(src, msg, out)

    # A2: a request reaches its arbiter.

    def on_request(self, claim: Claim, out: Outbox) -> None:
        self.clock = max(self.clock, claim.stamp)  # L7
        desk = self.desk
        ahead = list(desk.queue[:1])
        join(desk.queue, [claim])
        if desk.lock is None:
            self.serve(out)  # L8
            return
        if claim > desk.lock or (ahead and claim > ahead[0]):
            out.send(claim.site, Fail(claim.stamp))  # L9
        elif ahead and ahead[0] < desk.lock:
            out.send(ahead[0].site, Fail(ahead[0].stamp))  # L10
        self.tell(out)

    def tell(self, out: Outbox) -> None:
        """The lock learns of its heir, and with `ahead` the heir of its own."""
        desk = self.desk
        if desk.lock is None or self.asked or not desk.queue:
            return
        heir = desk.queue[0]
        news = [] if desk.knows(desk.lock, heir) else [heir]
        desk.tell(desk.lock, heir)
        if heir < desk.lock and not desk.inquired:
            desk.inquired = True
            out.send(desk.lock.site, Inquire(desk.lock.stamp, desk.number, news))  # L11
        elif news:
            out.send(desk.lock.site, Transfer(desk.lock.stamp, desk.number, news))  # L12
        for second in desk.queue[1 : self.heirs]:
            if not desk.knows(desk.lock, second) and not desk.knows(heir, second):
                desk.tell(heir, second)
                out.send(heir.site, Transfer(heir.stamp, desk.number, [second]))  # L13

    # A3, A7: somebody goes before us.

    def on_inquire(self, arbiter: int, msg: Inquire, out: Outbox) -> None:
        self.on_transfer(arbiter, msg.stamp, msg.number, msg.line)
        seat = self.seat(arbiter, msg.stamp)
        if seat is not None and self.phase == WAITING:
            seat.inquired = True  # L14
            self.yield_if_due(arbiter, seat, out)

    def on_fail(self, arbiter: int, msg: Fail, out: Outbox) -> None:
        if self.seat(arbiter, msg.stamp) is not None and self.phase == WAITING:
            self.failed = True  # L15
            for asker, seat in self.seats.items():
                self.yield_if_due(asker, seat, out)

    def yield_if_due(self, arbiter: int, seat: Seat, out: Outbox) -> None:
        if seat.inquired and seat.number and self.failed:
            if not self.direct:
                seat.line = []  # L16
            self.hand_over(arbiter, seat, True, out)
            seat.past, seat.number, seat.inquired, seat.line = seat.number, 0, False, []  # L17

    def seat(self, arbiter: int, stamp: int) -> Seat | None:
        """That of the present request, if the stamp is its own."""
        return self.seats.get(arbiter) if stamp == self.stamp else None

    # A4, C2: the arbiter hears how its permission went on.

    def on_passed(self, number: int, passed: Passed, out: Outbox) -> None:
        self.desk.passed[number] = passed  # L18
        if not self.asked:
            self.follow(out)

    def follow(self, out: Outbox) -> None:
        desk = self.desk
        if desk.follow():  # L19
            self.serve(out)
        elif desk.lock is not None and (desk.lock.site in self.dead or desk.giver in self.dead):
            self.probe(out)  # L20
        else:
            self.tell(out)

    def serve(self, out: Outbox) -> None:
        desk = self.desk
        if not desk.queue:
            desk.rest()  # L21
            return
        claim = desk.queue[0]
        line = desk.serve(self.heirs)
        out.send(claim.site, Reply(self.me, claim.stamp, desk.number, line))  # L22

    # A5, A6: heirs and permissions.

    def on_transfer(self, arbiter: int, stamp: int, number: int, line: Line) -> None:
        seat = self.seat(arbiter, stamp)
        if seat is not None and number > seat.past:
            self.learn(seat, line)  # L23

    def learn(self, seat: Seat, line: Line) -> None:
        join(seat.line, line)
        if self.heirs == 1:
            del seat.line[1:]

    def on_reply(self, msg: Reply, out: Outbox) -> None:
        seat = self.seat(msg.arbiter, msg.stamp)
        if seat is None:
            out.send(msg.arbiter, Release(msg.stamp, msg.number, []))  # L24
            return
        assert seat.number == 0, "an arbiter has one permission"
        seat.number = msg.number  # L25
        self.learn(seat, msg.line)
        if self.may_enter():
            self.enter(out)
        else:
            self.yield_if_due(msg.arbiter, seat, out)

    def may_enter(self) -> bool:
        for seat in self.seats.values():  # stops early: quorums may be large
            if not seat.number:
                return self.redundant and self.enough(self.held())
        return True

    def held(self) -> list[int]:
        return [arbiter for arbiter, seat in self.seats.items() if seat.number]

    # B: inside.

    def enter(self, out: Outbox) -> None:
        self.phase, self.failed = INSIDE, False  # L26
        if self.redundant:
            quorum = self.pick.quorum(self.me, 0, self.held()) or ()
            self.leave([arbiter for arbiter in self.seats if arbiter not in quorum], out)  # L27
        for seat in self.seats.values():
            seat.inquired = False
        out.granted(self.rid, self.group)

    # C1: leaving.

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.leave(list(self.seats), out)  # L28
        self.phase, self.rid, self.group, self.stamp = IDLE, 0, 0, 0

    def leave(self, arbiters: list[int], out: Outbox) -> None:
        for arbiter in arbiters:
            seat = self.seats.pop(arbiter)
            if seat.number:
                self.hand_over(arbiter, seat, False, out)
            else:
                out.send(arbiter, Withdraw(self.stamp))  # L29

    def hand_over(self, arbiter: int, seat: Seat, again: bool, out: Outbox) -> None:
        line = list(seat.line)
        if line:
            heir = line[0]
            out.send(heir.site, Reply(arbiter, heir.stamp, seat.number + 1, line[1:]))  # L30
        if again:
            out.send(arbiter, Yield(self.stamp, seat.number, line))  # L31
        else:
            out.send(arbiter, Release(self.stamp, seat.number, line))  # L32

    # Section 6: crashes.

    def on_crash(self, peer: int, out: Outbox) -> None:
        if peer in self.dead:
            return
        self.dead = sorted([*self.dead, peer])  # L33
        for seat in self.seats.values():
            seat.line = without(seat.line, peer)  # L34
        asked = self.seats.pop(peer, None) is not None and self.phase == WAITING
        if asked and not self.enough(list(self.seats)):
            self.leave(list(self.seats), out)  # L35
            self.ask(out)
        desk = self.desk
        desk.forget(peer)  # L36
        gone = desk.lock is not None and peer in (desk.lock.site, desk.giver)
        if gone or self.asked:
            self.asked.pop(peer, None)
            self.probe(out)
        else:
            self.tell(out)

    def probe(self, out: Outbox) -> None:
        """Ask everybody to whom our permission may have gone; earlier answers do not count."""
        self.found = []
        for site in self.desk.named():
            if site not in self.dead:
                self.asked[site] = self.asked.get(site, 0) + 1
                out.send(site, Probe(list(self.dead)))  # L37
        if not self.asked:
            self.resolve(out)

    def on_probe(self, arbiter: int, msg: Probe, out: Outbox) -> None:
        for peer in msg.crashed:
            self.on_crash(peer, out)  # L38
        seat = self.seats.get(arbiter)
        out.send(arbiter, Probed(self.stamp, seat.number if seat is not None else 0))  # L39

    def on_probed(self, src: int, msg: Probed, out: Outbox) -> None:
        self.asked[src] -= 1
        if self.asked[src] == 0:
            del self.asked[src]
            if msg.number:
                self.found.append((msg.number, Claim(msg.stamp, src)))  # L40
            if not self.asked:
                self.resolve(out)

    def resolve(self, out: Outbox) -> None:
        desk = self.desk
        heard = [(number, passed.claim) for number, passed in desk.passed.items()]
        trail = sorted([*self.found, *heard])
        self.found = []
        if trail:
            desk.found(trail[0][0], trail[0][1], -1)  # L41
            self.follow(out)
        else:
            if desk.lock is not None and desk.lock.site not in self.dead:
                join(desk.queue, [desk.lock])  # L42
            self.serve(out)

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
            self.desk.save(),
            tuple(self.dead),
            tuple(sorted(self.asked.items())),
            tuple(sorted(self.found)),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.stamp, self.failed = state.clock, state.stamp, state.failed
        self.seats = {saved[0]: load_seat(saved) for saved in state.seats}
        self.desk = load_desk(state.desk)
        self.dead = list(state.dead)
        self.asked, self.found = dict(state.asked), list(state.found)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> CaoSinghal:
    assert pick is not None
    return CaoSinghal(me, peers, options, pick)
