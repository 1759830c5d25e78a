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

from grouplock.parts import forum as forums
from grouplock.parts.forum import QUEUE, SLOTS, Forum, Order, Rules, Slot, Waiter, current
from grouplock.parts.ledger import ROWS, Ledger, Row
from grouplock.parts.tenancy import NOBODY, Call, Pair, Stay, load_call, load_stay
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, Groups
from grouplock.protocol.message import (
    COUNT,
    COUNTS,
    FLAG,
    GROUPS,
    SITE,
    Message,
    Messages,
    Records,
    Shape,
)
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

BROADCAST: Final = 0
QUORUM: Final = 1
HOME: Final = 2


@final
class Ask(Message):
    """All of the sender's tickets below `floor` are over."""

    def __init__(self, epoch: int, ticket: int, floor: int, groups: Groups) -> None:
        self.epoch: Final = epoch
        self.ticket: Final = ticket
        self.floor: Final = floor
        self.groups: Final = groups


@final
class Over(Message):
    """These tickets wait no more and are not inside any more."""

    def __init__(self, epoch: int, tickets: list[int], spoilt: bool) -> None:
        self.epoch: Final = epoch
        self.tickets: Final = tickets
        self.spoilt: Final = spoilt


@final
class Ready(Message):
    """The session that was opened for this ticket is set up."""

    def __init__(self, epoch: int, ticket: int) -> None:
        self.epoch: Final = epoch
        self.ticket: Final = ticket


@final
class Leaver(Message):
    """On the wire as a record: a ticket that has to be over first."""

    def __init__(self, site: int, ticket: int) -> None:
        self.site: Final = site
        self.ticket: Final = ticket


@final
class Grant(Message):
    """`setup` is two more than what `granted` says about it."""

    def __init__(
        self, epoch: int, ticket: int, group: int, slot: int, session: int, stay: bool, setup: int,
        after: list[Leaver],
    ) -> None:  # fmt: skip
        self.epoch: Final = epoch
        self.ticket: Final = ticket
        self.group: Final = group
        self.slot: Final = slot
        self.session: Final = session
        self.stay: Final = stay
        self.setup: Final = setup
        self.after: Final = after


@final
class Recall(Message):
    """Leave with these tickets when idle, and tell the heir, a ticket (0: nobody)."""

    def __init__(self, epoch: int, tickets: list[int], site: int, heir: int) -> None:
        self.epoch: Final = epoch
        self.tickets: Final = tickets
        self.site: Final = site
        self.heir: Final = heir


@final
class Left(Message):
    """To an heir: these tickets of ours are over."""

    def __init__(self, epoch: int, heir: int, tickets: list[int], spoilt: bool) -> None:
        self.epoch: Final = epoch
        self.heir: Final = heir
        self.tickets: Final = tickets
        self.spoilt: Final = spoilt


@final
class Primary(Message):
    """The forum itself, to the pivot of the newest session, which is in this slot."""

    def __init__(
        self, epoch: int, move: int, slot: int, setup: int, sessions: int, slots: list[Slot],
        queue: list[Waiter], over: list[Row],
    ) -> None:  # fmt: skip
        self.epoch: Final = epoch
        self.move: Final = move
        self.slot: Final = slot
        self.setup: Final = setup
        self.sessions: Final = sessions
        self.slots: Final = slots
        self.queue: Final = queue
        self.over: Final = over


@final
class Announce(Message):
    """The sender holds the forum, since so many moves."""

    def __init__(self, epoch: int, move: int) -> None:
        self.epoch: Final = epoch
        self.move: Final = move


@final
class News(Message):
    """What the sender knows: all of it, as the answer to a move's announcement, or what is new."""

    def __init__(self, epoch: int, move: int, asks: list[Waiter], over: list[Row]) -> None:
        self.epoch: Final = epoch
        self.move: Final = move
        self.asks: Final = asks
        self.over: Final = over


