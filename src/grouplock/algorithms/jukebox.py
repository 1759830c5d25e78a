"""Jukebox: k slots, sets of groups, concurrent entry, no unnecessary blocking, and nobody starves.

Idea: one forum (k slots with their sessions, and the queue) is somewhere: with `form=home` for
ever at one site, else at the pivot of the newest session, as TokenGME's primary token is.
Whoever wants in gives its request a ticket and tells a quorum of sites; the forum's holder is
known to a quorum that meets it.  In the broadcast form everybody is told, in the home form the
home alone.  A site that is let in is in that session until it says that its tickets are over: it
stays while nobody waits, and lets in its own clients meanwhile without a message.  The next
session is decided while the present one ends, so that its first entrant waits for one message.
Source: ours; a primary token with a session table, found through a bicoterie.
Channels: any order, repetitions do no harm.  Cost: at most 2n messages a request by broadcast, 3
to 6 with a home, O(quorum) else; 2 or 3 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from grouplock.parts import census
from grouplock.parts import forum as forums
from grouplock.parts.forum import Forum, Order, Rules
from grouplock.parts.forum_words import (
    MESSAGES,
    Announce,
    Ask,
    Grant,
    Left,
    News,
    Over,
    Primary,
    Ready,
    Recall,
    leavers,
)
from grouplock.parts.ledger import Ledger, Row
from grouplock.parts.sessions import Waiter, current
from grouplock.parts.tenancy import NOBODY, Call, Heir, Pair, Stay, Tenancy
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import Message
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options
from grouplock.protocol.view import View

BROADCAST: Final = 0
QUORUM: Final = 1
HOME: Final = 2

GHOSTS: Final = 0  # the timer until which a lost site may believe that it is inside


class Clocks(NamedTuple):
    """After how long, in the driver's unit; 0: never."""

    ghosts: float


class State(NamedTuple):
    epoch: int
    promised: int
    members: tuple[int, ...]
    tenancy: tuple[Any, ...]
    moved: int
    holder: int
    forum: tuple[Any, ...]
    asks: tuple[tuple[int, int, Groups], ...]
    over: tuple[Any, ...]
    awaiting: tuple[int, ...]
    reported: tuple[Any, ...]
    early: tuple[Any, ...]


