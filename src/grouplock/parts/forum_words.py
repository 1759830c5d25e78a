"""What sites tell each other about a forum.  Every word names the epoch in which it was said."""

from __future__ import annotations

from typing import Final, final

from grouplock.parts.forum import Forum, Order
from grouplock.parts.ledger import ROWS, Ledger, Row
from grouplock.parts.sessions import QUEUE, SLOTS, Member, Slot, Waiter, current
from grouplock.protocol.groups import Groups
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
    """These tickets wait no more and are not inside any more, of this session (0: of none)."""

    def __init__(self, epoch: int, tickets: list[int], session: int, spoilt: bool) -> None:
        self.epoch: Final = epoch
        self.tickets: Final = tickets
        self.session: Final = session
        self.spoilt: Final = spoilt


@final
class Ready(Message):
    """The session that was opened for this ticket is set up."""

    def __init__(self, epoch: int, ticket: int) -> None:
        self.epoch: Final = epoch
        self.ticket: Final = ticket


@final
class Leaver:
    """A ticket that has to be over first."""

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
    """Leave with these tickets when idle, and tell the heir, whose session is next (0: none is)."""

    def __init__(self, epoch: int, tickets: list[int], session: int, site: int, heir: int) -> None:
        self.epoch: Final = epoch
        self.tickets: Final = tickets
        self.session: Final = session
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
        self, epoch: int, move: int, slot: int, setup: int, sessions: int, opener: int,
        slots: list[Slot],
        queue: list[Waiter], over: list[Row],
    ) -> None:  # fmt: skip
        self.epoch: Final = epoch
        self.move: Final = move
        self.slot: Final = slot
        self.setup: Final = setup
        self.sessions: Final = sessions
        self.opener: Final = opener
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
    Shape(Over, epoch=COUNT, tickets=COUNTS, session=COUNT, spoilt=FLAG),
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
    Shape(Recall, epoch=COUNT, tickets=COUNTS, session=COUNT, site=SITE, heir=COUNT),
    Shape(Left, epoch=COUNT, heir=COUNT, tickets=COUNTS, spoilt=FLAG),
    Shape(
        Primary,
        epoch=COUNT,
        move=COUNT,
        slot=COUNT,
        setup=COUNT,
        sessions=COUNT,
        opener=SITE,
        slots=SLOTS,
        queue=QUEUE,
        over=ROWS,
    ),
    Shape(Announce, epoch=COUNT, move=COUNT),
    Shape(News, epoch=COUNT, move=COUNT, asks=QUEUE, over=ROWS),
    token=Primary,
)


def leavers(members: list[Member]) -> list[Leaver]:
    return [Leaver(member.site, ticket) for member in members for ticket in member.tickets]


def inherited(msg: Primary, stays: bool) -> Grant:
    """What the forum's new holder gets with it: it is the pivot of the slot's newest session."""
    slot = msg.slots[msg.slot]
    session = current(slot)
    after = leavers(slot.present[0].members) if slot.following else []
    stay = stays and not session.members[0].told
    return Grant(
        msg.epoch, session.ticket, session.group, msg.slot, session.number, stay, msg.setup, after
    )


def as_message(order: Order, epoch: int) -> Message:
    if not order.session:
        return Recall(epoch, order.tickets, *order.heir)
    return Grant(
        epoch, order.tickets[0], order.group, order.place, order.session, order.stay,
        order.setup + 2, leavers(order.after),
    )  # fmt: skip


def handed_over(order: Order, epoch: int, move: int, forum: Forum, over: Ledger) -> Primary:
    return Primary(
        epoch, move, order.place, order.setup + 2, forum.sessions, forum.opener, forum.slots,
        forum.queue,
        over.rows(),
    )  # fmt: skip