AFTER: Final = Records(Shape(Leaver, site=SITE, ticket=COUNT))
MESSAGES: Final = Messages(
    Shape(Ask, epoch=COUNT, ticket=COUNT, floor=COUNT, groups=GROUPS),
    Shape(Over, epoch=COUNT, tickets=COUNTS, spoilt=FLAG),
    Shape(Ready, epoch=COUNT, ticket=COUNT),
    Shape(
        Grant,
        epoch=COUNT,
        ticket=COUNT,
        group=COUNT,
        slot=COUNT,
        session=COUNT,
        stay=FLAG,
        setup=COUNT,
        after=AFTER,
    ),
    Shape(Recall, epoch=COUNT, tickets=COUNTS, site=SITE, heir=COUNT),
    Shape(Left, epoch=COUNT, heir=COUNT, tickets=COUNTS, spoilt=FLAG),
    Shape(
        Primary,
        epoch=COUNT,
        move=COUNT,
        slot=COUNT,
        setup=COUNT,
        sessions=COUNT,
        slots=SLOTS,
        queue=QUEUE,
        over=ROWS,
    ),
    Shape(Announce, epoch=COUNT, move=COUNT),
    Shape(News, epoch=COUNT, move=COUNT, asks=QUEUE, over=ROWS),
    token=Primary,
)


class State(NamedTuple):
    epoch: int
    made: int
    calls: tuple[Any, ...]
    stays: tuple[Any, ...]
    holds: tuple[tuple[int, int], ...]
    moved: int
    holder: int
    forum: tuple[Any, ...]
    asks: tuple[tuple[int, int, Groups], ...]
    over: tuple[Any, ...]
    awaiting: tuple[int, ...]


