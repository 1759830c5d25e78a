"""Paper 002's handlers as they are printed, where a run shows that they do not do."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, SERVED
from tests.errata.erratum import Erratum
from tests.picks import Given, everybody
from tests.variants import Edit, Variant

TWO_ARBITERS: Final = Given([(0, 1)] * 3)
ONCE: Final = Scope(groups=1, requests=1)
TWICE: Final = Scope(groups=1, requests=2)
CRASH: Final = Scope(groups=1, requests=1, events=("crash",))

# A reply to a request that is over: nothing is printed that would give it back.
NO_RETURN: Final[Edit] = (
    "            out.send(msg.arbiter, Release(msg.stamp, msg.number, []))\n",
    "",
)
# A.6 sets replied to 1, whatever it was.
TWICE_IS_ONCE: Final[Edit] = (
    '        assert seat.number == 0, "an arbiter has one permission"\n',
    "        if seat.number:\n            return\n",
)

ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        Variant(
            "002-a-request-frees-the-arbiter",
            "cao-singhal",
            (
                (
                    "        self.stamp, self.failed = self.clock, False\n",
                    "        self.stamp, self.failed = self.clock, False\n"
                    "        self.desk.lock = None\n",
                ),
            ),
            n=3,
        ),
        paper="002",
        place="section 3.3, A.1",
        title="who asks forgets to whom it has given its own permission",
        breaks=EXCLUSION,
        scope=ONCE,
    ),
    Erratum(
        Variant(
            "002-a-request-in-between-is-not-failed",
            "cao-singhal",
            (
                (
                    "if claim > desk.lock or (ahead and claim > ahead[0]):",
                    "if claim > (ahead[0] if ahead else desk.lock):",
                ),
            ),
            n=3,
            pick=TWO_ARBITERS,
        ),
        paper="002",
        place="section 3.3, A.2, last case",
        title="a request between the lock and the head of the queue is told nothing",
        breaks=SERVED,
        scope=ONCE,
    ),
    Erratum(
        Variant(
            "002-releases-overtake-each-other",
            "cao-singhal",
            (
                (
                    "        self.desk.passed[number] = passed\n"
                    "        if not self.asked:\n"
                    "            self.follow(out)\n",
                    "        if not passed.line or passed.line[0] in self.desk.queue:\n"
                    "            self.desk.passed = {self.desk.number: passed}\n"
                    "            self.follow(out)\n",
                ),
                NO_RETURN,
            ),
            n=3,
            pick=Given([(0,)] * 3),
        ),
        paper="002",
        place="section 3.3, C.2, and case 2.2 of assertion 1",
        title="of two releases of one permission the later one comes first",
        breaks=SERVED,
        scope=ONCE,
    ),
    Erratum(
        Variant(
            "002-messages-name-no-request",
            "cao-singhal",
            (
                (
                    "return self.seats.get(arbiter) if stamp == self.stamp else None",
                    "return self.seats.get(arbiter)",
                ),
            ),
            n=3,
            pick=everybody(3),
        ),
        paper="002",
        place="section 3.2, the messages' formats",
        title="an inquire for one request is taken for the next one's",
        breaks=SERVED,
        scope=TWICE,
        walk=243,
    ),
    Erratum(
        Variant(
            "002-a-yield-names-no-heir",
            "cao-singhal",
            (
                (
                    "out.send(arbiter, Yield(self.stamp, seat.number, line))",
                    "out.send(arbiter, Yield(self.stamp, seat.number, []))",
                ),
            ),
            n=3,
            options={"direct": "on"},
            pick=TWO_ARBITERS,
        ),
        paper="002",
        place="section 5.2.1, with the yield of section 3.2",
        title="who yields hands the permission on, and the arbiter gives it out again",
        breaks=ASSERTION,
        scope=ONCE,
    ),
    Erratum(
        Variant(
            "002-a-crashed-holder-is-released-at-once",
            "cao-singhal",
            (
                (
                    "            self.asked.pop(peer, None)\n"
                    "            self.probe(out)\n"
                    "        else:\n"
                    "            self.tell(out)\n",
                    "            self.serve(out)\n        else:\n            self.tell(out)\n",
                ),
                ("peer in (desk.lock.site, desk.giver)", "peer == desk.lock.site"),
                TWICE_IS_ONCE,
            ),
            n=3,
            options={"faults": "on"},
            pick=Given([(0,)] * 3),
        ),
        paper="002",
        place="section 6, case 3",
        title="the permission of a crashed site may be on its way to another",
        breaks=EXCLUSION,
        scope=CRASH,
        alone=True,
    ),
)
