"""A site's own side of a forum: requests that it has told others of, and sessions that it is in.

What may live here: which of them goes with which, and nothing that is said to anybody.
"""

from __future__ import annotations

from typing import Any, Final, final

from grouplock.parts.forum_words import Grant, Left
from grouplock.parts.ledger import Ledger
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, Groups

Pair = tuple[int, int]  # a site and its ticket
Heir = tuple[int, int, int]  # the next session in the slot, its first entrant and that one's ticket
NOBODY: Final[Heir] = (0, 0, 0)

Saved = tuple[Any, ...]


@final
class Call:
    """A request that waits.  Granted ahead, it enters when those who are `awaited` have left."""

    def __init__(self, rid: int, ticket: int, groups: Groups) -> None:
        self.rid: Final = rid
        self.ticket: Final = ticket
        self.groups: Final = groups
        self.recalled = False  # it is to leave when idle, though it has not entered yet
        self.heir = NOBODY  # and to tell this one
        self.left: list[Pair] = []  # who told us that it has left
        self.spoilt = False  # one of those ended badly
        self.session = 0  # granted ahead; 0: not yet
        self.group = 0
        self.slot = 0
        self.stay = False
        self.setup = NO_SETUP
        self.awaited: list[Pair] = []

    def save(self) -> Saved:
        return (
            self.rid, self.ticket, self.groups, self.recalled, self.heir, tuple(sorted(self.left)),
            self.spoilt, self.session, self.group, self.slot, self.stay, self.setup,
            tuple(self.awaited),
        )  # fmt: skip


@final
class Stay:
    """A session that we are in, by these tickets.  While it is open, whoever comes may enter."""

    def __init__(self, session: int, group: int, slot: int) -> None:
        self.session: Final = session
        self.group: Final = group
        self.slot: Final = slot
        self.tickets: list[int] = []
        self.inside = 0  # how many of our clients are
        self.stays = False  # we keep it when nobody is inside
        self.open = False  # and it is set up
        self.preparing = 0  # who sets it up, or 0
        self.spoilt = False
        self.heir = NOBODY

    def save(self) -> Saved:
        return (
            self.session, self.group, self.slot, tuple(self.tickets), self.inside, self.stays,
            self.open, self.preparing, self.spoilt, self.heir,
        )  # fmt: skip


