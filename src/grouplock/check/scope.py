"""How far the checker goes: how many requests, which groups, which faults."""

from __future__ import annotations

import itertools
from typing import Final, NamedTuple

from grouplock.protocol.groups import Groups
from grouplock.protocol.system import (
    CANCEL,
    CRASH,
    LEASES,
    MANY,
    RECORDS,
    SETUP,
    VIEWS,
    System,
)

# What may happen beside requests, exits, deliveries, timers and answers, if one asks for it.
OVERLAP: Final = "many"  # a site asks again while its last request is not over
WITHDRAW: Final = "withdraw"  # a request is withdrawn, waiting or inside
SETUP_FAILS: Final = "setup-fails"  # a setup is answered with not ok
EXPIRE: Final = "expire"  # a hold's lease runs out
FORCE: Final = "force"  # an operator ends a hold
FAIL: Final = "crash"  # a site stops for ever
RESTART: Final = "restart"  # a site's process is new and has its records
RENEW: Final = "views"  # a view is made anew though nobody crashed

NEEDS: Final[dict[str, tuple[str, ...]]] = {  # any of these must be supported
    OVERLAP: (MANY,),
    WITHDRAW: (CANCEL,),
    SETUP_FAILS: (SETUP,),
    EXPIRE: (LEASES,),
    FORCE: (LEASES,),
    FAIL: (CRASH, VIEWS),
    RESTART: (RECORDS,),
    RENEW: (VIEWS,),
}
EVERYTHING: Final = "all"


class BadScope(ValueError):
    """What cannot be explored; the message says why and what could be."""


class Scope(NamedTuple):
    groups: int = 2
    sets: int = 1  # groups that a request names
    requests: int = 1  # of each site
    events: tuple[str, ...] = ()  # of NEEDS
    faults: int = 1  # crashes, restarts and renewed views, all together

    def choices(self) -> list[Groups]:
        """What a request may name: every set of so many groups."""
        return list(itertools.combinations(range(self.groups), self.sets))

    def at_once(self, n: int) -> int:
        """How many requests of n sites there can be at one time."""
        return n * (self.requests if OVERLAP in self.events else 1)

    def has_faults(self) -> bool:
        return FAIL in self.events or RESTART in self.events or RENEW in self.events

    def checked(self, system: System, walking: bool = False) -> Scope:
        """Itself with `all` spelt out, or `BadScope`."""
        for name in ("groups", "sets", "requests", "faults"):
            if getattr(self, name) < 1:
                raise BadScope(f"{name} is {getattr(self, name)}; it must be at least 1")
        if self.sets > self.groups:
            raise BadScope(
                f"a request cannot name {self.sets} of {self.groups} groups; "
                f"sets must be at most {self.groups}"
            )
        if system.groups and self.groups > system.groups:
            raise BadScope(
                f"{system.name} was made for {system.groups} groups and cannot take {self.groups}; "
                f"its quorums are made group by group"
            )
        if system.n * self.requests > MOST_REQUESTS and not walking:
            raise BadScope(
                f"{system.n} sites with {self.requests} requests each are more than the "
                f"{MOST_REQUESTS} requests that can be explored; --walks takes them"
            )
        possible = [event for event, needs in NEEDS.items() if _any_of(needs, system.supports)]
        events = possible if EVERYTHING in self.events else list(dict.fromkeys(self.events))
        for event in events:
            if event not in NEEDS:
                raise BadScope(
                    f"there is no event '{event}' to explore (there are: {', '.join(NEEDS)}, all)"
                )
            if event not in possible:
                raise BadScope(
                    f"{system.name} does not support '{event}' "
                    f"(it supports: {', '.join(possible) or 'none'})"
                )
        return self._replace(events=tuple(events))


MOST_REQUESTS: Final = 60  # one bit each in a mask of 64


def _any_of(needs: tuple[str, ...], supports: tuple[str, ...]) -> bool:
    return any(need in supports for need in needs)
