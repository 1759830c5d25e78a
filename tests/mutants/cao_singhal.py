"""Mutants of Cao and Singhal's algorithm, and of the desk and the seats that it is made of."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, NO_DEADLOCK, SERVED
from tests.mutants.mutant import Mutant
from tests.picks import Given
from tests.variants import Variant

ONCE: Final = Scope(groups=1, requests=1)
CRASH: Final = Scope(groups=1, requests=1, events=("crash",))
STAR: Final = Given([(0,)] * 3)
TWO_ARBITERS: Final = Given([(0, 1)] * 3)
FAULTS: Final = {"faults": "on"}


def mutant(
    name: str,
    before: str,
    after: str,
    caught_by: str,
    scope: Scope = ONCE,
    options: dict[str, str] | None = None,
    pick: Given | None = None,
    n: int = 3,
) -> Mutant:
    variant = Variant(f"cao-singhal-{name}", "cao-singhal", ((before, after),), n, options or {})
    return Mutant(variant._replace(pick=pick), caught_by, scope)


MUTANTS: Final[tuple[Mutant, ...]] = (
    mutant(
        "counts-no-pass",
        "seat.number + 1, line[1:]",
        "seat.number, line[1:]",
        NO_DEADLOCK,
        pick=STAR,
    ),
    mutant(
        "hands-on-and-says-that-it-gives-back",
        "out.send(arbiter, Release(self.stamp, seat.number, line))",
        "out.send(arbiter, Release(self.stamp, seat.number, []))",
        ASSERTION,
        pick=STAR,
    ),
    mutant(
        "sits-on-a-fail",
        "            self.failed = True\n"
        "            for asker, seat in self.seats.items():\n"
        "                self.yield_if_due(asker, seat, out)\n",
        "            self.failed = True\n",
        NO_DEADLOCK,
        pick=TWO_ARBITERS,
    ),
    mutant(
        "a-yield-is-the-last-of-it",
        "            if last.again:\n                insort(self.queue, last.claim)\n",
        "",
        SERVED,
        pick=TWO_ARBITERS,
    ),
    mutant(
        "no-fence",
        "        if src in self.dead:\n            return\n",
        "",
        NO_DEADLOCK,
        scope=CRASH,
        options=FAULTS,
    ),
    mutant(
        "asks-nobody-anew",
        "            self.leave(list(self.seats), out)\n            self.ask(out)\n",
        "            pass\n",
        SERVED,
        scope=CRASH,
        options=FAULTS,
    ),
    mutant(
        "forgets-who-lived",
        "                join(desk.queue, [desk.lock])\n",
        "                pass\n",
        SERVED,
        scope=CRASH,
        options=FAULTS,
    ),
)
