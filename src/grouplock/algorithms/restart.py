"""Recovery from crashes for any algorithm: run it anew among those that are left.

Idea: every survivor of a crash tells the one with the smallest number whom it knows to be gone.
When all say the same, that coordinator has everybody abort the instance of the base algorithm and
begin a new one; who is inside does so when it leaves.  When all have, nobody is inside.  Then the
requests that were waiting, the old ones, are served by group, one group after the other, without
the base algorithm; and then the new instance goes on.
Source: N. Mittal, P. K. Mohan, A priority-based distributed group mutual exclusion algorithm when
group access is non-uniform, JPDC 67, 2007, section 5.3, with repairs.  Channels: those of the base
algorithm; crashed sites stop for ever, and a perfect detector tells every survivor.
Cost: nothing while nobody crashes, but for an integer in each message; at most 5(n-1) messages a
failure, and one Leave from each old request to each of the next group.

`phases` says how much of it is done.  3: the new instance is suspended everywhere until the old
requests are served.  2: only at the gate, which is a set of sites without which nobody can enter:
the coordinator, or a quorum; the others go on at once.  1: as 2, and old requests are no more
served apart but made again in the new instance, whose gate opens when all have begun it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple, final

from grouplock.parts.inner import Inner, Parcel
from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.protocol.groups import NO_SETUP, Groups, only
from grouplock.protocol.message import COUNT, FLAG, SITES, Message, Messages, Packed, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

Sites = tuple[int, ...]  # in ascending order


@final
class Base:
    """The base algorithm, as the catalog hands it in.  Its sites are the ranks of the members."""

    def __init__(
        self,
        messages: Messages,
        make: Callable[[int, int], Site[Any]],
        gate: Callable[[int], Sites],
        shared: bool,
    ) -> None:
        self.messages: Final = messages
        self.make: Final = make  # of a rank and the number of members
        self.gate: Final = gate  # ranks without which nobody enters, 0 among them
        self.shared: Final = shared  # whether holders of one group may be inside together


@final
class Notify(Message):
    def __init__(self, gone: list[int]) -> None:
        self.gone: Final = gone


@final
class Restart(Message):
    def __init__(self, gone: list[int]) -> None:
        self.gone: Final = gone


@final
class Done(Message):
    """`instance`, here and below, is the number of those that it does without."""

    def __init__(self, instance: int, waits: bool, group: int) -> None:
        self.instance: Final = instance
        self.waits: Final = waits
        self.group: Final = group


@final
class Start(Message):
    """Enter when all before you have left, and tell all after you."""

    def __init__(self, instance: int, before: list[int], after: list[int]) -> None:
        self.instance: Final = instance
        self.before: Final = before
        self.after: Final = after


@final
class Leave(Message):
    def __init__(self, instance: int) -> None:
        self.instance: Final = instance


@final
class Resume(Message):
    def __init__(self, instance: int) -> None:
        self.instance: Final = instance


@final
class Carried(Message):
    """A message of the base algorithm, and of which instance."""

    def __init__(self, parcel: Parcel) -> None:
        self.parcel: Final = parcel


# The catalog puts the base algorithm's table into it.
MESSAGES: Final = Messages(
    Shape(Notify, gone=SITES),
    Shape(Restart, gone=SITES),
    Shape(Done, instance=COUNT, waits=FLAG, group=COUNT),
    Shape(Start, instance=COUNT, before=SITES, after=SITES),
    Shape(Leave, instance=COUNT),
    Shape(Resume, instance=COUNT),
    Shape(Carried, parcel=Inner(Messages())),
)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    gone: Sites
    instance: Sites
    base: Any
    is_issued: bool
    is_open: bool
    early: tuple[tuple[int, int, Packed], ...]
    deferred: Sites
    is_started: bool
    before: Sites
    after: Sites
    left: Sites
    notes: tuple[tuple[int, Sites], ...]
    round: Sites
    missing: Sites
    old: tuple[tuple[int, int], ...]
    last: Sites


@final
class Recovering(Site[State]):
    def __init__(self, me: int, peers: list[int], base: Base, phases: int) -> None:
        super().__init__(me, peers)
        self.n: Final = len(peers) + 1
        self.kind: Final = base
        self.phases: Final = phases
        self.inward: Final = Inward(self)
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.gone: Sites = ()  # who is known to have crashed
        # The instance of the base algorithm that we run, and its members.
        self.instance: Sites = ()  # whom it does without
        self.members: list[int] = []
        self.ranks: dict[int, int] = {}
        self.base = self.fresh()
        self.is_issued = False  # whether the base algorithm has our request
        self.is_open = True  # whether it may act here, in what it is asked and what it is told
        self.early: list[tuple[int, Parcel]] = []  # what it is told when it may
        self.deferred: Sites = ()  # the instance to begin when we leave
        # Our old request's turn.
        self.is_started = False
        self.before: list[int] = []  # who has to leave first
        self.after: list[int] = []  # whom we tell when we leave
        self.left: list[int] = []  # who has left
        # The coordinator's.
        self.notes: dict[int, Sites] = {}  # who says that who has crashed
        self.round: Sites = ()  # whom the newest instance that we have ordered does without
        self.missing: list[int] = []  # who has not begun it yet
        self.old: list[tuple[int, int]] = []  # group and site of the requests that wait
        self.last: list[int] = []  # who has to leave before the gate opens

    def fresh(self) -> Site[Any]:
        """A new instance among the members."""
        self.members = [s for s in range(self.n) if s not in self.instance]
        self.ranks = {site: rank for rank, site in enumerate(self.members)}
        return self.kind.make(self.ranks[self.me], len(self.members))

    # Requests.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        if self.is_open:
            self.issue(out)  # L1

    def issue(self, out: Outbox) -> None:
        self.is_issued = True
        self.base.request(self.rid, (self.group,), self.inward.to(out))  # L2

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group = IDLE, 0, 0
        if self.deferred:
            self.begin(self.deferred, out)  # L3
        elif self.is_issued:
            self.is_issued = False
            self.base.release(rid, self.inward.to(out))  # L4
        else:
            self.pass_turn(out)

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Carried):
            self.hear(src, msg.parcel, out)
        elif isinstance(msg, Notify):
            self.note(src, tuple(msg.gone), out)
        elif isinstance(msg, Restart):
            self.restart(tuple(msg.gone), out)
        elif isinstance(msg, Done):
            self.done(src, msg.instance, msg.waits, msg.group, out)
        elif isinstance(msg, Start):
            self.start(msg.instance, msg.before, msg.after, out)
        elif isinstance(msg, Leave):
            self.leave(src, msg.instance, out)
        elif isinstance(msg, Resume) and msg.instance == len(self.instance):
            self.open(out)  # L5

    def hear(self, src: int, parcel: Parcel, out: Outbox) -> None:
        if parcel.gone < len(self.instance) or (
            parcel.gone == len(self.instance) and self.deferred
        ):
            return  # L6
        if parcel.gone > len(self.instance) or not self.is_open:
            self.early.append((src, parcel))  # L7
        else:
            self.base.on_message(self.ranks[src], parcel.msg, self.inward.to(out))  # L8

    # A crash, told by the detector.

    def on_crash(self, peer: int, out: Outbox) -> None:
        self.gone = merged(self.gone, (peer,))  # L9
        coordinator = self.coordinator()
        if coordinator == self.me:
            self.note(self.me, self.gone, out)  # L10
        else:
            out.send(coordinator, Notify(list(self.gone)))  # L11

    def coordinator(self) -> int:
        for site in range(self.n):
            if site not in self.gone:
                return site
        raise AssertionError("we are not gone")

    def note(self, site: int, gone: Sites, out: Outbox) -> None:
        """Kept also while we do not know yet that we are the coordinator."""
        if len(gone) <= len(self.round):
            return
        self.notes[site] = merged(self.notes.get(site, ()), gone)  # L12
        if self.coordinator() != self.me:
            return
        survivors = [s for s in range(self.n) if s not in self.gone]
        for survivor in survivors:
            if self.notes.get(survivor, ()) != self.gone:
                return
        self.round, self.notes = self.gone, {}  # L13
        self.missing, self.old, self.last = survivors, [], []
        out.broadcast([s for s in survivors if s != self.me], Restart(list(self.gone)))  # L14
        self.restart(self.gone, out)

    # Phase 1: everybody begins the new instance, when it is not inside.

    def restart(self, gone: Sites, out: Outbox) -> None:
        if len(gone) <= max(len(self.instance), len(self.deferred)):
            return  # L15
        if self.phase == INSIDE:
            self.deferred = gone  # L16
        else:
            self.begin(gone, out)  # L17

    def begin(self, gone: Sites, out: Outbox) -> None:
        self.instance, self.deferred = gone, ()
        self.base, self.is_issued = self.fresh(), False  # L18
        self.is_started, self.before, self.after, self.left = False, [], [], []
        self.notes = {s: g for s, g in self.notes.items() if len(g) > len(gone)}
        self.is_open = self.ranks[self.me] not in self.gate()  # L19
        is_old = self.phase == WAITING and self.phases > 1
        if self.is_open:
            self.catch_up(out)
            if self.phase == WAITING and not is_old:
                self.issue(out)  # L20
        else:
            self.early = [e for e in self.early if e[1].gone >= len(gone)]
        coordinator = self.members[0]
        if coordinator == self.me:
            self.done(self.me, len(gone), is_old, self.group, out)  # L21
        else:
            out.send(coordinator, Done(len(gone), is_old, self.group if is_old else 0))  # L22

    def gate(self) -> Sites:
        members = len(self.members)
        return tuple(range(members)) if self.phases == 3 else self.kind.gate(members)

    def done(self, src: int, instance: int, waits: bool, group: int, out: Outbox) -> None:
        if instance != len(self.round):
            return  # L23
        self.missing.remove(src)
        if waits:
            self.old.append((group, src))  # L24
        if not self.missing:
            self.schedule(out)

    # Phase 2: the old requests, a group at a time.

    def schedule(self, out: Outbox) -> None:
        turns: list[list[int]] = []
        group = -1
        for wanted, site in sorted(self.old):  # L25
            if self.kind.shared and wanted == group:
                turns[-1].append(site)
            else:
                turns.append([site])
            group = wanted
        self.old = []
        if not turns:
            self.finish(out)  # L26
            return
        self.last = list(turns[-1])
        for k, turn in enumerate(turns):
            before = turns[k - 1] if k else []
            after = turns[k + 1] if k + 1 < len(turns) else []
            for site in turn:
                if site == self.me:
                    self.start(len(self.round), before, after, out)
                else:
                    out.send(site, Start(len(self.round), before, after))  # L27

    def start(self, instance: int, before: list[int], after: list[int], out: Outbox) -> None:
        if instance == len(self.instance):
            self.is_started, self.before, self.after = True, list(before), list(after)  # L28
            self.try_enter(out)

    def try_enter(self, out: Outbox) -> None:
        if not self.is_started:
            return
        for site in self.before:
            if site not in self.left:
                return
        self.is_started, self.before, self.left = False, [], []
        self.phase = INSIDE  # L29
        out.granted(self.rid, self.group)

    def pass_turn(self, out: Outbox) -> None:
        after, self.after = self.after, []
        for site in after:
            if site == self.me:
                raise AssertionError("a site has one old request")
            out.send(site, Leave(len(self.instance)))  # L30
        if not after:
            coordinator = self.members[0]
            if coordinator == self.me:
                self.leave(self.me, len(self.instance), out)
            else:
                out.send(coordinator, Leave(len(self.instance)))  # L31

    def leave(self, src: int, instance: int, out: Outbox) -> None:
        if instance != len(self.instance):
            return  # L32
        if src in self.last and instance == len(self.round):
            self.last.remove(src)  # L33
            if not self.last:
                self.finish(out)
        else:
            self.left.append(src)  # L34
            self.try_enter(out)

    # Phase 3: the new instance goes on.

    def finish(self, out: Outbox) -> None:
        keepers = [self.members[rank] for rank in self.gate()]
        out.broadcast([s for s in keepers if s != self.me], Resume(len(self.instance)))  # L35
        self.open(out)

    def open(self, out: Outbox) -> None:
        self.is_open = True
        self.catch_up(out)  # L36
        if self.phase == WAITING:
            self.issue(out)  # L37

    def catch_up(self, out: Outbox) -> None:
        early, self.early = self.early, []
        for src, parcel in early:
            self.hear(src, parcel, out)  # L38

    # Saved and loaded.

    def save(self) -> State:
        table = self.kind.messages
        return State(
            self.phase,
            self.rid,
            self.group,
            self.gone,
            self.instance,
            self.base.save(),
            self.is_issued,
            self.is_open,
            tuple([(src, p.gone, table.pack(p.msg)) for src, p in self.early]),
            self.deferred,
            self.is_started,
            tuple(self.before),
            tuple(self.after),
            tuple(self.left),
            tuple(sorted(self.notes.items())),
            self.round,
            tuple(self.missing),
            tuple(self.old),
            tuple(self.last),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.gone = state.gone
        if self.instance != state.instance:
            self.instance = state.instance
            self.base = self.fresh()
        self.base.load(state.base)
        self.is_issued, self.is_open = state.is_issued, state.is_open
        self.deferred = state.deferred
        table = self.kind.messages
        self.early = []
        for src, gone, packed in state.early:
            self.early.append((src, Parcel(gone, table.unpack(packed, self.n - gone))))
        self.is_started, self.before = state.is_started, list(state.before)
        self.after, self.left = list(state.after), list(state.left)
        self.notes, self.round = dict(state.notes), state.round
        self.missing, self.old, self.last = list(state.missing), list(state.old), list(state.last)


@final
class Inward(Outbox):
    """What the base algorithm acts through: ranks become sites, messages carry their instance."""

    def __init__(self, site: Recovering) -> None:
        self.site: Final = site
        self.out: Outbox | None = None

    def to(self, out: Outbox) -> Inward:
        self.out = out
        return self

    def outward(self) -> Outbox:
        assert self.out is not None
        return self.out

    def wrapped(self, msg: Message) -> Carried:
        return Carried(Parcel(len(self.site.instance), msg))

    def send(self, dst: int, msg: Message) -> None:
        self.outward().send(self.site.members[dst], self.wrapped(msg))

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        members = self.site.members
        self.outward().broadcast([members[dst] for dst in dsts], self.wrapped(msg))

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = NO_SETUP
    ) -> None:
        """Sessions of different instances cannot be compared, so none is told."""
        self.site.phase = INSIDE
        self.outward().granted(rid, group, slot)


def merged(a: Sites, b: Sites) -> Sites:
    return tuple(sorted([*a, *[site for site in b if site not in a]]))


def make(
    me: int, peers: list[int], options: Options, pick: Pick | None, base: Base | None = None
) -> Recovering:
    """The catalog hands in the base: algorithms do not know each other."""
    assert base is not None
    return Recovering(me, peers, base, int(options["phases"]))
