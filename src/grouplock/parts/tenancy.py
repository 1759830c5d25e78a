"""A site's own side of a forum: requests that it has told others of, and sessions that it is in."""

from __future__ import annotations

from typing import Any, Final, final

from grouplock.protocol.groups import NO_SETUP, Groups

Pair = tuple[int, int]  # a site and its ticket
NOBODY: Final[Pair] = (0, 0)

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
