"""Which algorithm serves a lock: one of the catalog, with the lock's settings as its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from grouplock.catalog import BadOption, find
from grouplock.protocol.site import Site
from grouplock.protocol.system import CANCEL, MANY, SETS, SLOTS
from grouplock.service.keeper import MakeSite
from grouplock.service.table import Settled

DEFAULT: Final = "jukebox"
# A lock is kept by one site, its home's; a lock's settings are options as well.
OPTIONS: Final[Mapping[str, Mapping[str, str]]] = {"jukebox": {"form": "home", "setup": "on"}}


def chosen(name: str = DEFAULT) -> tuple[MakeSite, tuple[str, ...]]:
    """How to make a lock's site, and what such sites support."""
    algorithm = find(name)
    base: dict[str, str | int] = dict(algorithm.settle(OPTIONS.get(name, {})))
    entry = algorithm.with_options(algorithm.settle(OPTIONS.get(name, {})))
    missing = [what for what in (MANY, CANCEL, SLOTS, SETS) if what not in entry.supports]
    if missing:
        raise BadOption(f"{name} cannot serve locks: it lacks {', '.join(missing)}")
    has_policies = "policy" in base

    def make(settled: Settled, first_session: int) -> Site[Any]:
        options = dict(base)
        if has_policies:
            options["policy"] = settled.policy
        options["slots"] = settled.slots
        options["first_session"] = first_session
        for limit in ("linger", "max_session", "max_wait"):
            options[limit] = int(1000 * float(getattr(settled, limit)))
        return entry.make(0, [], options, None)

    return make, entry.supports
