"""Jukebox: k slots, sets of groups, concurrent entry, no unnecessary blocking, and nobody starves.

Idea: one forum (k slots with their sessions, and the queue) is somewhere: with `form=home` for
ever at one site, else at the pivot of the newest session, as TokenGME's primary token is.
Whoever wants in gives its request a ticket and tells a quorum of sites; the forum's holder is
known to a quorum that meets it.  In the broadcast form everybody is told, in the home form the
home alone.  A site that is let in is in that session until it says that its tickets are over: it
stays while nobody waits, and lets in its own clients without a message.  The next session is
decided while the present one ends, so that its first entrant waits for one message.
Source: ours; a primary token with a session table, found through a bicoterie.
Channels: any order, repetitions do no harm.  Cost: at most 2n messages a request by broadcast, 3
to 6 with a home, O(quorum) else; 2 or 3 hops to enter, 1 to hand over.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from grouplock.parts.alarms import GHOSTS, Alarms, Clocks, clocks_of
from grouplock.parts.census import finished, rebuild, report_of, vacant
from grouplock.parts.forum import (
    NOWHERE,
    Forum,
    Order,
    Rules,
    load_forum,
    number,
    rules_of,
    save_forum,
)
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
    as_message,
    handed_over,
    inherited,
)
from grouplock.parts.hearsay import Hearsay
from grouplock.parts.ledger import Row
from grouplock.parts.sessions import Waiter
from grouplock.parts.tenancy import NOBODY, Call, Heir, Stay, Tenancy
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


class State(NamedTuple):
    epoch: int
    promised: int
    members: tuple[int, ...]
    tenancy: tuple[Any, ...]
    moved: int
    holder: int
    forum: tuple[Any, ...]
    heard: tuple[Any, ...]
    awaiting: tuple[int, ...]
    alarms: tuple[Any, ...]
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
        self.alarms: Final = Alarms(clocks)
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
            self.forum = Forum(first_session, home, [vacant() for _ in range(slots)], [])
        self.serving = False  # only while a step lasts
        self.heard: Final = Hearsay(form != HOME)  # as one of those who are told
        self.awaiting: list[int] = []  # whose news have to come before the forum may move
        self.arbiters: list[int] = []  # whom we tell
        self.alive: tuple[int, ...] | None = None  # who is, where not all are
        self.choose_arbiters()
        # Between a report and its view.
        self.reported = 0  # our tickets up to this one are reported
        self.unready: list[int] = []  # sessions that are reported as not set up
        self.untold: list[tuple[list[int], bool]] = []  # tickets that are over since, how
        self.early: list[tuple[int, Message]] = []  # what later views have said

    def choose_arbiters(self) -> None:
        self.alive = self.members if len(self.members) <= len(self.peers) else None
        if self.form == HOME:
            self.arbiters = [self.holder]
        else:
            told = self.quorum_of(self.me) if self.form == QUORUM else self.members
            self.arbiters = [site for site in told if site != self.me]
            if len(self.arbiters) == len(self.peers):
                self.arbiters = self.peers

    def quorum_of(self, site: int) -> tuple[int, ...]:
        """Whom it tells; all, where so many are gone that there is no quorum."""
        assert self.pick is not None
        return self.pick.quorum(site, 0, self.alive) or self.members

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
            ask = Ask(self.epoch, call.ticket, floor, call.groups)
            out.broadcast(self.arbiters, ask)  # L3
            self.pass_news(self.me, call.ticket, call.groups, [], out)
        self.heard.ask(self.me, call.ticket, floor, call.groups, self.forum)  # L4
        self.serve(out)

    def release(self, rid: int, out: Outbox) -> None:
        stay = self.own.out(rid)
        if not (stay.inside or stay.open):
            self.leave(out)  # L5

    def withdraw(self, rid: int, out: Outbox) -> None:
        self.end(rid, False, out)
        out.withdrawn(rid)  # L6

    def expire(self, rid: int, out: Outbox) -> None:
        self.end(rid, True, out)
        out.lost(rid)  # L7

    def force(self, rid: int, out: Outbox) -> None:
        self.expire(rid, out)

    def end(self, rid: int, badly: bool, out: Outbox) -> None:
        if rid in self.own.holds:
            self.own.holds[rid].spoilt |= badly  # L8
            self.release(rid, out)
            return
        call = self.own.drop(rid)
        if call is not None:
            self.tell_over([call.ticket], 0, False, call.heir, out)  # L9

    def leave(self, out: Outbox) -> None:
        stay = self.own.next_to_leave()
        while stay is not None:
            self.tell_over(stay.tickets, stay.session, stay.spoilt, stay.heir, out)  # L10
            stay = self.own.next_to_leave()

    def tell_over(
        self, tickets: list[int], session: int, spoilt: bool, heir: Heir, out: Outbox
    ) -> None:
        if self.is_frozen():
            self.untold.append((tickets, spoilt))  # L11
            return
        if heir != NOBODY:
            self.tell_heir(heir, tickets, spoilt, out)  # L12
        if self.is_awaited():
            out.broadcast(self.arbiters, Over(self.epoch, tickets, session, spoilt))  # L13
            self.pass_news(self.me, 0, (), tickets, out)
        self.heard.end(self.me, tickets, spoilt, self.forum)
        self.enter(out)
        self.serve(out)

    def is_awaited(self) -> bool:
        """Whether others have to know who leaves."""
        if self.forum is None:
            return True
        return self.form == BROADCAST and self.forum.is_decided_ahead()

    def tell_heir(self, heir: Heir, tickets: list[int], spoilt: bool, out: Outbox) -> None:
        left = Left(self.epoch, heir[2], tickets, spoilt)
        if heir[1] != self.me:
            out.send(heir[1], left)
        else:
            self.own.left(self.me, left)
            self.enter(out)

    def setup_done(self, session: int, ok: bool, out: Outbox) -> None:
        stay = self.own.stay_in(session)
        if stay is not None and stay.preparing and not ok:
            self.release(stay.preparing, out)  # L14
        elif stay is not None and stay.preparing:
            stay.preparing, stay.open = 0, stay.stays  # L15
            if not self.is_frozen():
                self.tell_ready(stay, out)

    def tell_ready(self, stay: Stay, out: Outbox) -> None:
        ticket = stay.tickets[0]
        if self.forum is None:
            out.broadcast(self.arbiters, Ready(self.epoch, ticket))  # L16
        elif self.forum.ready(self.me, ticket):
            self.serve(out)

    # What others tell us.

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        epoch: int = msg.epoch  # type: ignore[attr-defined]  # every word has one
        if epoch > self.epoch:
            self.early.append((src, msg))  # L17
        elif epoch == self.epoch and not self.is_frozen():
            self.hear(src, msg, out)

    def hear(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.heard.ask(src, msg.ticket, msg.floor, msg.groups, self.forum)  # L18
            self.pass_news(src, msg.ticket, msg.groups, [], out)
            self.serve(out)
        elif isinstance(msg, Over):
            self.heard.end(src, msg.tickets, msg.spoilt, self.forum)  # L19
            self.heard.begun = max(self.heard.begun, msg.session)  # L20
            self.pass_news(src, 0, (), msg.tickets, out)
            self.enter(out)
            self.serve(out)
        elif isinstance(msg, Grant):
            self.own.grant(msg)  # L21
            self.enter(out)
        elif isinstance(msg, Recall):
            self.recall(msg.tickets, (msg.session, msg.site, msg.heir), out)  # L22
        elif isinstance(msg, Left):
            self.own.left(src, msg)  # L23
            self.enter(out)
            if self.forum is not None:
                self.heard.end(src, msg.tickets, msg.spoilt, self.forum)
                self.serve(out)
        elif isinstance(msg, Ready):
            if self.forum is not None and self.forum.ready(src, msg.ticket):
                self.serve(out)  # L24
        else:
            self.hear_where(src, msg, out)

    def pass_news(
        self, site: int, ticket: int, groups: Groups, over: list[int], out: Outbox
    ) -> None:
        """An arbiter, we ourselves if we are one, tells the holder, if nobody else does."""
        if self.form == QUORUM and self.forum is None and self.holder not in (self.me, site):
            told = self.quorum_of(site)
            if self.me in told and self.holder not in told:
                asks = [Waiter(site, ticket, groups, 0)] if groups else []
                rows = [Row(site, 0, over)] if over else []
                out.send(self.holder, News(self.epoch, 0, asks, rows))  # L25

    # A ticket is let in, or told to leave.

    def enter(self, out: Outbox) -> None:
        begun = self.heard.begun if self.slots == 1 else 0
        call = self.own.next_to_enter(self.heard.over, begun)
        while call is not None:
            setup = self.own.enter(call)
            out.granted(call.rid, call.group, call.slot, call.session, setup)  # L26
            call = self.own.next_to_enter(self.heard.over, begun)

    def recall(self, tickets: list[int], heir: Heir, out: Outbox) -> None:
        gone = self.own.recall(tickets, heir)
        if gone and heir != NOBODY:
            self.tell_heir(heir, gone, False, out)  # L27
        self.leave(out)

    # The forum's holder.

    def serve(self, out: Outbox) -> None:
        """Once more when one of our own left meanwhile; then the forum follows its newest pivot."""
        if self.forum is None or self.serving:
            return
        self.serving = True
        opener: Order | None = None
        orders = self.forum.serve(self.rules)  # L28
        while orders:
            for order in orders:
                if order.opens and order.site != self.me and self.may_move(order):
                    if opener is not None:
                        self.carry_out(opener, out)
                    opener = order  # L29
                else:
                    self.carry_out(order, out)
            orders = self.forum.serve(self.rules)
        self.serving = False
        for session in self.forum.ended:
            out.ended(session)
        self.forum.ended = []
        if self.alarms.some:
            self.wind(self.forum, out)
        if opener is not None:
            self.hand_over(opener, out)

    def may_move(self, order: Order) -> bool:
        """With quorums a move is told to many: not before a site opens a second session."""
        if self.form == HOME or self.awaiting or (self.form == QUORUM and not order.again):
            return False
        return self.forum is not None and not self.forum.is_haunted()

    def carry_out(self, order: Order, out: Outbox) -> None:
        msg = as_message(order, self.epoch)
        if order.site == self.me:
            self.hear(self.me, msg, out)
        else:
            out.send(order.site, msg)  # L30

    def hand_over(self, order: Order, out: Outbox) -> None:
        assert self.forum is not None
        self.moved, self.holder = self.moved + 1, order.site
        primary = handed_over(order, self.epoch, self.moved, self.forum, self.heard.over)
        self.forum = None
        out.send(order.site, primary)  # L31

    def on_primary(self, msg: Primary, out: Outbox) -> None:
        if msg.move <= self.moved:
            return  # repeated
        self.moved, self.holder = msg.move, self.me
        self.forum = Forum(msg.sessions, msg.opener, msg.slots, msg.queue)  # L32
        self.heard.over.merge(msg.over)
        grant = inherited(msg, self.rules.stay)
        self.heard.tell(self.forum)  # L33
        self.own.grant(grant)
        self.enter(out)
        self.announce(out)
        self.serve(out)

    # Where the forum is.

    def hear_where(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Primary):
            self.on_primary(msg, out)
        elif isinstance(msg, Announce):
            self.on_announce(src, msg, out)
        elif isinstance(msg, News):
            self.on_news(src, msg, out)

    def announce(self, out: Outbox) -> None:
        if self.form == QUORUM:
            assert self.pick is not None
            quorum = self.pick.read(self.me, 0, self.alive) or self.members
            self.awaiting = [site for site in quorum if site != self.me]
            out.broadcast(list(self.awaiting), Announce(self.epoch, self.moved))  # L34

    def on_announce(self, src: int, msg: Announce, out: Outbox) -> None:
        if msg.move >= self.moved:
            self.moved, self.holder = msg.move, src
        heard = self.heard
        out.send(src, News(self.epoch, msg.move, heard.waiters(), heard.over.rows()))  # L35

    def on_news(self, src: int, msg: News, out: Outbox) -> None:
        self.heard.over.merge(msg.over)
        for w in msg.asks:
            self.heard.ask(w.site, w.ticket, 0, w.groups, self.forum)
        if self.forum is not None:
            self.heard.strike(self.forum)
            if msg.move == self.moved and src in self.awaiting:
                self.awaiting.remove(src)  # L36
            self.enter(out)
            self.serve(out)

    # Timers of the forum's holder.

    def wind(self, forum: Forum, out: Outbox) -> None:
        """Have the timers run that are wanted now, and no others."""
        for tag in self.alarms.stop(forum):
            out.cancel_timer(tag)
        for tag in self.alarms.start(forum):
            out.timer(tag, self.alarms.after(tag))

    def on_timer(self, tag: int, out: Outbox) -> None:
        assert self.forum is not None, "the forum moves only where no timers run"
        self.alarms.ring(tag, self.forum, self.rules.patience)  # L37
        self.serve(out)

    # A new view: from the report to it nothing is said, and nobody enters.

    def is_frozen(self) -> bool:
        return self.promised > self.epoch

    def on_report(self, epoch: int, out: Outbox) -> None:
        if self.forum is not None and self.forum.is_haunted():
            out.cancel_timer(GHOSTS)
        for tag in self.alarms.forget():
            out.cancel_timer(tag)
        self.promised = epoch
        self.own.freeze()  # L38
        self.reported = self.own.made
        self.unready = [stay.session for stay in self.own.stays if stay.preparing]
        self.untold = []
        out.report(report_of(self.epoch, self.members, self.own, self.forum))  # L39

    def on_view(self, view: View, out: Outbox) -> None:
        if view.epoch < self.promised or view.epoch <= self.epoch:
            return  # a newer one is being made, or was
        self.epoch = self.promised = view.epoch
        self.members = view.members
        self.holder, self.moved, self.awaiting = view.members[0], 0, []
        self.forum = rebuild(view, self.slots) if self.holder == self.me else None  # L40
        self.choose_arbiters()
        self.heard.renew(finished(view), self.forum)
        if self.forum is not None and self.forum.is_haunted():
            out.timer(GHOSTS, self.alarms.clocks.ghosts)  # L41
        self.catch_up(out)
        self.serve(out)

    def catch_up(self, out: Outbox) -> None:
        """Say what could not be said since the report, then hear what came too early."""
        for stay in self.own.stays:
            if stay.session in self.unready and not stay.preparing:
                self.tell_ready(stay, out)
        for tickets, spoilt in self.untold:
            self.tell_over(tickets, 0, spoilt, NOBODY, out)  # L42
        for call in list(self.own.calls):
            if call.ticket > self.reported:
                self.ask(call, out)  # L43
        self.reported, self.unready, self.untold = 0, [], []
        early, self.early = self.early, []
        for src, msg in early:
            self.on_message(src, msg, out)  # L44

    def tokens(self) -> int:
        return 1 if self.forum is not None else 0

    def passed(self) -> int:
        return self.forum.passed() if self.forum is not None else 0

    def is_idle(self) -> bool:
        """Whether there is nothing here that anybody needs: a driver may forget this site."""
        mine = self.own.calls or self.own.stays or self.heard.asks or self.early
        return not mine and not self.is_frozen() and not (self.forum and self.forum.tickets())

    def save(self) -> State:
        untold = tuple([(tuple(tickets), spoilt) for tickets, spoilt in self.untold])
        return State(
            self.epoch,
            self.promised,
            self.members,
            self.own.save(),
            self.moved,
            self.holder,
            save_forum(self.forum) if self.forum is not None else (),
            self.heard.save(),
            tuple(self.awaiting),
            self.alarms.save(),
            (self.reported, tuple(self.unready), untold),
            tuple([(src, MESSAGES.pack(msg)) for src, msg in self.early]),
        )

    def load(self, state: State) -> None:
        self.epoch, self.promised, self.members = state.epoch, state.promised, state.members
        self.own.load(state.tenancy)
        self.moved, self.holder = state.moved, state.holder
        self.forum = load_forum(state.forum) if state.forum else None
        self.heard.load(state.heard)
        self.awaiting = list(state.awaiting)
        self.alarms.load(state.alarms)
        self.reported, unready, untold = state.reported
        self.unready = list(unready)
        self.untold = [(list(tickets), spoilt) for tickets, spoilt in untold]
        n = len(self.peers) + 1
        self.early = [(src, MESSAGES.unpack(packed, n)) for src, packed in state.early]
        self.choose_arbiters()


FORMS: Final = {"broadcast": BROADCAST, "quorum": QUORUM, "home": HOME}


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Jukebox:
    """Beside the catalog's options a driver may give where the `home` is, the sessions that were
    before (`first_session`), the first ticket, and how long a `ghost` stays."""
    form = FORMS[str(options["form"])]
    rules = rules_of(options, me if form == HOME else NOWHERE, form == BROADCAST)
    return Jukebox(
        me, peers, form, int(options["slots"]), rules, clocks_of(options),
        number(options, "home", 0), number(options, "first_session", 0),
        number(options, "first_ticket", 1), pick,
    )  # fmt: skip
