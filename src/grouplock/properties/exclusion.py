"""Exclusion, followed entry by entry: at most `slots` groups inside, one group in each slot."""

from __future__ import annotations

from typing import Final, final


@final
class Occupancy:
    """Who is inside.  `enter` and `leave` answer with a reason when something forbidden happens.

    `shared=False` is a plain mutex: nobody shares, whatever the group.
    """

    def __init__(self, slots: int, shared: bool) -> None:
        self.slots: Final = slots
        self.shared: Final = shared
        self.inside: Final[dict[tuple[int, int], tuple[int, int]]] = {}  # holder -> group, slot
        self.holders: Final[dict[int, int]] = {}  # group -> how many
        self.placed: Final[dict[tuple[int, int], int]] = {}  # (slot, group) -> how many

    def enter(self, site: int, rid: int, group: int, slot: int) -> str:
        """The empty string, or what is wrong with this entry."""
        if (site, rid) in self.inside:
            return f"site {site} entered twice with request {rid}"
        self.inside[(site, rid)] = (group, slot)
        self.holders[group] = self.holders.get(group, 0) + 1
        self.placed[(slot, group)] = self.placed.get((slot, group), 0) + 1
        if not self.shared and len(self.inside) > 1:
            return f"{self.describe()} are inside together, and the algorithm is a plain mutex"
        if len(self.holders) > self.slots:
            return f"{len(self.holders)} groups are inside, {self.slots} may be: {self.describe()}"
        if len(self.placed) > len(self.holders) and len(self.placed) > 1:
            return f"a group is in two slots, or a slot has two groups: {self.describe()}"
        return ""

    def leave(self, site: int, rid: int) -> str:
        place = self.inside.pop((site, rid), None)
        if place is None:
            return f"site {site} left with request {rid} and was not inside"
        group, slot = place
        _decrement(self.holders, group)
        left = self.placed[(slot, group)] - 1
        if left:
            self.placed[(slot, group)] = left
        else:
            del self.placed[(slot, group)]
        return ""

    def describe(self) -> str:
        return ", ".join(
            [f"site {s} (group {g}, slot {k})" for (s, _), (g, k) in sorted(self.inside.items())]
        )


def _decrement(counts: dict[int, int], key: int) -> None:
    if counts[key] == 1:
        del counts[key]
    else:
        counts[key] -= 1
