"""A vector of numbers that only grow, told to others whole or by what changed (differential).

Differential vectors are M. Singhal's and A. Kshemkalyani's (An efficient implementation of vector
clocks, Information Processing Letters 43, 1992): each entry has the local time of its last
change, each other site that of the last message to it, and a message carries the entries that
changed in between.  The entries are linked in the order of their last change and walked from the
newest backwards, so that a message costs time for what it carries and not for n.  It takes
channels that are FIFO and lose nothing: what was told is never told again.
"""

from __future__ import annotations

from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, i64

from grouplock.parts.vectors import freeze, thaw, zeros
from grouplock.protocol.message import CELL, SITE, BadMessage, Kind, Records, Shape


@final
class Entry:
    """One cell of the vector, as it is told."""

    def __init__(self, site: int, number: int) -> None:
        self.site: Final = site
        self.number: Final = number


ENTRY: Final = Shape(Entry, site=SITE, number=CELL)
CHANGES: Final[Kind] = Records(ENTRY)  # two integers an entry


@final
class _Whole(Kind):
    """The entries of all sites in their order: one integer each, as their places are known."""

    def pack(self, value: Any) -> Any:
        return tuple([entry.number for entry in value])

    def unpack(self, packed: Any, n: int) -> Any:
        if not isinstance(packed, (list, tuple)):
            raise BadMessage(f"{packed!r:.40} is not a vector")
        entries = CHANGES.unpack(list(enumerate(packed)), n)
        if len(entries) != n:
            raise BadMessage(f"a vector of {len(entries)} entries among {n} sites")
        return entries

    def integers(self, value: Any) -> int:
        return len(value)

    def fixed(self) -> bool:
        return False


WHOLE: Final[Kind] = _Whole()

# Cells, and for each other site what was changed since the last message to it.
Saved = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]


@final
class GrowingVector:
    def __init__(self, me: int, n: int, differential: bool) -> None:
        self.me: Final = me
        self.n: Final = n
        self.differential: Final = differential
        self.cells = zeros(n)
        self.now: i64 = 0  # counts changes
        self.changed = vec[i64]([0] * n)
        self.told = vec[i64]([0] * n)
        # The entries as a ring through n, from the oldest change to the newest.
        self.newer = vec[i32]([])
        self.older = vec[i32]([])
        if differential:
            self.link(list(range(n)))

    def at(self, site: int) -> int:
        return int(self.cells[site])

    def grow(self, site: int, number: int) -> None:
        if number <= self.cells[site]:
            return
        self.cells[site] = i32(number)
        if self.differential:
            self.now += 1
            self.changed[site] = self.now
            self.to_the_end(site)

    def learn(self, entries: list[Entry]) -> None:
        for entry in entries:
            self.grow(entry.site, entry.number)

    def news_for(self, dst: int) -> list[Entry]:
        """What the next message to this site has to carry."""
        if not self.differential:
            return [Entry(site, int(number)) for site, number in enumerate(self.cells)]
        found = self.news_since(self.told[dst])
        self.told[dst] = self.now
        return [Entry(site, int(self.cells[site])) for site in found]

    def news_since(self, then: i64) -> list[int]:
        """The entries changed later, in the order of the sites."""
        found: list[int] = []
        at: i64 = i64(self.older[self.n])
        while at != self.n and self.changed[at] > then:
            found.append(int(at))
            at = i64(self.older[at])
        found.sort()
        return found

    # The ring.

    def link(self, order: list[int]) -> None:
        """All entries, the oldest change first."""
        self.newer = zeros(self.n + 1)
        self.older = zeros(self.n + 1)
        last = self.n
        for site in order:
            self.newer[last], self.older[site] = i32(site), i32(last)
            last = site
        self.newer[last], self.older[self.n] = i32(self.n), i32(last)

    def to_the_end(self, site: int) -> None:
        before: i64 = i64(self.older[site])
        behind: i64 = i64(self.newer[site])
        self.newer[before], self.older[behind] = i32(behind), i32(before)
        last: i64 = i64(self.older[self.n])
        self.newer[last], self.older[site] = i32(site), i32(last)
        self.newer[site], self.older[self.n] = i32(self.n), i32(site)

    # Saved without times: they only say whether a change is older than a message.

    def save(self) -> Saved:
        untold: list[tuple[int, ...]] = []
        if self.differential:
            for dst in range(self.n):
                untold.append(() if dst == self.me else tuple(self.news_since(self.told[dst])))
        return freeze(self.cells), tuple(untold)

    def load(self, saved: Saved) -> None:
        """Of two sites one has missed all that the other has, so times can be made up.

        The more sites an entry is untold to, the later it was changed.
        """
        cells, untold = saved
        self.cells = thaw(cells)
        if not self.differential:
            return
        to = [0] * self.n
        for sites in untold:
            for site in sites:
                to[site] += 1
        self.now = self.n
        for dst in range(self.n):
            known = [to[site] for site in range(self.n) if site not in untold[dst]]
            self.told[dst] = i64(max(known)) if known else -1
            self.changed[dst] = i64(to[dst])
        self.link(sorted(range(self.n), key=to.__getitem__))
