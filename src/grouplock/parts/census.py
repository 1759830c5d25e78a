"""A census: what each site reports to a new view, and the forum that is made of all reports.

What survivors claim goes on.  A place in which a lost site may still believe is kept by a ghost,
a ticket that nobody can give back, until whoever runs the forum says that it is over.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from grouplock.parts.forum import Forum, SavedForum, load_forum, save_forum
from grouplock.parts.ledger import Row
from grouplock.parts.sessions import GHOST, Member, Session, Slot, Waiter, enlist
from grouplock.parts.tenancy import Tenancy
from grouplock.protocol.groups import UNKNOWN_GROUP, Groups
from grouplock.protocol.view import Ghost, View

FENCE_BITS: Final = 40  # sessions of an epoch are numbered from epoch << 40 on
NO_GROUP: Final = (1 << 62) - 1  # of a ghost of which nobody knows more

Held = tuple[int, int, int, tuple[int, ...], bool]  # session, group, slot, tickets, preparing


class Report(NamedTuple):
    epoch: int  # of the view that the site lived in
    members: tuple[int, ...]  # of that view
    made: int
    waiting: tuple[tuple[int, Groups], ...]
    held: tuple[Held, ...]
    forum: SavedForum | tuple[()]  # where it was


def report_of(
    epoch: int, members: tuple[int, ...], tenancy: Tenancy, forum: Forum | None
) -> Report:
    held = tuple(
        [(s.session, s.group, s.slot, tuple(s.tickets), s.preparing != 0) for s in tenancy.stays]
    )
    return Report(
        epoch,
        members,
        tenancy.made,
        tuple([(call.ticket, call.groups) for call in tenancy.calls]),
        held,
        save_forum(forum) if forum is not None else (),
    )


def finished(view: View) -> list[Row]:
    """Of each site all tickets that it does not report are over."""
    rows = []
    for site, state in view.reports:
        report = Report(*state)
        live = [ticket for ticket, _ in report.waiting]
        for _, _, _, tickets, _ in report.held:
            live += tickets
        lowest = min([report.made + 1, *live])
        above = [t for t in range(lowest, report.made + 1) if t not in live]
        rows.append(Row(site, lowest - 1, above))
    return rows


def rebuild(view: View, slots: int) -> Forum:
    reports = [(site, Report(*state)) for site, state in view.reports]
    forum = Forum(view.epoch << FENCE_BITS, 0, [vacant() for _ in range(slots)], [])
    for site, report in reports:
        for number, group, place, tickets, preparing in report.held:
            claim(forum, place, number, group, site, list(tickets))
            if preparing:
                session = forum.slots[place].present[0]
                session.site, session.ticket, session.opening = site, tickets[0], True
    before = newest(reports)
    queue_up(forum, reports, before)
    haunt(forum, view, reports, before)
    return forum


def vacant() -> Slot:
    return Slot([], [], UNKNOWN_GROUP + 2, 0, False)


def claim(forum: Forum, place: int, number: int, group: int, site: int, tickets: list[int]) -> None:
    """The site is in this session; nobody knows what the session will leave behind."""
    slot = forum.slots[place]
    if not slot.present:
        slot.present = [Session(number, group, site, tickets[0], False, True, False, 0, [])]
    for ticket in tickets:
        enlist(slot.present[0], site, ticket, True)
    forum.sessions = max(forum.sessions, number)


def newest(reports: list[tuple[int, Report]]) -> Forum | None:
    """The forum of the last view, if it was not lost."""
    last = max([report.epoch for _, report in reports])
    for _, report in reports:
        if report.forum and report.epoch == last:
            return load_forum(report.forum)
    return None


def queue_up(forum: Forum, reports: list[tuple[int, Report]], before: Forum | None) -> None:
    """In the old order, with the old ages, as far as they are known."""
    waiting: dict[tuple[int, int], Groups] = {}
    for site, report in reports:
        for ticket, groups in report.waiting:
            waiting[(site, ticket)] = groups
    if before is not None:
        for w in before.queue:
            if (w.site, w.ticket) in waiting:
                forum.queue.append(w)
                del waiting[(w.site, w.ticket)]
    for (site, ticket), groups in waiting.items():
        forum.queue.append(Waiter(site, ticket, groups, 0))


def haunt(
    forum: Forum, view: View, reports: list[tuple[int, Report]], before: Forum | None
) -> None:
    """Where a lost site may still be inside."""
    here = [site for site, _ in reports]
    lost: list[int] = []
    for _, report in reports:
        lost += [site for site in report.members if site not in here and site not in lost]
    for ghost in view.ghosts:
        add_ghost(forum, ghost)
    if before is not None:
        for place, old in enumerate(before.slots):
            for session in (*old.present, *old.following):
                for member in session.members:
                    if member.site in lost or GHOST in member.tickets:
                        ghost = Ghost(member.site, GHOST, session.group, place, session.number)
                        add_ghost(forum, ghost)
    elif lost:
        for place, slot in enumerate(forum.slots):
            number, group = forum.sessions, NO_GROUP
            if slot.present:
                number, group = slot.present[0].number, slot.present[0].group
            add_ghost(forum, Ghost(lost[0], GHOST, group, place, number))


def add_ghost(forum: Forum, ghost: Ghost) -> None:
    """In its session if survivors claim that one; in a slot that nobody claims else."""
    slot = forum.slots[ghost.slot]
    if not slot.present:
        session = Session(ghost.session, ghost.group, ghost.site, GHOST, True, True, False, 0, [])
        slot.present = [session]
        forum.sessions = max(forum.sessions, ghost.session)
    session = slot.present[0]
    if session.number == ghost.session and not is_haunted_by(session, ghost.site):
        session.members.append(Member(ghost.site, [GHOST], True))


def is_haunted_by(session: Session, site: int) -> bool:
    return any([member.site == site for member in session.members])
