"""Which tickets are over: of each site all up to a number, and some above it.

A ticket is a site's number for one request that it told others of.  What is over is told in any
order and more than once; the ledger takes it as it comes and forgets nothing that it needs.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.protocol.message import COUNT, COUNTS, SITE, Records, Shape

Saved = tuple[tuple[int, int, tuple[int, ...]], ...]


@final
class Row:
    """One site's part of a ledger, on the wire."""

    def __init__(self, site: int, upto: int, above: list[int]) -> None:
        self.site: Final = site
        self.upto: Final = upto
        self.above: Final = above


ROWS: Final = Records(Shape(Row, site=SITE, upto=COUNT, above=COUNTS))


@final
class Ledger:
    def __init__(self) -> None:
        self.upto: dict[int, int] = {}
        self.above: dict[int, list[int]] = {}  # ascending; only of sites that have some

    def has(self, site: int, ticket: int) -> bool:
        if ticket <= self.upto.get(site, 0):
            return True
        return site in self.above and ticket in self.above[site]

    def add(self, site: int, ticket: int) -> None:
        if self.has(site, ticket):
            return
        above = self.above.get(site, [])
        above.append(ticket)
        above.sort()
        self.put(site, self.upto.get(site, 0), above)

    def raise_to(self, site: int, upto: int) -> None:
        """All of the site's tickets up to this one are over."""
        if upto > self.upto.get(site, 0):
            self.put(site, upto, self.above.get(site, []))

    def put(self, site: int, upto: int, above: list[int]) -> None:
        rest: list[int] = []
        for ticket in above:
            if ticket == upto + 1:
                upto = ticket
            elif ticket > upto:
                rest.append(ticket)
        if upto:
            self.upto[site] = upto
        if rest:
            self.above[site] = rest
        else:
            self.above.pop(site, None)

    def merge(self, rows: list[Row]) -> None:
        for row in rows:
            self.raise_to(row.site, row.upto)
            for ticket in row.above:
                self.add(row.site, ticket)

    def rows(self) -> list[Row]:
        return [
            Row(site, self.upto.get(site, 0), list(self.above.get(site, [])))
            for site in sorted({**self.upto, **self.above})
        ]

    def save(self) -> Saved:
        return tuple([(row.site, row.upto, tuple(row.above)) for row in self.rows()])

    def load(self, saved: Saved) -> None:
        self.upto, self.above = {}, {}
        for site, upto, above in saved:
            self.put(site, upto, list(above))
