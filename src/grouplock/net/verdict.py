"""Judges and measures a run from its clients' merged history.

An entry is noted after its grant and an exit before its release, so a hold that is seen is part
of the real one: an overlap that is seen was one.  The other way round there is no such promise:
an overlap shorter than those gaps stays unseen.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from grouplock.measure.meter import Meter
from grouplock.measure.workload import Workload
from grouplock.net.control import ASKED, ENTERED, Event
from grouplock.properties import EXCLUSION, SERVED
from grouplock.properties.exclusion import Occupancy
from grouplock.protocol.system import System

NS_PER_MS: Final = 1_000_000
OVERTAKEN: Final = 100  # times all other sites: more entries than this past a waiting client


class Violation(NamedTuple):
    property: str
    reason: str


class Waiting(NamedTuple):
    since: int  # ns
    groups: tuple[int, ...]
    entries: int  # that had happened when it asked


class Verdict:
    def __init__(self, system: System, workload: Workload, clients: int, patience_s: float) -> None:
        self.system: Final = system
        self.meter: Final = Meter(system.slots)
        self.occupancy: Final = Occupancy(system.slots, system.shared, system.numbered)
        # Nobody stays longer than twice the mean.
        self.patience_ns: Final = round(patience_s * 1e9 + 2 * workload.inside * NS_PER_MS)
        self.clients: Final = clients
        self.waiting: Final[dict[tuple[int, int], Waiting]] = {}  # by (site, client)
        self.slot: Final[dict[int, int]] = {}  # by request inside
        self.entries = 0
        self.switches = 0
        self.loaded: Final = [-1] * system.slots  # the group that a slot had last
        self.last_move = 0  # ns, of an entry or an exit
        self.violation: Violation | None = None

    def see(self, site: int, event: Event) -> None:
        if event.kind == ASKED:
            self.asked(site, event)
        elif event.kind == ENTERED:
            self.entered(site, event)
        else:
            self.left(site, event)

    def asked(self, site: int, event: Event) -> None:
        if not self.waiting:
            self.last_move = event.at
        self.waiting[(site, event.client)] = Waiting(event.at, event.groups, self.entries)
        self.meter.asked()

    def entered(self, site: int, event: Event) -> None:
        asked = self.waiting.pop((site, event.client))
        self.entries += 1
        self.last_move = event.at
        group = event.groups[0]
        self.blame(EXCLUSION, self.occupancy.enter(site, event.rid, group, event.slot))
        slot = self.slot[event.rid] = self.occupancy.slot_of(site, event.rid)
        if self.loaded[slot] != group:
            self.switches += self.loaded[slot] != -1
            self.loaded[slot] = group
        waited = (event.at - asked.since) / NS_PER_MS
        self.meter.entered(event.at / NS_PER_MS, waited, slot)

    def left(self, site: int, event: Event) -> None:
        self.last_move = event.at
        self.meter.left(event.at / NS_PER_MS, self.slot.pop(event.rid))
        self.blame(EXCLUSION, self.occupancy.leave(site, event.rid))

    def blame(self, name: str, reason: str) -> None:
        if reason and self.violation is None:
            self.violation = Violation(name, reason)

    def look(self, now: int) -> None:
        """Is somebody kept waiting?  `now` is up to when the history is complete."""
        if not self.waiting:
            return
        (site, _), longest = min(self.waiting.items(), key=lambda item: item[1].since)
        waited = (now - longest.since) / 1e9
        groups = ", ".join([str(g) for g in longest.groups])
        who = f"site {site} has waited {waited:.1f} s for group {groups}"
        idle = now - self.last_move
        if idle > self.patience_ns:
            self.blame(SERVED, f"{who}, and nobody has entered or left for {idle / 1e9:.1f} s")
        passed = self.entries - longest.entries
        most = OVERTAKEN * self.system.n * self.clients
        if now - longest.since > self.patience_ns and passed > most:
            self.blame(SERVED, f"{who}, and {passed} others have entered since it asked")
