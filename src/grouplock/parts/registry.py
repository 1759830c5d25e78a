"""What a member of a write and a read quorum keeps: a grant, who waits for it, and who leads.

The grant goes to the oldest request, whatever its group.  Who has a whole write quorum registers
itself here as the leader of its group, one for each group.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.permissions import Claim
from grouplock.parts.preemption import NOBODY, Arbiter, ArbiterState, Stamp


class RegistryState(NamedTuple):
    lock: ArbiterState
    groups: tuple[tuple[Stamp, int], ...]
    leads: tuple[tuple[int, Claim], ...]
    void: tuple[tuple[int, int], ...]


@final
class Registry:
    def __init__(self) -> None:
        self.lock: Final = Arbiter()
        self.groups: dict[Stamp, int] = {}  # of the requests at the lock
        self.leads: dict[int, Claim] = {}  # who is registered, by group
        self.void: dict[int, int] = {}  # by site: what was cleared before it was registered

    def arrive(self, claim: Claim, group: int) -> None:
        stamp = (claim.stamp, claim.site)
        self.groups[stamp] = group
        self.lock.arrive(stamp)

    def finish(self, claim: Claim) -> None:
        """The request wants the grant no more, whether it has it or not."""
        stamp = (claim.stamp, claim.site)
        if self.lock.holder == stamp:
            self.lock.holder = NOBODY
        self.lock.drop(stamp)
        self.groups.pop(stamp, None)

    def drop(self, claim: Claim) -> None:
        """It waits no more.  Who has the grant keeps it."""
        if self.lock.drop((claim.stamp, claim.site)):
            del self.groups[(claim.stamp, claim.site)]

    def of_group(self, group: int) -> list[Claim]:
        """Who waits for the grant or has it, for this group."""
        return [Claim(s[0], s[1]) for s in sorted(self.groups) if self.groups[s] == group]

    def is_void(self, claim: Claim) -> bool:
        return claim.stamp <= self.void.get(claim.site, 0)

    def clear(self, claim: Claim, group: int) -> None:
        if self.leads.get(group) == claim:
            del self.leads[group]
        else:
            self.void[claim.site] = claim.stamp

    def forget(self, site: int) -> None:
        """The site is dead: it waits no more and leads no more.  What it has stays."""
        for stamp in [s for s in self.lock.queue if s[1] == site]:
            self.drop(Claim(stamp[0], stamp[1]))
        for group, leader in sorted(self.leads.items()):
            if leader.site == site:
                del self.leads[group]

    def save(self) -> RegistryState:
        return RegistryState(
            self.lock.save(),
            tuple(sorted(self.groups.items())),
            tuple(sorted(self.leads.items())),
            tuple(sorted(self.void.items())),
        )

    def load(self, state: RegistryState) -> None:
        self.lock.load(state.lock)
        self.groups, self.leads = dict(state.groups), dict(state.leads)
        self.void = dict(state.void)
