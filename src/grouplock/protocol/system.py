"""A system: an algorithm with its options settled, as the value that a driver is handed.

A driver makes the sites, gives them what `supports` names and no more, and holds them to what
`promises` names.  It never asks which algorithm it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from grouplock.protocol.channel import Channel
from grouplock.protocol.message import Messages
from grouplock.protocol.site import Site

# What an algorithm may support beside request, release and messages.
MANY: Final = "many"  # several requests of one site at once
CANCEL: Final = "cancel"  # withdraw
SLOTS: Final = "slots"  # more than one group inside at once
SETS: Final = "sets"  # requests that name several acceptable groups
TIMERS: Final = "timers"  # timer, cancel_timer, on_timer
SETUP: Final = "setup"  # granted with a setup to run, setup_done
CRASH: Final = "crash"  # on_crash, from a perfect detector
VIEWS: Final = "views"  # on_report, on_view
LEASES: Final = "leases"  # expire, force
RECORDS: Final = "records"  # persist, persisted, on_restart

# What a site is made with: the algorithm's options by name, `slots`, and `n`.
Options = Mapping[str, "str | int"]


class System(NamedTuple):
    name: str
    options: dict[str, str]
    n: int
    slots: int
    shared: bool  # whether holders of one group may be inside together
    channel: Channel
    supports: tuple[str, ...]
    promises: tuple[str, ...]  # names of grouplock.properties
    messages: Messages
    make: Callable[[int], Site[Any]]
    light: float = 0.0  # messages a request at most, amortised, when nobody else asks meanwhile
    worst: float = 0.0  # and whatever the others do
    quorum: str = ""  # the kind of quorum system; empty where none is used
    # A request is passed by at most so many sessions, and by one more for each other request.
    patience: float = 0.0
    groups: int = 0  # how many groups it was made for; 0: it does not have to know
    numbered: bool = True  # whether a grant says which slot its group has

    def sites(self) -> list[Site[Any]]:
        return [self.make(me) for me in range(self.n)]
