"""Which algorithm serves a lock: one of the catalog, with the lock's settings as its options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from grouplock.catalog import Algorithm, find
from grouplock.protocol.site import Site
from grouplock.service.keeper import MakeSite
from grouplock.service.table import Settled

DEFAULT: Final = "central"


def chosen(name: str = DEFAULT, given: Mapping[str, str] = {}) -> tuple[MakeSite, tuple[str, ...]]:
    """How to make a lock's site, and what such sites support."""
    algorithm = find(name)
    settings = algorithm.with_options(algorithm.settle(given))
    known = {option.name for option in algorithm.options}
    base: dict[str, str | int] = dict(algorithm.settle(given))

    def make(settled: Settled, first_session: int) -> Site[Any]:
        options = dict(base)
        if "policy" in known:
            options["policy"] = settled.policy
        options["slots"] = settled.slots
        options["first_session"] = first_session
        for limit in ("linger", "max_session", "max_wait"):
            options[limit] = int(1000 * float(getattr(settled, limit)))
        return settings.make(0, [], options, None)

    return make, supports(settings)


def supports(algorithm: Algorithm) -> tuple[str, ...]:
    return algorithm.supports
