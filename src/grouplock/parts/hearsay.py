"""What a site has heard of the others' tickets, as one of those who are told."""

from __future__ import annotations

from typing import Any, Final, final

from grouplock.parts.forum import Forum
from grouplock.parts.ledger import Ledger, Row
from grouplock.parts.sessions import Waiter
from grouplock.parts.tenancy import Pair
from grouplock.protocol.groups import Groups


@final
class Hearsay:
    def __init__(self, listens: bool) -> None:
        self.listens: Final = listens  # also where the forum is not
        self.asks: dict[Pair, Groups] = {}  # as they came; where the forum is, it has them
        self.over: Final = Ledger()
        self.begun = 0  # the newest session that somebody was inside of

    def ask(self, site: int, ticket: int, floor: int, groups: Groups, forum: Forum | None) -> None:
        if forum is None and not self.listens:
            return
        self.over.raise_to(site, floor - 1)
        if self.over.has(site, ticket):
            return
        if forum is None:
            self.asks[(site, ticket)] = groups
        elif not forum.knows(site, ticket):
            forum.ask(site, ticket, groups)

    def end(self, site: int, tickets: list[int], spoilt: bool, forum: Forum | None) -> None:
        if forum is None and not self.listens:
            return
        for ticket in tickets:
            self.over.add(site, ticket)
            self.asks.pop((site, ticket), None)
            if forum is not None:
                forum.over(site, ticket, spoilt)

    def tell(self, forum: Forum) -> None:
        """The forum came here: it learns what we know."""
        asks, self.asks = self.asks, {}
        for (site, ticket), groups in asks.items():
            self.ask(site, ticket, 0, groups, forum)
        self.strike(forum)

    def strike(self, forum: Forum) -> None:
        for site, ticket in forum.tickets():
            if self.over.has(site, ticket):
                forum.over(site, ticket, False)

    def waiters(self) -> list[Waiter]:
        return [Waiter(site, ticket, groups, 0) for (site, ticket), groups in self.asks.items()]

    def renew(self, rows: list[Row], forum: Forum | None) -> None:
        """Only what a view says counts from now on."""
        self.asks = {}
        self.over.load(())
        if forum is not None or self.listens:
            self.over.merge(rows)

    def save(self) -> tuple[Any, ...]:
        asks = tuple([(*pair, groups) for pair, groups in self.asks.items()])
        return asks, self.over.save(), self.begun

    def load(self, saved: tuple[Any, ...]) -> None:
        self.asks = {(site, ticket): groups for site, ticket, groups in saved[0]}
        self.over.load(saved[1])
        self.begun = saved[2]
