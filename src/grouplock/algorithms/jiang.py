"""Jiang's group k-exclusion: k disjoint write quorums, and leaders found through read quorums.

Idea: who has the grants of a whole write quorum may lead a session of its group.  At most k write
quorums are disjoint, so at most k sessions live at once.  A leader registers itself, in ascending
order, at all members of its write quorum and of a read quorum, which meets every write quorum.  So
whoever asks a write quorum for the same group asks a registrar, which sends it to the leader, and
the leader lets it in without a quorum of its own.
Source: paper 003, sections 2 and 3, repaired; what it does about crashes is ours.
Channels: FIFO; crashed sites stop for ever, and a perfect detector tells every survivor.
Cost: 3|Q| + 3|Q u P| + 1 messages alone (Q write, P read quorum), 3|Q| + 2 + s for a follower that
asks s registrars; |Q u P| + 3 hops alone, 3 for a follower.
"""

from __future__ import annotations

from bisect import insort
from typing import Final, NamedTuple, final

from grouplock.parts.leading import (
    Clear,
    Cleared,
    Fail,
    Follow,
    Grant,
    Notice,
    Preempt,
    Release,
    RGrant,
    RRelease,
    Success,
    Yield,
)
from grouplock.parts.orphans import SHAPES, Calm, Crashed, Orphans, OrphansState, Survivor
from grouplock.parts.permissions import LINE, Claim, Line, SavedLine, join, without
from grouplock.parts.preemption import NOBODY
from grouplock.parts.registry import Registry, RegistryState
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import COUNT, SITE, SITES, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick, Quorum
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

# The paper's sections of a node, and FS: it has given up its quorum and will follow somebody.
NCS: Final = 0
ES: Final = 1
WS: Final = 2
FS: Final = 3
CS: Final = 4
XS: Final = 5

RESELECT: Final = 0  # the tag of the only timer
NEVER: Final = "never"  # as patience: it is not set
NONE: Final = -1  # no site: who leads has nobody to refer to


# Each message names a request by its stamp, and by its site where that is neither end's.


@final
class Request(Message):
    def __init__(self, stamp: int, group: int) -> None:
        self.stamp: Final = stamp
        self.group: Final = group


@final
class Compete(Message):
    """A request that has a write quorum goes from registrar to registrar."""

    def __init__(
        self, stamp: int, site: int, group: int, path: list[int], told: list[Claim]
    ) -> None:
        self.stamp: Final = stamp
        self.site: Final = site
        self.group: Final = group
        self.path: Final = path
        self.told: Final = told  # who was told on the way to follow it


MESSAGES: Final = Messages(
    Shape(Request, stamp=COUNT, group=COUNT),
    Shape(Grant, stamp=COUNT),
    Shape(Release, stamp=COUNT),
    Shape(Preempt, stamp=COUNT),
    Shape(Yield, stamp=COUNT),
    Shape(Notice, stamp=COUNT, leader=SITE),
    Shape(Follow, stamp=COUNT, site=SITE),
    Shape(Compete, stamp=COUNT, site=SITE, group=COUNT, path=SITES, told=LINE),
    Shape(Success, stamp=COUNT),
    Shape(Fail, stamp=COUNT, leader=SITE),
    Shape(RGrant, stamp=COUNT),
    Shape(RRelease, stamp=COUNT),
    Shape(Clear, stamp=COUNT, group=COUNT),
    Shape(Cleared),
    *SHAPES,
)

Sites = tuple[int, ...]


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    current: int
    turn: int
    asked: Sites
    got: Sites
    path: Sites
    follows: Sites
    ref: int
    offers: Sites
    pending: SavedLine
    followers: SavedLine
    acks: Sites
    kept: tuple[int, int]
    registry: RegistryState
    crashes: OrphansState


