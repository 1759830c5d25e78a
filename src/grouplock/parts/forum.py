"""A forum: k slots with their sessions, and the queue of those who want in.

What may live here: who is let in next, and nothing that is said to anybody.  The forum is told
what was asked for and what is over; `serve` answers with the orders to be sent.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.parts.sessions import (
    GHOST,
    Member,
    SavedSlot,
    Session,
    Slot,
    Waiter,
    current,
    enlist,
    haunted,
    is_in,
    load_slot,
    save_slot,
    strike,
)
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, Groups
from grouplock.protocol.system import Options

NOWHERE: Final = -1

SavedForum = tuple[int, int, tuple[SavedSlot, ...], tuple[tuple[int, int, Groups, int], ...]]


@final
class Rules:
    """What a forum is run by; it does not travel."""

    def __init__(
        self, me: int, by_priority: bool, ahead: bool, together: bool, stay: bool, setup: bool,
        lingers: bool, patience: int, joins: int,
    ) -> None:  # fmt: skip
        self.me: Final = me  # who runs it
        self.by_priority: Final = by_priority
        self.ahead: Final = ahead  # the next session is decided while the present one ends
        self.together: Final = together  # and all of it is let in ahead, not the first alone
        self.stay: Final = stay
        self.setup: Final = setup
        self.lingers: Final = lingers
        self.patience: Final = (
            patience  # so many sessions may begin past a request, then it is next
        )
        self.joins: Final = joins  # so many may join a session past somebody who waits


PATIENCE: Final = 64  # the default of how many sessions may begin past a request
JOINS: Final = 64  # and of how many may join one past somebody who waits


def number(options: Options, name: str, default: int) -> int:
    value = options.get(name, default)
    return default if value == "off" else int(value)


def rules_of(options: Options, me: int, together: bool) -> Rules:
    return Rules(
        me,
        options["policy"] == "priority",
        options["ahead"] == "on",
        together,
        options["stay"] == "on",
        options["setup"] == "on",
        number(options, "linger", 0) > 0,
        number(options, "patience", PATIENCE),
        number(options, "joins", JOINS),
    )


@final
class Order:
    """Let a ticket in (`session` > 0), or tell a member to leave when it is idle."""

    def __init__(self, site: int, tickets: list[int]) -> None:
        self.site: Final = site
        self.tickets: Final = tickets
        self.place = 0
        self.session = 0
        self.group = 0
        self.stay = False
        self.opens = False  # it is the first of its session
        self.again = False  # and its site was that of the session before
        self.setup = NO_SETUP
        self.after: list[Member] = []  # who has to leave first
        self.heir = (0, 0, 0)  # whose session is next, its site and its ticket; or nobody


@final
class Forum:
    def __init__(self, sessions: int, opener: int, slots: list[Slot], queue: list[Waiter]) -> None:
        self.sessions = sessions  # the last one's number
        self.opener = opener  # and the site of its first entrant
        self.slots = slots
        self.queue = queue  # the oldest first
        self.ended: list[int] = []  # sessions that ended since somebody looked

    # What is learned.

    def knows(self, site: int, ticket: int) -> bool:
        """Whether the ticket is queued or inside."""
        for w in self.queue:
            if w.site == site and w.ticket == ticket:
                return True
        for slot in self.slots:
            for session in slot.present:
                if is_in(session, site, ticket):
                    return True
            for session in slot.following:
                if is_in(session, site, ticket):
                    return True
        return False

    def tickets(self) -> list[tuple[int, int]]:
        """All that are queued or inside; ghosts are neither."""
        found = [(w.site, w.ticket) for w in self.queue]
        for slot in self.slots:
            for session in (*slot.present, *slot.following):
                for member in session.members:
                    found += [(member.site, t) for t in member.tickets if t != GHOST]
        return found

    def ask(self, site: int, ticket: int, groups: Groups) -> None:
        self.queue.append(Waiter(site, ticket, groups, 0))

    def over(self, site: int, ticket: int, spoilt: bool) -> None:
        """The ticket waits no more and is not inside any more."""
        for at, w in enumerate(self.queue):
            if w.site == site and w.ticket == ticket:
                del self.queue[at]
                return
        for slot in self.slots:
            for session in slot.present:
                strike(session, site, ticket, spoilt)
            for session in slot.following:
                strike(session, site, ticket, spoilt)

    def ready(self, site: int, ticket: int) -> bool:
        """The pivot has set its session up; whether it was still to be set up."""
        for slot in self.slots:
            for session in (*slot.present, *slot.following):
                if session.opening and session.site == site and session.ticket == ticket:
                    session.opening = False
                    return True
        return False

    # What is decided.

    def serve(self, rules: Rules) -> list[Order]:
        """Let in whoever may come in, and recall whoever is in the way."""
        orders: list[Order] = []
        self.tidy(rules)
        blocked = self.join(rules, orders)
        while blocked and self.open_slot(rules, orders):
            blocked = self.join(rules, orders)
        if blocked and rules.ahead and len(self.slots) == 1 and self.decide_ahead(rules, orders):
            blocked = self.join(rules, orders)
        if rules.stay:
            self.recall(blocked, orders)
        if not blocked:
            for slot in self.slots:
                for session in slot.present:
                    session.joined = 0
        return orders

    def tidy(self, rules: Rules) -> None:
        """Sessions without members end; who was decided ahead comes after them."""
        for slot in self.slots:
            if slot.following and not slot.following[0].members:
                self.close(slot.following[0])
                slot.following = []
            if slot.present and not slot.present[0].members:
                session = slot.present[0]
                if rules.lingers and not (slot.following or session.spoilt or session.late):
                    slot.lingers = True
                    continue
                slot.last = (
                    UNKNOWN_GROUP + 2 if session.opening or session.spoilt else session.group + 2
                )
                slot.used = session.number
                slot.present, slot.following = slot.following, []
                slot.lingers = False
                self.close(session)
            else:
                slot.lingers = False

    def close(self, session: Session) -> None:
        self.ended.append(session.number)

    def join(self, rules: Rules, orders: list[Order]) -> bool:
        """In order of arrival, into sessions that are there; whether anybody is blocked."""
        blocked = False
        rest: list[Waiter] = []
        for w in self.queue:
            place = self.door(w, blocked, rules)
            if place != NOWHERE:
                session = current(self.slots[place])
                if blocked:
                    session.joined += 1
                self.admit(w, place, session, rules, not blocked, orders)
                continue
            rest.append(w)
            if not self.is_promised(w, rules):
                blocked = True
        if len(rest) < len(self.queue):
            self.queue = rest
        return blocked

    def door(self, w: Waiter, blocked: bool, rules: Rules) -> int:
        """The slot with an open door for this request, past those who are blocked if any are."""
        for place, slot in enumerate(self.slots):
            if not slot.present:
                continue
            session = current(slot)
            if session.group not in w.groups or session.opening:
                continue
            if slot.following and not rules.together:
                continue
            if not blocked or has_pivot(session, slot, rules):
                return place
        return NOWHERE

    def is_promised(self, w: Waiter, rules: Rules) -> bool:
        """Whether a session that it accepts is about to open."""
        for slot in self.slots:
            if not slot.present or current(slot).group not in w.groups:
                continue
            if current(slot).opening or (slot.following and not rules.together):
                return True
        return False

    def admit(
        self, w: Waiter, place: int, session: Session, rules: Rules, stay: bool, orders: list[Order]
    ) -> Order:
        slot = self.slots[place]
        order = Order(w.site, [w.ticket])
        order.place, order.session, order.group = place, session.number, session.group
        order.stay = stay and rules.stay
        if slot.following:
            order.after = slot.present[0].members
        if slot.lingers:
            slot.lingers = False
            session.site, session.ticket = w.site, w.ticket
        enlist(session, w.site, w.ticket, not order.stay)
        orders.append(order)
        return order

    def open_slot(self, rules: Rules, orders: list[Order]) -> bool:
        """A new session in a free slot, if there is one, and a group for it."""
        free = [place for place, slot in enumerate(self.slots) if not slot.present]
        if not free:
            return False
        group = self.next_group(rules)
        if group == NOWHERE:
            return False
        place = free[0]
        for other in free:
            if self.suits(other, group) > self.suits(place, group):
                place = other
        slot = self.slots[place]
        setup = slot.last - 2 if rules.setup and slot.last != group + 2 else NO_SETUP
        self.begin(place, slot.present, group, setup, rules, True, orders)
        return True

    def suits(self, place: int, group: int) -> int:
        """The same group as last time, then never used, then least recently used."""
        slot = self.slots[place]
        if slot.last == group + 2:
            return 1
        return -slot.used

    def decide_ahead(self, rules: Rules, orders: list[Order]) -> bool:
        """The session after the present one, once its door is closed; whether it was decided."""
        for place, slot in enumerate(self.slots):
            if not slot.present or slot.following or slot.present[0].opening or slot.lingers:
                continue
            session = slot.present[0]
            if has_pivot(session, slot, rules) or haunted(session):
                continue
            group = self.next_group(rules)
            if group != NOWHERE:
                setup = NO_SETUP
                if rules.setup:
                    setup = UNKNOWN_GROUP if session.spoilt else session.group
                self.begin(place, slot.following, group, setup, rules, rules.together, orders)
                if not rules.together and slot.following[0].site != rules.me:
                    self.name_heir(session, slot.following[0], orders)
                return True
        return False

    def name_heir(self, session: Session, following: Session, orders: list[Order]) -> None:
        for member in session.members:
            member.told = True
            order = Order(member.site, list(member.tickets))
            order.heir = (following.number, following.site, following.ticket)
            orders.append(order)

    def begin(
        self, place: int, where: list[Session], group: int, setup: int, rules: Rules,
        all_of_it: bool, orders: list[Order],
    ) -> None:  # fmt: skip
        self.sessions += 1
        first = next(w for w in self.queue if group in w.groups)
        opening = setup != NO_SETUP
        session = Session(
            self.sessions, group, first.site, first.ticket, opening, False, False, 0, []
        )
        where.append(session)
        rest: list[Waiter] = []
        conflict = False
        for w in self.queue:
            conflict = conflict or group not in w.groups
        for w in self.queue:
            if w is first:
                order = self.admit(w, place, session, rules, not conflict, orders)
                order.opens, order.setup = True, setup
                order.again = w.site == self.opener
            elif group in w.groups and all_of_it and not opening:
                self.admit(w, place, session, rules, not conflict, orders)
            else:
                rest.append(w)
        self.queue, self.opener = rest, first.site
        for w in rest:
            if not self.is_promised(w, rules):
                w.age += 1

    def next_group(self, rules: Rules) -> int:
        """By number of requests plus their ages, of the groups that are in no slot; or that of
        the oldest request that has been patient for long enough, or of the oldest of all."""
        taken: list[int] = []
        for slot in self.slots:
            taken += [session.group for session in slot.present]
            taken += [session.group for session in slot.following]
        weights: dict[int, int] = {}
        eligible: list[Waiter] = []
        for w in self.queue:
            groups = [group for group in w.groups if group not in taken]
            if len(groups) < len(w.groups) and self.is_promised(w, rules):
                continue
            for group in groups:
                weights[group] = weights.get(group, 0) + 1 + w.age
            if groups:
                eligible.append(w)
        overdue = [w for w in eligible if w.age >= rules.patience]
        if overdue:
            eligible = overdue[:1]
        elif not rules.by_priority:
            eligible = eligible[:1]
        best, weight = NOWHERE, 0
        for w in eligible:  # the oldest in the queue wins a tie
            for group in w.groups:
                if group in weights and weights[group] > weight:
                    best, weight = group, weights[group]
        return best

    def recall(self, blocked: bool, orders: list[Order]) -> None:
        """Somebody waits for them: whoever is in these sessions is to leave when idle."""
        for slot in self.slots:
            if blocked or slot.following:
                for session in slot.present:
                    self.recall_members(session, orders)
            if blocked:
                for session in slot.following:
                    self.recall_members(session, orders)

    def recall_members(self, session: Session, orders: list[Order]) -> None:
        for member in session.members:
            if not member.told:
                member.told = True
                orders.append(Order(member.site, list(member.tickets)))

    # What the holder's clock says.

    def exorcise(self) -> None:
        """Nobody can believe any more in a hold of a lost site."""
        for slot in self.slots:
            for session in slot.present:
                session.members = [m for m in session.members if GHOST not in m.tickets]

    def is_haunted(self) -> bool:
        return any([haunted(session) for slot in self.slots for session in slot.present])

    def is_decided_ahead(self) -> bool:
        return any([slot.following for slot in self.slots])

    def close_doors(self, patience: int) -> None:
        """The oldest request has waited for too long: nobody joins past it, and it is next."""
        for slot in self.slots:
            for session in (*slot.present, *slot.following):
                session.late = True
        if self.queue:
            self.queue[0].age = max(self.queue[0].age, patience)

    def passed(self) -> int:
        """The most sessions that were begun past anybody who waits."""
        most = 0
        for w in self.queue:
            most = max(most, w.age)
        return most


def has_pivot(session: Session, slot: Slot, rules: Rules) -> bool:
    """Whether newcomers may still join past somebody who waits."""
    if session.late or session.joined >= rules.joins:
        return False
    return slot.lingers or is_in(session, session.site, session.ticket)


def save_forum(forum: Forum) -> SavedForum:
    slots = tuple([save_slot(slot) for slot in forum.slots])
    queue = tuple([(w.site, w.ticket, w.groups, w.age) for w in forum.queue])
    return forum.sessions, forum.opener, slots, queue


def load_forum(saved: SavedForum) -> Forum:
    slots = [load_slot(slot) for slot in saved[2]]
    return Forum(saved[0], saved[1], slots, [Waiter(*w) for w in saved[3]])
