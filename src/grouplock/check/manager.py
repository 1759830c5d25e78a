"""Who notices crashes and makes views: one more party beside the sites, numbered n.

It is the papers' perfect detector (a notice to every survivor, in any order) and, for algorithms
that take part in views, the maker of views (a report from every survivor, then the view).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from grouplock.protocol.view import Ghost

# What goes between the manager and a site: ("notice", peer), ("report", epoch), ("view", ...)
# to the site; ("reported", state) from it.
Word = tuple[Any, ...]


class Manager(NamedTuple):
    members: tuple[int, ...]
    faults: int = 0
    epoch: int = 0
    reports: tuple[tuple[int, Any], ...] = ()  # of the epoch that is being made; by site
    making: bool = False
    ghosts: tuple[Ghost, ...] = ()  # holds of crashed sites


Told = tuple[Manager, list[tuple[int, Word]]]


def crashed(
    manager: Manager, site: int, ghosts: tuple[Ghost, ...], notices: bool, views: bool
) -> Told:
    members = tuple(m for m in manager.members if m != site)
    words: list[tuple[int, Word]] = []
    if notices:
        words += [(m, ("notice", site)) for m in members]
    manager = manager._replace(
        members=members, faults=manager.faults + 1, ghosts=manager.ghosts + ghosts
    )
    if not views:
        return manager, words
    manager, asks = _begin(manager)
    return manager, words + asks


def restarted(manager: Manager, views: bool) -> Told:
    """A new process of an old member: like any change of members it needs a view."""
    manager = manager._replace(faults=manager.faults + 1)
    return _begin(manager) if views else (manager, [])


def renewed(manager: Manager) -> Told:
    return _begin(manager._replace(faults=manager.faults + 1))


def _begin(manager: Manager) -> Told:
    epoch = manager.epoch + 1
    fresh = manager._replace(epoch=epoch, reports=(), making=True)
    return fresh, [(m, ("report", epoch)) for m in manager.members]


def reported(manager: Manager, site: int, epoch: int, state: Any) -> Told:
    """The view goes out when the last report is in; reports to older epochs are void."""
    if epoch != manager.epoch or not manager.making or site not in manager.members:
        return manager, []
    reports = tuple(sorted([*manager.reports, (site, state)]))
    if len(reports) < len(manager.members):
        return manager._replace(reports=reports), []
    view = ("view", epoch, manager.members, reports, manager.ghosts)
    return manager._replace(reports=(), making=False), [(m, view) for m in manager.members]
