"""Paper 004's recovery from crashes, where its prose is taken by the letter."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import EXCLUSION, SERVED
from tests.errata.erratum import Erratum
from tests.variants import Edit, Variant

CRASH: Final = Scope(groups=1, requests=1, events=("crash",))
CONFLICT: Final = Scope(groups=2, requests=1, events=("crash",))


def literal(name: str, phases: str, edit: Edit) -> Variant:
    return Variant(name, "restart", (edit,), n=3, options={"base": "token-gme", "phases": phases})


ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        literal(
            "restart-starts-the-first-turn-only",
            "3",
            (
                "            for site in turn:\n",
                "            for site in turn if k == 0 else []:\n",
            ),
        ),
        paper="004",
        place="section 5.3.2, fulfilling old requests",
        title="whoever is not in the first turn never learns whom to wait for",
        breaks=SERVED,
        scope=CONFLICT,
    ),
    Erratum(
        literal(
            "restart-forgets-early-leaves",
            "3",
            (
                "            self.left.append(src)\n",
                "            self.left += [src] if self.is_started else []\n",
            ),
        ),
        paper="004",
        place="section 5.3.2, fulfilling old requests",
        title="a Leave that comes before the Start is lost",
        breaks=SERVED,
        scope=CONFLICT,
    ),
    Erratum(
        literal(
            "restart-coordinator-enters-with-its-own-token",
            "2",
            (
                "        if self.is_open:\n            self.issue(out)\n",
                "        if self.is_open or self.me == self.members[0]:\n"
                "            self.issue(out)\n",
            ),
        ),
        paper="004",
        place="section 5.3.4, without the third phase",
        title="the coordinator gives no token out, and enters with the one it has",
        breaks=EXCLUSION,
        scope=CONFLICT,
    ),
    Erratum(
        literal(
            "restart-ignores-newer-instances",
            "2",
            (
                "if parcel.gone < len(self.instance) or (",
                "if parcel.gone != len(self.instance) or (",
            ),
        ),
        paper="004",
        place="section 5.3.4, without the third phase",
        title="a message of an instance that its receiver has not begun yet is lost",
        breaks=SERVED,
        scope=CRASH,
    ),
)
