"""Paper 004, section 5.2: bounded numbers, as its prose has them or leaves them open."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import ASSERTION, EXCLUSION, NO_DEADLOCK
from tests.errata.erratum import Erratum
from tests.variants import Edit, Variant

BOUNDED: Final = {"secondary": "once", "numbers": "bounded", "smax": "2"}
THRICE: Final = Scope(groups=2, requests=3)


def variant(name: str, *edits: Edit, n: int = 2) -> Variant:
    return Variant(name, "token-gme", edits, n, BOUNDED, groups=2)


NO_PARITY: Final = (
    (
        "        if asked % self.cycle == 0:\n            return False\n"
        "        return asked // self.cycle != fulfilled // self.cycle or asked > fulfilled\n",
        "        return asked > fulfilled or (fulfilled == self.smax and asked == 1)\n",
    ),
    ("return 0 if asked >= self.cycle else self.cycle", "return 0"),
)

ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        variant("004-an-old-request-looks-new", *NO_PARITY),
        paper="004",
        place="5.2.1",
        title="with smax < 1 an old request looks new to a token that knows of a later one",
        breaks=ASSERTION,
        scope=THRICE,
    ),
    Erratum(
        variant(
            "004-a-snapshot-hides-a-conflict",
            (
                "            return self.numbers.is_new(int(self.asked[site]), "
                "int(self.fulfilled[site]))\n",
                "            asked, fulfilled = self.asked[site], self.fulfilled[site]\n"
                "            if self.holds == SECONDARY and not self.numbers.is_last(fulfilled):\n"
                "                cycle = self.numbers.cycle\n"
                "                return asked % cycle > fulfilled % cycle\n"
                "            return self.numbers.is_new(asked, fulfilled)\n",
            ),
            n=3,
        ),
        paper="004",
        place="5.2.1",
        title="fulfilled is not reset in the snapshots of secondary tokens: a conflict goes unseen",
        breaks=NO_DEADLOCK,
        scope=Scope(groups=2, requests=6),
        walk=168,
    ),
    Erratum(
        variant(
            "004-grants-while-sessions-are-reset",
            (
                "        return not (self.once and site in self.lent) and not self.frozen()\n",
                "        return not (self.once and site in self.lent)\n",
            ),
            ("        assert self.resetter == NOBODY or self.counted <= self.expected\n", ""),
        ),
        paper="004",
        place="5.2.2",
        title="the primary token's holder goes on granting while it waits for the answers",
        breaks=EXCLUSION,
        scope=THRICE,
    ),
    Erratum(
        variant(
            "004-stale-counts-of-releases",
            ("self.released_session, self.released = 0, 0\n", "self.released_session = 0\n"),
            (
                "self.session, self.issued, numbers.earlier = 0, 0, 0",
                "self.session, self.issued, numbers.earlier = -1, 0, 0",
            ),
        ),
        paper="004",
        place="5.2.2",
        title="only session numbers are reset, and the count of Releases makes a token safe",
        breaks=EXCLUSION,
        scope=THRICE,
    ),
    Erratum(
        variant(
            "004-the-total-stays-behind",
            ("                self.numbers.earlier = msg.earlier\n", "                pass\n"),
            ("        assert self.resetter == NOBODY or self.counted <= self.expected\n", ""),
        ),
        paper="004",
        place="5.2.2",
        title="the running total of secondary tokens does not travel with the primary token",
        breaks=NO_DEADLOCK,
        scope=THRICE,
    ),
)