@final
class Tenancy:
    def __init__(self, made: int) -> None:
        self.made = made  # tickets so far
        self.calls: list[Call] = []  # requests that wait, the oldest first
        self.stays: list[Stay] = []
        self.holds: dict[int, Stay] = {}  # by the request that is inside

    def call(self, rid: int, groups: Groups) -> Call:
        self.made += 1
        call = Call(rid, self.made, groups)
        self.calls.append(call)
        return call

    def drop(self, rid: int) -> Call | None:
        """The request waits no more, if it did."""
        for at, call in enumerate(self.calls):
            if call.rid == rid:
                return self.calls.pop(at)
        return None

    def find(self, ticket: int) -> Call | None:
        for call in self.calls:
            if call.ticket == ticket:
                return call
        return None

    def live(self) -> list[int]:
        """Tickets that are not over."""
        found = [call.ticket for call in self.calls]
        for stay in self.stays:
            found += stay.tickets
        return found

    def floor(self) -> int:
        """The lowest of our tickets that is not over."""
        return min([self.made + 1, *self.live()])

    # Getting in.

    def grant(self, msg: Grant) -> None:
        call = self.find(msg.ticket)
        if call is None or call.session:
            return  # withdrawn, which its sender will hear; or repeated
        call.session, call.group, call.slot = msg.session, msg.group, msg.slot
        call.stay, call.setup = msg.stay, msg.setup - 2
        call.awaited = [(other.site, other.ticket) for other in msg.after]

    def left(self, src: int, msg: Left) -> None:
        call = self.find(msg.heir)
        if call is not None:
            for ticket in msg.tickets:
                if (src, ticket) not in call.left:
                    call.left.append((src, ticket))
            call.spoilt = call.spoilt or msg.spoilt

    def next_to_enter(self, over: Ledger, begun: int) -> Call | None:
        """One that was let in and has to wait for nobody any more.

        Whoever was inside of our session, which is as far as `begun`, waited for the same.
        """
        for call in self.calls:
            if call.session:
                if call.session <= begun:
                    return call
                call.awaited = [
                    pair
                    for pair in call.awaited
                    if pair not in call.left and not over.has(pair[0], pair[1])
                ]
                if not call.awaited:
                    return call
        return None

    def enter(self, call: Call) -> int:
        """What its client is told about the setup."""
        self.calls.remove(call)
        stay = self.stay_in(call.session)
        if stay is None:
            stay = Stay(call.session, call.group, call.slot)
            self.stays.append(stay)
        stay.tickets.append(call.ticket)
        stay.inside += 1
        stay.stays = call.stay and not call.recalled
        stay.heir = max(stay.heir, call.heir)
        self.holds[call.rid] = stay
        setup = call.setup
        if setup != NO_SETUP:
            stay.preparing = call.rid
            if call.spoilt:
                setup = UNKNOWN_GROUP
        stay.open = stay.stays and not stay.preparing
        return setup

    def stay_in(self, session: int) -> Stay | None:
        for stay in self.stays:
            if stay.session == session:
                return stay
        return None

    # Getting out.

    def out(self, rid: int) -> Stay:
        stay = self.holds.pop(rid)
        stay.inside -= 1
        if stay.preparing == rid:
            stay.preparing, stay.spoilt = 0, True
        return stay

    def recall(self, tickets: list[int], heir: Heir) -> list[int]:
        """No stay outlasts its clients with these tickets.  Which of them were over already."""
        gone: list[int] = []
        for ticket in tickets:
            call = self.find(ticket)
            if call is not None:
                call.recalled = True
                call.heir = max(call.heir, heir)
                continue
            gone.append(ticket)
            for stay in self.stays:
                if ticket in stay.tickets:
                    gone.remove(ticket)
                    stay.stays = stay.open = False
                    stay.heir = max(stay.heir, heir)
        return gone

    def next_to_leave(self) -> Stay | None:
        """A stay that nobody is inside of and that is not to be kept; it is none of ours now."""
        for at, stay in enumerate(self.stays):
            if not stay.inside and not stay.open:
                return self.stays.pop(at)
        return None

    # A new view.

    def freeze(self) -> None:
        """Nobody enters any more, and what nobody is inside of is given up."""
        self.stays = [stay for stay in self.stays if stay.inside]
        for stay in self.stays:
            stay.stays = stay.open = False
            stay.heir = NOBODY
        for call in self.calls:
            call.recalled, call.heir, call.left, call.spoilt = False, NOBODY, [], False
            call.session, call.group, call.slot, call.stay = 0, 0, 0, False
            call.setup, call.awaited = NO_SETUP, []

    def save(self) -> Saved:
        places = {id(stay): at for at, stay in enumerate(self.stays)}
        return (
            self.made,
            tuple([call.save() for call in self.calls]),
            tuple([stay.save() for stay in self.stays]),
            tuple([(rid, places[id(self.holds[rid])]) for rid in sorted(self.holds)]),
        )

    def load(self, saved: Saved) -> None:
        self.made = saved[0]
        self.calls = [load_call(call) for call in saved[1]]
        self.stays = [load_stay(stay) for stay in saved[2]]
        self.holds = {rid: self.stays[at] for rid, at in saved[3]}


def load_call(saved: Saved) -> Call:
    call = Call(saved[0], saved[1], saved[2])
    call.recalled, call.heir, left, call.spoilt = saved[3:7]
    call.session, call.group, call.slot, call.stay, call.setup, awaited = saved[7:]
    call.left, call.awaited = list(left), list(awaited)
    return call


def load_stay(saved: Saved) -> Stay:
    stay = Stay(saved[0], saved[1], saved[2])
    stay.tickets, stay.inside = list(saved[3]), saved[4]
    stay.stays, stay.open, stay.preparing, stay.spoilt, stay.heir = saved[5:]
    return stay
