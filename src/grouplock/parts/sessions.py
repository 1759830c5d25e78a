"""Sessions in slots, who is in them and who waits: as records that may travel.

What may live here: the records, and what is asked of one of them alone.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, COUNTS, FLAG, GROUPS, SITE, Records, Shape

GHOST: Final = 0  # the ticket of a hold that may still be believed in; sites count from 1


@final
class Waiter:
    """A queued request; its age is the sessions that were begun past it."""

    def __init__(self, site: int, ticket: int, groups: Groups, age: int) -> None:
        self.site: Final = site
        self.ticket: Final = ticket
        self.groups: Final = groups
        self.age = age


@final
class Member:
    """A site that is in a session, by these tickets.  `told`: it will leave when it is idle."""

    def __init__(self, site: int, tickets: list[int], told: bool) -> None:
        self.site: Final = site
        self.tickets = tickets
        self.told = told


@final
class Session:
    """`site` and `ticket` are the pivot's, the first entrant's; `joined` counts those who were
    let in past somebody who waited; `late` takes the pivot's privilege away."""

    def __init__(
        self, number: int, group: int, site: int, ticket: int, opening: bool, spoilt: bool,
        late: bool, joined: int, members: list[Member],
    ) -> None:  # fmt: skip
        self.number: Final = number
        self.group: Final = group
        self.site = site
        self.ticket = ticket
        self.opening = opening  # the pivot has not set it up yet
        self.spoilt = spoilt  # somebody ended badly: nobody knows what is set up now
        self.late = late
        self.joined = joined
        self.members = members


@final
class Slot:
    """`present` and `following` are lists of one session or none; `last` is two more than the
    group that was in the slot last, `used` that session's number."""

    def __init__(
        self, present: list[Session], following: list[Session], last: int, used: int, lingers: bool
    ) -> None:
        self.present = present
        self.following = following
        self.last = last
        self.used = used
        self.lingers = lingers  # an empty session is kept for a while


WAITER: Final = Shape(Waiter, site=SITE, ticket=COUNT, groups=GROUPS, age=COUNT)
MEMBER: Final = Shape(Member, site=SITE, tickets=COUNTS, told=FLAG)
SESSION: Final = Shape(
    Session,
    number=COUNT,
    group=COUNT,
    site=SITE,
    ticket=COUNT,
    opening=FLAG,
    spoilt=FLAG,
    late=FLAG,
    joined=COUNT,
    members=Records(MEMBER),
)
SLOT: Final = Shape(
    Slot,
    present=Records(SESSION),
    following=Records(SESSION),
    last=COUNT,
    used=COUNT,
    lingers=FLAG,
)
QUEUE: Final = Records(WAITER)
SLOTS: Final = Records(SLOT)


def current(slot: Slot) -> Session:
    """The session that newcomers may join."""
    return slot.following[0] if slot.following else slot.present[0]


def is_in(session: Session, site: int, ticket: int) -> bool:
    for member in session.members:
        if member.site == site:
            return ticket in member.tickets
    return False


def haunted(session: Session) -> bool:
    """Whether a hold that may still be believed in is among the members."""
    return any([GHOST in member.tickets for member in session.members])


def enlist(session: Session, site: int, ticket: int, told: bool) -> None:
    """A member that was not told before is told by a recall, which may not be overtaken."""
    for member in session.members:
        if member.site == site:
            member.tickets.append(ticket)
            member.told = member.told and told
            return
    session.members.append(Member(site, [ticket], told))


def strike(session: Session, site: int, ticket: int, spoilt: bool) -> None:
    for at, member in enumerate(session.members):
        if member.site == site and ticket in member.tickets:
            member.tickets.remove(ticket)
            session.spoilt = session.spoilt or spoilt
            if not member.tickets:
                del session.members[at]
            return


SavedSession = tuple[
    int, int, int, int, bool, bool, bool, int, tuple[tuple[int, tuple[int, ...], bool], ...]
]
SavedSlot = tuple[tuple[SavedSession, ...], tuple[SavedSession, ...], int, int, bool]


def save_session(s: Session) -> SavedSession:
    members = tuple([(m.site, tuple(m.tickets), m.told) for m in s.members])
    return s.number, s.group, s.site, s.ticket, s.opening, s.spoilt, s.late, s.joined, members


def load_session(saved: SavedSession) -> Session:
    number, group, site, ticket, opening, spoilt, late, joined, members = saved
    who = [Member(at, list(tickets), told) for at, tickets, told in members]
    return Session(number, group, site, ticket, opening, spoilt, late, joined, who)


def save_slot(s: Slot) -> SavedSlot:
    present = tuple([save_session(session) for session in s.present])
    following = tuple([save_session(session) for session in s.following])
    return present, following, s.last, s.used, s.lingers


def load_slot(saved: SavedSlot) -> Slot:
    present, following, last, used, lingers = saved
    return Slot(
        [load_session(s) for s in present],
        [load_session(s) for s in following],
        last,
        used,
        lingers,
    )