@final
class Jukebox(Site[State]):
    def __init__(
        self, me: int, peers: list[int], form: int, slots: int, rules: Rules, home: int,
        first_session: int, first_ticket: int, pick: Pick | None,
    ) -> None:  # fmt: skip
        super().__init__(me, peers)
        self.form: Final = form
        self.rules: Final = rules
        self.pick: Final = pick
        self.epoch = 0
        # Our own requests.
        self.made = first_ticket - 1  # tickets so far
        self.calls: list[Call] = []
        self.stays: list[Stay] = []
        self.holds: dict[int, Stay] = {}
        # The forum, and where it is.
        self.moved = 0  # how often, as far as we know
        self.holder = home
        self.forum: Forum | None = None
        self.serving = False
        if me == home:
            self.forum = Forum(first_session, [Slot([], [], 1, 0, False) for _ in range(slots)], [])
        # What others told us, as one of those who know.
        self.asks: dict[Pair, Groups] = {}  # as they came
        self.over: Final = Ledger()
        self.awaiting: list[int] = []  # whose news have to come before the forum may move
        self.arbiters: list[int] = []  # whom we tell
        self.choose_arbiters()

    def choose_arbiters(self) -> None:
        if self.form == BROADCAST:
            self.arbiters = self.peers
        elif self.form == HOME:
            self.arbiters = [self.holder]
        else:
            assert self.pick is not None
            self.arbiters = [site for site in self.pick.quorum(self.me) or () if site != self.me]

    # Our own clients.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        for stay in self.stays:
            if stay.open and stay.group in groups:
                stay.inside += 1
                self.holds[rid] = stay
                out.granted(rid, stay.group, stay.slot, stay.session)  # L1
                return
        self.made += 1
        call = Call(rid, self.made, groups)
        self.calls.append(call)
        self.ask(call, out)

    def ask(self, call: Call, out: Outbox) -> None:
        floor = self.floor()
        if self.forum is None:
            self.tell(Ask(self.epoch, call.ticket, floor, call.groups), out)
        self.note_ask(self.me, call.ticket, floor, call.groups)
        self.serve(out)

    def floor(self) -> int:
        """The lowest of our tickets that is not over."""
        lowest = self.made + 1
        for call in self.calls:
            lowest = min(lowest, call.ticket)
        for stay in self.stays:
            for ticket in stay.tickets:
                lowest = min(lowest, ticket)
        return lowest

    def release(self, rid: int, out: Outbox) -> None:
        stay = self.holds.pop(rid)
        stay.inside -= 1
        if stay.preparing == rid:
            stay.preparing, stay.spoilt = 0, True
        if not stay.inside and not stay.open:
            self.leave(stay, out)

    def withdraw(self, rid: int, out: Outbox) -> None:
        if rid in self.holds:
            self.release(rid, out)
        else:
            self.give_up(rid, out)
        out.withdrawn(rid)

    def expire(self, rid: int, out: Outbox) -> None:
        if rid in self.holds:
            self.holds[rid].spoilt = True
            self.release(rid, out)
        else:
            self.give_up(rid, out)
        out.lost(rid)

    def force(self, rid: int, out: Outbox) -> None:
        self.expire(rid, out)

    def give_up(self, rid: int, out: Outbox) -> None:
        for at, call in enumerate(self.calls):
            if call.rid == rid:
                del self.calls[at]
                self.tell_over([call.ticket], False, call.heir, out)
                return

    def leave(self, stay: Stay, out: Outbox) -> None:
        self.stays.remove(stay)
        self.tell_over(stay.tickets, stay.spoilt, stay.heir, out)

    def setup_done(self, session: int, ok: bool, out: Outbox) -> None:
        for stay in self.stays:
            if stay.session == session and stay.preparing:
                rid = stay.preparing
                if not ok:
                    self.release(rid, out)
                    return
                stay.preparing = 0
                stay.open = stay.stays
                self.tell_ready(stay, out)
                return

    def tell_ready(self, stay: Stay, out: Outbox) -> None:
        if self.forum is None:
            self.tell(Ready(self.epoch, stay.tickets[0]), out)
        else:
            self.forum.ready(self.me, stay.tickets[0])
            self.serve(out)

    def tell_over(self, tickets: list[int], spoilt: bool, heir: Pair, out: Outbox) -> None:
        if heir != NOBODY:
            self.tell_heir(heir, tickets, spoilt, out)
        if self.forum is None or self.is_awaited():
            self.tell(Over(self.epoch, tickets, spoilt), out)
        self.note_over(self.me, tickets, spoilt)
        self.enter_what_may(out)
        self.serve(out)

    def is_awaited(self) -> bool:
        """Whether others count who leaves, beside the forum's holder."""
        if self.form != BROADCAST or self.forum is None:
            return False
        for slot in self.forum.slots:
            if slot.following:
                return True
        return False

    def tell_heir(self, heir: Pair, tickets: list[int], spoilt: bool, out: Outbox) -> None:
        left = Left(self.epoch, heir[1], tickets, spoilt)
        if heir[0] == self.me:
            self.on_left(self.me, left, out)
        else:
            out.send(heir[0], left)

    def tell(self, msg: Message, out: Outbox) -> None:
        out.broadcast(self.arbiters, msg)

    # What others tell us.

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            self.note_ask(src, msg.ticket, msg.floor, msg.groups)
            self.pass_news(src, msg.ticket, msg.groups, [], out)
            self.serve(out)
        elif isinstance(msg, Over):
            self.note_over(src, msg.tickets, msg.spoilt)
            self.pass_news(src, 0, (), msg.tickets, out)
            self.enter_what_may(out)
            self.serve(out)
        elif isinstance(msg, Grant):
            self.on_grant(msg, out)
        elif isinstance(msg, Recall):
            self.on_recall(msg.tickets, (msg.site, msg.heir), out)
        elif isinstance(msg, Left):
            self.on_left(src, msg, out)
        elif isinstance(msg, Ready):
            if self.forum is not None and self.forum.ready(src, msg.ticket):
                self.serve(out)
        elif isinstance(msg, Primary):
            self.on_primary(src, msg, out)
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

    def on_grant(self, msg: Grant, out: Outbox) -> None:
        call = self.call_of(msg.ticket)
        if call is None or call.session:
            return  # withdrawn, which its sender will hear; or repeated
        call.session, call.group, call.slot = msg.session, msg.group, msg.slot
        call.stay, call.setup = msg.stay, msg.setup - 2
        call.awaited = [(other.site, other.ticket) for other in msg.after]
        self.enter_what_may(out)

    def call_of(self, ticket: int) -> Call | None:
        for call in self.calls:
            if call.ticket == ticket:
                return call
        return None

    def enter_what_may(self, out: Outbox) -> None:
        entering: list[Call] = []
        for call in self.calls:
            if call.session:
                call.awaited = [
                    pair
                    for pair in call.awaited
                    if pair not in call.left and not self.over.has(pair[0], pair[1])
                ]
                if not call.awaited:
                    entering.append(call)
        for call in entering:
            self.enter(call, out)

    def enter(self, call: Call, out: Outbox) -> None:
        self.calls.remove(call)
        stay = self.stay_in(call.session)
        if stay is None:
            stay = Stay(call.session, call.group, call.slot)
            self.stays.append(stay)
        stay.tickets.append(call.ticket)
        stay.inside += 1
        stay.stays = call.stay and not call.recalled
        if call.heir != NOBODY:
            stay.heir = call.heir
        self.holds[call.rid] = stay
        setup = call.setup
        if setup != NO_SETUP:
            stay.preparing = call.rid
            if call.spoilt:
                setup = UNKNOWN_GROUP
        stay.open = stay.stays and not stay.preparing
        out.granted(call.rid, call.group, call.slot, call.session, setup)

    def stay_in(self, session: int) -> Stay | None:
        for stay in self.stays:
            if stay.session == session:
                return stay
        return None

    def on_recall(self, tickets: list[int], heir: Pair, out: Outbox) -> None:
        gone: list[int] = []
        leaving: list[Stay] = []
        for ticket in tickets:
            call = self.call_of(ticket)
            if call is not None:
                call.recalled = True
                if heir[1]:
                    call.heir = heir
                continue
            gone.append(ticket)
            for stay in self.stays:
                if ticket in stay.tickets:
                    gone.remove(ticket)
                    stay.stays = stay.open = False
                    if heir[1]:
                        stay.heir = heir
                    if not stay.inside and stay not in leaving:
                        leaving.append(stay)
        if gone and heir[1]:
            self.tell_heir(heir, gone, False, out)
        for stay in leaving:
            self.leave(stay, out)

    def on_left(self, src: int, msg: Left, out: Outbox) -> None:
        call = self.call_of(msg.heir)
        if call is None:
            return
        for ticket in msg.tickets:
            if (src, ticket) not in call.left:
                call.left.append((src, ticket))
        call.spoilt = call.spoilt or msg.spoilt
        self.enter_what_may(out)

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
                if order.opens and self.may_move() and order.site != self.me:
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
        return self.form != HOME and not self.awaiting

    def carry_out(self, order: Order, out: Outbox) -> None:
        if not order.session:
            if order.site == self.me:
                self.on_recall(order.tickets, (order.heir_site, order.heir), out)
            else:
                msg = Recall(self.epoch, order.tickets, order.heir_site, order.heir)
                out.send(order.site, msg)
            return
        grant = Grant(
            self.epoch, order.tickets[0], order.group, order.place, order.session, order.stay,
            order.setup + 2, leavers(order.after),
        )  # fmt: skip
        if order.site == self.me:
            self.on_grant(grant, out)
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

    def on_primary(self, src: int, msg: Primary, out: Outbox) -> None:
        if msg.move <= self.moved:
            return  # repeated
        self.moved, self.holder = msg.move, self.me
        self.forum = Forum(msg.sessions, msg.slots, msg.queue)
        self.over.merge(msg.over)
        session = current(msg.slots[msg.slot])
        asks, self.asks = self.asks, {}
        for (site, ticket), groups in asks.items():
            self.note_ask(site, ticket, 0, groups)
        stay = self.rules.stay and not session.members[0].told
        slot = msg.slots[msg.slot]
        after = leavers(slot.present[0].members) if slot.following else []
        grant = Grant(
            self.epoch, session.ticket, session.group, msg.slot, session.number, stay, msg.setup,
            after,
        )  # fmt: skip
        self.strike_over()
        self.on_grant(grant, out)
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
            self.awaiting = [site for site in self.pick.read(self.me) or () if site != self.me]
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
                self.awaiting = [site for site in self.awaiting if site != src]
            self.enter_what_may(out)
            self.serve(out)

    def tokens(self) -> int:
        return 1 if self.forum is not None else 0

    def save(self) -> State:
        places = {id(stay): at for at, stay in enumerate(self.stays)}
        return State(
            self.epoch,
            self.made,
            tuple([call.save() for call in self.calls]),
            tuple([stay.save() for stay in self.stays]),
            tuple([(rid, places[id(self.holds[rid])]) for rid in sorted(self.holds)]),
            self.moved,
            self.holder,
            forums.save(self.forum) if self.forum is not None else (),
            tuple([(*pair, groups) for pair, groups in self.asks.items()]),
            self.over.save(),
            tuple(self.awaiting),
        )

    def load(self, state: State) -> None:
        self.epoch, self.made = state.epoch, state.made
        self.calls = [load_call(saved) for saved in state.calls]
        self.stays = [load_stay(saved) for saved in state.stays]
        self.holds = {rid: self.stays[at] for rid, at in state.holds}
        self.moved, self.holder = state.moved, state.holder
        self.forum = forums.load(state.forum) if state.forum else None  # type: ignore[arg-type]
        self.asks = {(site, ticket): groups for site, ticket, groups in state.asks}
        self.over.load(state.over)
        self.awaiting = list(state.awaiting)


def leavers(members: list[forums.Member]) -> list[Leaver]:
    return [Leaver(member.site, ticket) for member in members for ticket in member.tickets]


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
        me, peers, form, int(options["slots"]), rules, number(options, "home", 0),
        number(options, "first_session", 0), number(options, "first_ticket", 1), pick,
    )  # fmt: skip
