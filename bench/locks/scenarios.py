"""The scenarios: who asks for what, how long they stay inside, what is measured.

Nothing here runs anything.  What a client asks for is drawn from (scenario, round, client), so that
every system is asked for the same groups in the same order.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Final, NamedTuple

PROCESSES: Final = 4
CLIENTS: Final = 16
PAIR = "pair p50"
PAIRS = "pairs/s"
HANDOVER = "hand-over p50"
ENTRIES = "entries/s"
LOWER_IS_BETTER: Final = (PAIR, HANDOVER)
# As many entries of a client are enough, however fast it is: a log stays small.
MOST: Final = 20_000


class Scenario(NamedTuple):
    name: str
    what: str  # in words, for the report
    figure: str  # the one that is compared
    clients: int = CLIENTS
    groups: int = 0  # 0: exclusive, nobody shares
    own: bool = False  # a lock for each client, so that nobody waits
    inside_s: float = 0.0
    think_s: float = 0.0

    def lock(self, client: int) -> str:
        return f"{self.name}-{client}" if self.own else self.name

    def draws(self, turn: int, client: int) -> Iterator[int]:
        """Groups to ask for, without an end.  Who excludes everybody is a group of its own."""
        if not self.groups:
            while True:
                yield client
        chance = random.Random(f"{self.name} {turn} {client}")
        while True:
            yield chance.randrange(self.groups)

    @property
    def unit(self) -> str:
        return "µs" if self.figure in LOWER_IS_BETTER else "/s"


SCENARIOS: Final = {
    one.name: one
    for one in (
        Scenario("A1", "one client, a lock of its own", PAIR, clients=1, own=True),
        Scenario("A16", "16 clients, a lock each", PAIRS, own=True),
        Scenario("B0", "one exclusive lock, nothing to do inside", HANDOVER),
        Scenario("B5", "one exclusive lock, 5 ms inside", ENTRIES, inside_s=0.005),
        Scenario(
            "C2", "2 groups, 5 ms inside, 5 thinking", ENTRIES, CLIENTS, 2, False, 0.005, 0.005
        ),
        Scenario(
            "C8", "8 groups, 5 ms inside, 5 thinking", ENTRIES, CLIENTS, 8, False, 0.005, 0.005
        ),
        Scenario(
            "S2", "2 groups, 1 ms inside, 5 thinking", ENTRIES, CLIENTS, 2, False, 0.001, 0.005
        ),
    )
}
