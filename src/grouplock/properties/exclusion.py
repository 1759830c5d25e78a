"""Exclusion, followed entry by entry: at most `slots` groups inside.

Where grants say in which slot, each slot has one group, and no group has two.  Where slots have no
numbers, a group takes the first one that is free, as whoever looks on from outside would count.
"""

from __future__ import annotations

from typing import Final, final


@final
class Occupancy:
    """Who is inside.  `enter` and `leave` answer with a reason when something forbidden happens.

    `shared=False` is a plain mutex: nobody shares, whatever the group.
    """

    def __init__(self, slots: int, shared: bool, numbered: bool = True) -> None:
        self.slots: Final = slots
        self.shared: Final = shared
        self.numbered: Final = numbered
        self.inside: Final[dict[tuple[int, int], tuple[int, int]]] = {}  # holder -> group, slot
        self.holders: Final = [0] * slots  # of each slot
        self.groups: Final = [0] * slots  # of each slot that has holders

    def enter(self, site: int, rid: int, group: int, slot: int) -> str:
        """The empty string, or what is wrong with this entry."""
        if (site, rid) in self.inside:
            return f"site {site} entered twice with request {rid}"
        if not 0 <= slot < self.slots:
            return f"site {site} is in slot {slot}, and the last slot is {self.slots - 1}"
        if not self.numbered:
            slot = self.place_for(group)
        self.inside[(site, rid)] = (group, slot)
        others = self.holders[slot]
        self.holders[slot] = others + 1
        if others == 0:
            self.groups[slot] = group
        elif self.groups[slot] != group:
            what = "a slot has two groups" if self.numbered else "there are more groups than slots"
            return f"{what}: {self.describe()}"
        if self.slots > 1:
            for other in range(self.slots):
                if other != slot and self.holders[other] and self.groups[other] == group:
                    return f"a group is in two slots: {self.describe()}"
        if others and not self.shared:
            return f"more than one is inside a plain mutex: {self.describe()}"
        return ""

    def place_for(self, group: int) -> int:
        """The slot that the group has, or a free one, or where none is, the first."""
        free = 0
        for slot in range(self.slots - 1, -1, -1):
            if self.holders[slot] == 0:
                free = slot
            elif self.groups[slot] == group:
                return slot
        return free

    def slot_of(self, site: int, rid: int) -> int:
        return self.inside[(site, rid)][1]

    def leave(self, site: int, rid: int) -> str:
        place = self.inside.get((site, rid))
        if place is None:
            return f"site {site} left with request {rid} and was not inside"
        del self.inside[(site, rid)]
        self.holders[place[1]] -= 1
        return ""

    def describe(self) -> str:
        return ", ".join(
            [f"site {s} (group {g}, slot {k})" for (s, _), (g, k) in sorted(self.inside.items())]
        )