@final
class Jukebox(Site[State]):
    def __init__(
        self, me: int, peers: list[int], form: int, slots: int, rules: Rules, clocks: Clocks,
        home: int, first_session: int, first_ticket: int, pick: Pick | None,
    ) -> None:  # fmt: skip
        super().__init__(me, peers)
        self.form: Final = form
        self.slots: Final = slots
        self.rules: Final = rules
        self.clocks: Final = clocks
        self.pick: Final = pick
        self.epoch = 0
        self.promised = 0  # nothing is done any more that is older than this view
        self.members = tuple(sorted([me, *peers]))
        self.own: Final = Tenancy(first_ticket - 1)
        # The forum, and where it is.
        self.moved = 0  # how often, as far as we know
        self.holder = home
        self.forum: Forum | None = None
        if me == home:
            self.forum = Forum(first_session, [census.vacant() for _ in range(slots)], [])
        self.serving = False  # only while a step lasts
        # What others told us, as one of those who know.
        self.asks: dict[Pair, Groups] = {}  # as they came
        self.over: Final = Ledger()
        self.awaiting: list[int] = []  # whose news have to come before the forum may move
        self.arbiters: list[int] = []  # whom we tell
        self.choose_arbiters()
        # Between a report and its view.
        self.reported = 0  # our tickets up to this one are reported
        self.unready: list[int] = []  # sessions that are reported as not set up
        self.untold: list[tuple[list[int], bool]] = []  # tickets that are over since, how
        self.early: list[tuple[int, Message]] = []  # what later views have said

    def choose_arbiters(self) -> None:
        if self.form == HOME:
            self.arbiters = [self.holder]
            return
        self.arbiters = self.peers
        if len(self.members) <= len(self.peers):
            self.arbiters = [site for site in self.members if site != self.me]
        if self.form == QUORUM:
            assert self.pick is not None
            quorum = self.pick.quorum(self.me, 0, self.down())
            if quorum is not None:  # else everybody
                self.arbiters = [site for site in quorum if site != self.me]

    def down(self) -> tuple[int, ...] | None:
        """Who is alive, where not all are."""
        return self.members if len(self.members) <= len(self.peers) else None

    # Our own clients.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        for stay in self.own.stays:
            if stay.open and stay.group in groups:
                stay.inside += 1  # L1
                self.own.holds[rid] = stay
                out.granted(rid, stay.group, stay.slot, stay.session)
                return
        call = self.own.call(rid, groups)  # L2
        if not self.is_frozen():
            self.ask(call, out)

    def ask(self, call: Call, out: Outbox) -> None:
        floor = self.own.floor()
        if self.forum is None:
            self.tell(Ask(self.epoch, call.ticket, floor, call.groups), out)  # L3
        self.note_ask(self.me, call.ticket, floor, call.groups)
        self.serve(out)

    def release(self, rid: int, out: Outbox) -> None:
        stay = self.own.out(rid)
        if not stay.inside and not stay.open:
            self.leave(out)

    def withdraw(self, rid: int, out: Outbox) -> None:
        self.end(rid, False, out)
        out.withdrawn(rid)  # L4

    def expire(self, rid: int, out: Outbox) -> None:
        self.end(rid, True, out)
        out.lost(rid)  # L5

    def force(self, rid: int, out: Outbox) -> None:
        self.expire(rid, out)

    def end(self, rid: int, badly: bool, out: Outbox) -> None:
        if rid in self.own.holds:
            stay = self.own.holds[rid]
            stay.spoilt = stay.spoilt or badly
            self.release(rid, out)
            return
        call = self.own.drop(rid)
        if call is not None:
            self.tell_over([call.ticket], False, call.heir, out)

    def leave(self, out: Outbox) -> None:
        stay = self.own.next_to_leave()
        while stay is not None:
            self.tell_over(stay.tickets, stay.spoilt, stay.heir, out)
            stay = self.own.next_to_leave()

    def tell_over(self, tickets: list[int], spoilt: bool, heir: Heir, out: Outbox) -> None:
        if self.is_frozen():
            self.untold.append((tickets, spoilt))
            return
        if heir != NOBODY:
            self.tell_heir(heir, tickets, spoilt, out)
        if self.forum is None or self.is_awaited():
            self.tell(Over(self.epoch, tickets, spoilt), out)
        self.note_over(self.me, tickets, spoilt)
        self.enter(out)
        self.serve(out)

    def is_awaited(self) -> bool:
        """Whether others count who leaves, beside the forum's holder."""
        if self.form != BROADCAST or self.forum is None:
            return False
        for slot in self.forum.slots:
            if slot.following:
                return True
        return False

    def tell_heir(self, heir: Heir, tickets: list[int], spoilt: bool, out: Outbox) -> None:
        _, site, ticket = heir
        left = Left(self.epoch, ticket, tickets, spoilt)
        if site != self.me:
            out.send(site, left)
        else:
            self.own.left(self.me, left)
            self.enter(out)

    def setup_done(self, session: int, ok: bool, out: Outbox) -> None:
        stay = self.own.stay_in(session)
        if stay is None or not stay.preparing:
            return
        if not ok:
            self.release(stay.preparing, out)
            return
        stay.preparing = 0
        stay.open = stay.stays
        if not self.is_frozen():
            self.tell_ready(stay, out)

    def tell_ready(self, stay: Stay, out: Outbox) -> None:
        ticket = stay.tickets[0]
        if self.forum is None:
            self.tell(Ready(self.epoch, ticket), out)
        elif self.forum.ready(self.me, ticket):
            self.serve(out)

    def tell(self, msg: Message, out: Outbox) -> None:
        out.broadcast(self.arbiters, msg)

    # What others tell us.

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        epoch: int = msg.epoch  # type: ignore[attr-defined]  # every word has one
        if epoch > self.epoch:
            self.early.append((src, msg))
        elif epoch == self.epoch and not self.is_frozen():
            self.hear(src, msg, out)

    def hear(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.note_ask(src, msg.ticket, msg.floor, msg.groups)
            self.pass_news(src, msg.ticket, msg.groups, [], out)
            self.serve(out)
        elif isinstance(msg, Over):
            self.note_over(src, msg.tickets, msg.spoilt)
            self.pass_news(src, 0, (), msg.tickets, out)
            self.enter(out)
            self.serve(out)
        elif isinstance(msg, Grant):
            self.own.grant(msg)
            self.enter(out)
        elif isinstance(msg, Recall):
            self.recall(msg.tickets, (msg.session, msg.site, msg.heir), out)
        elif isinstance(msg, Left):
            self.own.left(src, msg)
            self.enter(out)
        elif isinstance(msg, Ready):
            if self.forum is not None and self.forum.ready(src, msg.ticket):
                self.serve(out)
        elif isinstance(msg, Primary):
            self.on_primary(msg, out)
        elif isinstance(msg, Announce):
            self.on_announce(src, msg, out)
        elif isinstance(msg, News):
            self.on_news(src, msg, out)

    def note_ask(self, site: int, ticket: int, floor: int, groups: Groups) -> None:
        if self.form == HOME and self.forum is None:
            return
        self.over.raise_to(site, floor - 1)
        if self.over.has(site, ticket):
            return
        if self.forum is None:
            self.asks[(site, ticket)] = groups
        elif not self.forum.knows(site, ticket):
            self.forum.ask(site, ticket, groups)

    def note_over(self, site: int, tickets: list[int], spoilt: bool) -> None:
        if self.form == HOME and self.forum is None:
            return
        for ticket in tickets:
            self.over.add(site, ticket)
            self.asks.pop((site, ticket), None)
            if self.forum is not None:
                self.forum.over(site, ticket, spoilt)

    def pass_news(
        self, site: int, ticket: int, groups: Groups, over: list[int], out: Outbox
    ) -> None:
        """An arbiter tells the holder, as far as it knows where that is."""
        if self.form == QUORUM and self.forum is None and self.holder != self.me:
            asks = [Waiter(site, ticket, groups, 0)] if groups else []
            rows = [Row(site, 0, over)] if over else []
            out.send(self.holder, News(self.epoch, 0, asks, rows))

    # A ticket is let in, or told to leave.

    def enter(self, out: Outbox) -> None:
        call = self.own.next_to_enter(self.over)
        while call is not None:
            setup = self.own.enter(call)
            out.granted(call.rid, call.group, call.slot, call.session, setup)
            call = self.own.next_to_enter(self.over)

    def recall(self, tickets: list[int], heir: Heir, out: Outbox) -> None:
        gone = self.own.recall(tickets, heir)
        if gone and heir != NOBODY:
            self.tell_heir(heir, gone, False, out)
        self.leave(out)

    # The forum's holder.

    def serve(self, out: Outbox) -> None:
        """Once more when one of our own left meanwhile; then the forum follows its newest pivot."""
        if self.forum is None or self.serving:
            return
        self.serving = True
        opener: Order | None = None
        orders = self.forum.serve(self.rules)
        while orders:
            for order in orders:
                if order.opens and order.site != self.me and self.may_move():
                    if opener is not None:
                        self.carry_out(opener, out)
                    opener = order
                else:
                    self.carry_out(order, out)
            orders = self.forum.serve(self.rules)
        self.serving = False
        for session in self.forum.ended:
            out.ended(session)
        self.forum.ended = []
        if opener is not None:
            self.hand_over(opener, out)

    def may_move(self) -> bool:
        if self.form == HOME or self.awaiting:
            return False
        return self.forum is not None and not self.forum.is_haunted()

    def carry_out(self, order: Order, out: Outbox) -> None:
        if not order.session:
            if order.site == self.me:
                self.recall(order.tickets, order.heir, out)
            else:
                out.send(order.site, Recall(self.epoch, order.tickets, *order.heir))
            return
        grant = Grant(
            self.epoch, order.tickets[0], order.group, order.place, order.session, order.stay,
            order.setup + 2, leavers(order.after),
        )  # fmt: skip
        if order.site == self.me:
            self.own.grant(grant)
            self.enter(out)
        else:
            out.send(order.site, grant)

    def hand_over(self, order: Order, out: Outbox) -> None:
        assert self.forum is not None
        self.moved += 1
        self.holder = order.site
        forum, self.forum = self.forum, None
        primary = Primary(
            self.epoch, self.moved, order.place, order.setup + 2, forum.sessions, forum.slots,
            forum.queue, self.over.rows(),
        )  # fmt: skip
        out.send(order.site, primary)

    def on_primary(self, msg: Primary, out: Outbox) -> None:
        if msg.move <= self.moved:
            return  # repeated
        self.moved, self.holder = msg.move, self.me
        self.forum = Forum(msg.sessions, msg.slots, msg.queue)
        self.over.merge(msg.over)
        slot = msg.slots[msg.slot]
        session = current(slot)
        stay = self.rules.stay and not session.members[0].told
        after = leavers(slot.present[0].members) if slot.following else []
        grant = Grant(
            self.epoch, session.ticket, session.group, msg.slot, session.number, stay, msg.setup,
            after,
        )  # fmt: skip
        asks, self.asks = self.asks, {}
        for (site, ticket), groups in asks.items():
            self.note_ask(site, ticket, 0, groups)
        self.strike_over()
        self.own.grant(grant)
        self.enter(out)
        self.announce(out)
        self.serve(out)

    def strike_over(self) -> None:
        """What we knew to be over before the forum came."""
        assert self.forum is not None
        for site, ticket in self.forum.tickets():
            if self.over.has(site, ticket):
                self.forum.over(site, ticket, False)

    # Where the forum is, in the quorum form.

    def announce(self, out: Outbox) -> None:
        if self.form == QUORUM:
            assert self.pick is not None
            quorum = self.pick.read(self.me, 0, self.down()) or self.members
            self.awaiting = [site for site in quorum if site != self.me]
            out.broadcast(self.awaiting, Announce(self.epoch, self.moved))

    def on_announce(self, src: int, msg: Announce, out: Outbox) -> None:
        if msg.move >= self.moved:
            self.moved, self.holder = msg.move, src
        asks = [Waiter(site, ticket, groups, 0) for (site, ticket), groups in self.asks.items()]
        out.send(src, News(self.epoch, msg.move, asks, self.over.rows()))

    def on_news(self, src: int, msg: News, out: Outbox) -> None:
        self.over.merge(msg.over)
        for w in msg.asks:
            self.note_ask(w.site, w.ticket, 0, w.groups)
        if self.forum is not None:
            self.strike_over()
            if msg.move == self.moved and src in self.awaiting:
                self.awaiting.remove(src)
            self.enter(out)
            self.serve(out)

    # Timers of the forum's holder.

    def on_timer(self, tag: int, out: Outbox) -> None:
        if self.forum is not None:
            self.forum.exorcise()
            self.serve(out)

    # A new view: from the report to it nothing is said, and nobody enters.

    def is_frozen(self) -> bool:
        return self.promised > self.epoch

    def on_report(self, epoch: int, out: Outbox) -> None:
        if self.forum is not None and self.forum.is_haunted():
            out.cancel_timer(GHOSTS)
        self.promised = epoch
        self.own.freeze()
        self.reported = self.own.made
        self.unready = [stay.session for stay in self.own.stays if stay.preparing]
        self.untold = []
        out.report(census.report_of(self.epoch, self.members, self.own, self.forum))

    def on_view(self, view: View, out: Outbox) -> None:
        if view.epoch < self.promised or view.epoch <= self.epoch:
            return  # a newer one is being made, or was
        self.epoch = self.promised = view.epoch
        self.members = view.members
        self.holder, self.moved, self.awaiting = view.members[0], 0, []
        self.forum = census.rebuild(view, self.slots) if self.holder == self.me else None
        self.choose_arbiters()
        self.asks = {}
        self.over.load(())
        if self.form != HOME or self.forum is not None:
            self.over.merge(census.finished(view))
        if self.forum is not None and self.forum.is_haunted():
            out.timer(GHOSTS, self.clocks.ghosts)
        self.catch_up(out)
        self.serve(out)

    def catch_up(self, out: Outbox) -> None:
        """Say what could not be said since the report, then hear what came too early."""
        for stay in self.own.stays:
            if stay.session in self.unready and not stay.preparing:
                self.tell_ready(stay, out)
        untold, self.untold = self.untold, []
        for tickets, spoilt in untold:
            self.tell_over(tickets, spoilt, NOBODY, out)
        for call in list(self.own.calls):
            if call.ticket > self.reported:
                self.ask(call, out)
        self.reported, self.unready = 0, []
        early, self.early = self.early, []
        for src, msg in early:
            self.on_message(src, msg, out)

    def tokens(self) -> int:
        return 1 if self.forum is not None else 0

    def save(self) -> State:
        untold = tuple([(tuple(tickets), spoilt) for tickets, spoilt in self.untold])
        return State(
            self.epoch,
            self.promised,
            self.members,
            self.own.save(),
            self.moved,
            self.holder,
            forums.save(self.forum) if self.forum is not None else (),
            tuple([(*pair, groups) for pair, groups in self.asks.items()]),
            self.over.save(),
            tuple(self.awaiting),
            (self.reported, tuple(self.unready), untold),
            tuple([(src, MESSAGES.pack(msg)) for src, msg in self.early]),
        )

    def load(self, state: State) -> None:
        self.epoch, self.promised, self.members = state.epoch, state.promised, state.members
        self.own.load(state.tenancy)
        self.moved, self.holder = state.moved, state.holder
        self.forum = forums.load(state.forum) if state.forum else None
        self.asks = {(site, ticket): groups for site, ticket, groups in state.asks}
        self.over.load(state.over)
        self.awaiting = list(state.awaiting)
        self.reported, unready, untold = state.reported
        self.unready = list(unready)
        self.untold = [(list(tickets), spoilt) for tickets, spoilt in untold]
        n = len(self.peers) + 1
        self.early = [(src, MESSAGES.unpack(packed, n)) for src, packed in state.early]
        self.choose_arbiters()


FORMS: Final = {"broadcast": BROADCAST, "quorum": QUORUM, "home": HOME}


def number(options: Options, name: str, default: int) -> int:
    value = options.get(name, default)
    return default if value == "off" else int(value)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Jukebox:
    form = FORMS[str(options["form"])]
    rules = Rules(
        me,
        options["policy"] == "priority",
        options["ahead"] == "on",
        form == BROADCAST,
        options["stay"] == "on",
        options.get("setup", "off") == "on",
        False,
        number(options, "patience", 16),
        number(options, "joins", 100),
    )
    return Jukebox(
        me, peers, form, int(options["slots"]), rules, Clocks(10.0), number(options, "home", 0),
        number(options, "first_session", 0), number(options, "first_ticket", 1), pick,
    )  # fmt: skip
