"""Mutants of the jukebox and of its parts."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import (
    CONCURRENT_ENTRY,
    EXCLUSION,
    NO_DEADLOCK,
)
from tests.mutants.mutant import Mutant, mutant

WITHDRAWING: Final = Scope(groups=2, requests=1, events=("withdraw",))
VIEWS: Final = Scope(groups=2, requests=1, events=("views",))
HOME: Final = {"form": "home"}

MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "jukebox-never-joins",
        "jukebox",
        "            if not blocked or has_pivot(session, slot, rules):\n",
        "            if False:\n",
        CONCURRENT_ENTRY,
        options=HOME,
    ),
    mutant(
        "jukebox-forgets-what-is-over",
        "jukebox",
        "            self.over.add(site, ticket)\n            self.asks.pop",
        "            self.asks.pop",
        NO_DEADLOCK,
        options=HOME,
        scope=WITHDRAWING,
    ),
    mutant(
        "jukebox-a-recall-overlooks-a-grant-on-its-way",
        "jukebox",
        "                call.recalled = True\n",
        "",
        NO_DEADLOCK,
        options=HOME,
    ),
    mutant(
        "jukebox-takes-a-repeated-forum",
        "jukebox",
        "        if msg.move <= self.moved:\n",
        "        if msg.move < self.moved:\n",
        NO_DEADLOCK,
    ),
    mutant(
        "jukebox-enters-by-an-old-view",
        "jukebox",
        "        elif epoch == self.epoch and not self.is_frozen():\n",
        "        elif epoch <= self.epoch:\n",
        EXCLUSION,
        scope=VIEWS,
        options=HOME,
    ),
    mutant(
        "jukebox-keeps-its-place-in-a-new-view",
        "jukebox",
        "            stay.stays = stay.open = False\n            stay.heir = NOBODY\n",
        "            stay.heir = NOBODY\n",
        NO_DEADLOCK,
        scope=VIEWS,
        options=HOME,
    ),
)