@final
class Jiang(Site[State]):
    def __init__(self, me: int, peers: list[int], pick: Pick, patience: int) -> None:
        super().__init__(me, peers)
        self.pick: Final = pick
        self.patience: Final = patience
        # As a requester.
        self.phase = NCS
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.current = 0  # the stamp of the present request
        self.turn = 0  # how many quorums it has chosen
        self.asked: list[int] = []  # who has its Request and not its Release
        self.got: list[int] = []  # whose grants it has
        self.path: list[int] = []  # its registrars
        self.follows: list[int] = []  # in FS: who told us, and of which leader
        self.ref = NONE  # inside: who let us in
        self.offers: list[int] = []  # in WS: who would let us in
        self.pending: Line = []  # whom to let in once we are inside
        self.followers: Line = []  # whom we have let in
        self.acks: list[int] = []  # who has to answer a Clear
        self.kept = (0, 0)  # the next request, while the last one is not over
        # As an arbiter and a registrar, and about crashes.
        self.registry: Final = Registry()
        self.crashes: Final = Survivor(sorted([me, *peers]))

    # The requester asks a write quorum, and another one if that takes long.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        if self.phase == XS:
            self.kept = (rid, only(groups))  # L1
            return
        assert self.phase == NCS
        self.begin(rid, only(groups), out)

    def begin(self, rid: int, group: int, out: Outbox) -> None:
        """A request, or the same one again under a new stamp."""
        self.clock += 1  # L2
        self.phase, self.rid, self.group, self.current = ES, rid, group, self.clock
        self.turn, self.asked, self.got = 0, [], []
        self.ask(out)

    def ask(self, out: Outbox) -> None:
        fresh = self.choose()
        for v in fresh:
            insort(self.asked, v)
            out.send(v, Request(self.current, self.group))  # L3
        if self.patience and fresh and len(self.asked) < len(self.crashes.everybody()):
            out.timer(RESELECT, float(self.patience))  # L4

    def choose(self) -> list[int]:
        """Those of the next write quorum of the living that has some whom we have not asked."""
        everybody = self.crashes.everybody()
        alive = everybody if self.crashes.dead else None
        for _ in everybody:
            quorum = self.pick.quorum(self.me, self.turn, alive)
            self.turn += 1
            if quorum is None:
                return []
            fresh = [v for v in quorum if v not in self.asked]
            if fresh:
                return fresh
        return [v for v in everybody if v not in self.asked]

    def on_timer(self, tag: int, out: Outbox) -> None:
        assert self.phase == ES
        self.ask(out)  # L5

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if src in self.crashes.dead:
            return  # L6
        if isinstance(msg, Grant):
            if self.phase == ES and msg.stamp == self.current:
                insort(self.got, src)  # L7
                self.compete(out)
        elif isinstance(msg, Preempt):
            if self.phase == ES and msg.stamp == self.current and src in self.got:
                self.got.remove(src)
                out.send(src, Yield(msg.stamp))  # L8
        elif isinstance(msg, Notice):
            if self.phase == ES and msg.stamp == self.current:
                self.give_up(out)  # L9
                self.follow(src, msg.leader, out)
        elif isinstance(msg, Success):
            if msg.stamp == self.current and self.phase == WS:
                for r in self.offers:
                    out.send(r, RRelease(msg.stamp))  # L10
                self.enter(NONE, out)
        elif isinstance(msg, Fail):
            if msg.stamp == self.current and self.phase == WS:
                self.clear([a for a in self.path if a < src], out)  # L11
                self.path = []
                self.give_up(out)  # L12
                if not self.accept(out):
                    self.follow(src, msg.leader, out)
        elif isinstance(msg, RGrant):
            self.on_rgrant(src, msg.stamp, out)
        elif isinstance(msg, Follow):
            self.on_follow(Claim(msg.stamp, msg.site), out)
        elif isinstance(msg, RRelease):
            self.followers.remove(Claim(msg.stamp, src))  # L13
            self.leave(out)
        elif isinstance(msg, Cleared):
            self.acks.remove(src)  # L14
            self.leave(out)
        else:
            self.serve(src, msg, out)

    # With a write quorum it competes to lead its group.

    def compete(self, out: Outbox) -> None:
        quorum = self.complete()
        if quorum is None:
            return
        out.cancel_timer(RESELECT)
        self.phase = WS
        for v in self.asked:
            if v not in quorum:
                out.send(v, Release(self.current))  # L15
        self.asked, self.got = list(quorum), list(quorum)
        read = self.pick.read(self.me)
        assert read is not None
        self.path = self.crashes.living(sorted({*quorum, *read}))  # L16
        out.send(self.path[0], Compete(self.current, self.me, self.group, self.path, []))  # L17

    def complete(self) -> Quorum | None:
        """A write quorum of which we have all grants."""
        if self.turn == 1 and len(self.got) < len(self.asked):
            return None
        return self.pick.quorum(self.me, 0, self.got)

    def give_up(self, out: Outbox) -> None:
        """Do without a quorum, for we will follow or do follow somebody."""
        if self.phase == ES:
            out.cancel_timer(RESELECT)
        for v in self.asked:
            out.send(v, Release(self.current))  # L18
        self.asked, self.got = [], []

    def clear(self, registrars: list[int], out: Outbox) -> None:
        """What they have told us of others comes before their answer."""
        for v in registrars:
            self.acks.append(v)
            out.send(v, Clear(self.current, self.group))  # L19

    def follow(self, registrar: int, leader: int, out: Outbox) -> None:
        self.phase, self.follows = FS, [registrar, leader]  # L20
        if leader in self.crashes.dead:
            out.send(registrar, Crashed(leader))  # L21
            self.begin(self.rid, self.group, out)

    def on_rgrant(self, reference: int, stamp: int, out: Outbox) -> None:
        if stamp != self.current or self.phase in (CS, XS):
            out.send(reference, RRelease(stamp))  # L22
        elif self.phase == WS:
            self.offers.append(reference)  # L23
        else:
            self.give_up(out)  # L24
            self.enter(reference, out)

    def accept(self, out: Outbox) -> bool:
        """Follow the first of those who would let us in."""
        if not self.offers:
            return False
        for other in self.offers[1:]:
            out.send(other, RRelease(self.current))
        self.enter(self.offers[0], out)  # L25
        return True

    def enter(self, reference: int, out: Outbox) -> None:
        self.phase, self.ref = CS, reference  # L26
        self.offers, self.follows = [], []
        for claim in self.pending:
            self.admit(claim, out)  # L27
        self.pending = []
        out.granted(self.rid, self.group)

    def on_follow(self, claim: Claim, out: Outbox) -> None:
        if claim.site == self.me or claim.site in self.crashes.dead:
            return  # L28
        assert self.phase != NCS
        if self.phase in (CS, XS):
            self.admit(claim, out)  # L29
        else:
            join(self.pending, [claim])  # L30

    def admit(self, claim: Claim, out: Outbox) -> None:
        if claim not in self.followers:
            insort(self.followers, claim)  # L31
            out.send(claim.site, RGrant(claim.stamp))

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == CS
        self.phase = XS
        self.clear(self.path, out)  # L32
        self.path = []
        self.leave(out)

    def leave(self, out: Outbox) -> None:
        """Once all whom we let in have left, and nobody will send us another."""
        if self.phase != XS or self.followers or self.acks:
            return
        if self.ref == NONE:
            for v in self.asked:
                out.send(v, Release(self.current))  # L33
        elif self.ref not in self.crashes.dead:
            out.send(self.ref, RRelease(self.current))  # L34
        for other in self.crashes.owed:
            out.send(other, Calm(self.ref))  # L35
        self.phase, self.rid, self.group, self.current, self.turn = NCS, 0, 0, 0, 0
        self.asked, self.got, self.ref, self.crashes.owed = [], [], NONE, []
        if self.kept[0]:
            (rid, group), self.kept = self.kept, (0, 0)
            self.begin(rid, group, out)  # L36

    # The arbiter lends its grant; the registrar knows who leads.

    def serve(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Request):
            self.clock = max(self.clock, msg.stamp)  # L37
            self.on_request(Claim(msg.stamp, src), msg.group, out)
        elif isinstance(msg, Release):
            self.registry.finish(Claim(msg.stamp, src))  # L38
            self.dispatch(out)
        elif isinstance(msg, Yield):
            if self.registry.lock.give_back((msg.stamp, src)):  # L39
                self.dispatch(out)
        elif isinstance(msg, Compete):
            claim = Claim(msg.stamp, msg.site)
            if msg.site not in self.crashes.dead and not self.registry.is_void(claim):  # L40
                self.on_compete(claim, msg, out)
        elif isinstance(msg, Clear):
            self.registry.clear(Claim(msg.stamp, src), msg.group)  # L41
            out.send(src, Cleared())  # L42
        else:
            self.hear(src, msg, out)

    def on_request(self, claim: Claim, group: int, out: Outbox) -> None:
        leader = self.registry.leads.get(group)
        if leader is not None:
            out.send(claim.site, Notice(claim.stamp, leader.site))  # L43
            out.send(leader.site, Follow(claim.stamp, claim.site))  # L44
        else:
            self.registry.arrive(claim, group)  # L45
            self.dispatch(out)

    def dispatch(self, out: Outbox) -> None:
        lock = self.registry.lock
        if lock.holder == NOBODY:
            stamp, site = lock.lend()
            if site != NONE:
                out.send(site, Grant(stamp))  # L46
        elif lock.recall():
            stamp, site = lock.holder
            out.send(site, Preempt(stamp))  # L47

    def on_compete(self, claim: Claim, msg: Compete, out: Outbox) -> None:
        leader = self.registry.leads.get(msg.group)
        if leader is not None and leader.site != claim.site:
            out.send(claim.site, Fail(claim.stamp, leader.site))  # L48
            out.send(leader.site, Follow(claim.stamp, claim.site))  # L49
            return
        self.registry.leads[msg.group] = claim  # L50
        told = msg.told[:]
        for other in self.registry.of_group(msg.group):
            if other.site != claim.site and other not in told:
                out.send(other.site, Notice(other.stamp, claim.site))  # L51
                out.send(claim.site, Follow(other.stamp, other.site))  # L52
                told.append(other)
                self.registry.drop(other)  # L53
        after = [v for v in msg.path if v > self.me]
        if after:
            onward = Compete(claim.stamp, claim.site, msg.group, msg.path, told)
            out.send(after[0], onward)  # L54
        else:
            out.send(claim.site, Success(claim.stamp))  # L55

    # Crashes.

    def on_crash(self, peer: int, out: Outbox) -> None:
        if peer in self.crashes.dead:
            return
        silent = self.crashes.bury(peer)  # L56
        self.registry.forget(peer)  # L57
        self.pending = without(self.pending, peer)
        self.offers = self.crashes.living(self.offers)
        self.acks = self.crashes.living(self.acks)  # L58
        led = [claim for claim in self.followers if claim.site == peer]
        if led or silent or self.registry.lock.holder[1] == peer:
            self.crashes.asked[peer] = self.crashes.everybody()
            for v in self.crashes.everybody():
                out.send(v, Orphans(peer))  # L59
        self.go_on(peer, out)
        self.leave(out)

    def go_on(self, peer: int, out: Outbox) -> None:
        """Without the dead site, where the present request needs it."""
        needed, registers = peer in self.asked, peer in self.path
        self.asked = self.crashes.living(self.asked)
        self.got = self.crashes.living(self.got)
        self.path = self.crashes.living(self.path)
        if self.phase == ES and needed:
            self.ask(out)  # L60
        elif self.phase == WS and registers:
            self.clear(self.path, out)  # L61
            self.path = []
            self.give_up(out)
            if not self.accept(out):
                self.begin(self.rid, self.group, out)  # L62
        elif self.phase == FS and peer in self.follows:
            self.begin(self.rid, self.group, out)  # L63

    def hear(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Crashed):
            self.on_crash(msg.site, out)  # L64
        elif isinstance(msg, Orphans):
            self.on_crash(msg.site, out)
            if self.phase in (CS, XS) and self.ref == msg.site:
                self.crashes.owed.append(src)  # L65
            else:
                out.send(src, Calm(msg.site))  # L66
        elif isinstance(msg, Calm) and self.crashes.calm(msg.site, src):
            self.free(out)  # L67

    def free(self, out: Outbox) -> None:
        """Nobody is inside because of a dead site: what those had here is free."""
        for peer in self.crashes.dead:
            self.followers = without(self.followers, peer)  # L68
        self.leave(out)
        stamp, site = self.registry.lock.holder
        if site in self.crashes.dead:
            self.registry.finish(Claim(stamp, site))  # L69
            self.dispatch(out)

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.current,
            self.turn,
            tuple(self.asked),
            tuple(self.got),
            tuple(self.path),
            tuple(self.follows),
            self.ref,
            tuple(self.offers),
            tuple(self.pending),
            tuple(self.followers),
            tuple(self.acks),
            self.kept,
            self.registry.save(),
            self.crashes.save(),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.current, self.turn = state.clock, state.current, state.turn
        self.asked, self.got, self.path = list(state.asked), list(state.got), list(state.path)
        self.follows, self.ref, self.offers = list(state.follows), state.ref, list(state.offers)
        self.pending, self.followers = list(state.pending), list(state.followers)
        self.acks, self.kept = list(state.acks), state.kept
        self.registry.load(state.registry)
        self.crashes.load(state.crashes)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Jiang:
    assert pick is not None
    patience = str(options["patience"])
    return Jiang(me, peers, pick, 0 if patience == NEVER else int(patience))
