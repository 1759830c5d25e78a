"""A view: who takes part from an epoch on, and what is remembered of those who do not."""

from __future__ import annotations

from typing import Any, NamedTuple


class Ghost(NamedTuple):
    """A hold of a lost site that may still be believed in."""

    site: int
    rid: int
    group: int
    slot: int
    session: int


class View(NamedTuple):
    epoch: int
    members: tuple[int, ...]
    reports: tuple[tuple[int, tuple[Any, ...]], ...]  # (site, what it reported), by site
    ghosts: tuple[Ghost, ...]
