"""Paper 000: what its section VIII leaves open, and warns of, the other way.

Told in docs/errata/000.md, with what is kept in surrogate.py beside this.
"""

from __future__ import annotations

from typing import Final

from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.properties import NO_DEADLOCK
from tests.errata.surrogate import IGNORED, ON
from tests.picks import Given
from tests.rounds import Rounds
from tests.variants import Edit, Variant

# A leader that has invited anybody keeps the lock until a STEPDOWN comes.
KEEPS_THE_LOCK: Final[Edit] = (
    "        if self.rules.leaves or self.rules.enters:\n            out.send(leader[1],",
    "        if self.rules.leaves:\n            out.send(leader[1],",
)


def test_without_the_list_an_invitation_that_is_ignored_takes_its_weight_along() -> None:
    """Section V.B says so itself: nobody recovers its lock then."""
    ignoring = Variant("surrogate-ignores", "surrogate", (IGNORED,), 3, {"stale": "off"})
    scope = Scope(groups=2, requests=4)
    wrong, right = ignoring.wrong(), ignoring.right()
    result = walk(wrong, scope.checked(wrong, walking=True), 0)
    assert result.violation is not None
    assert NO_DEADLOCK in result.violation.properties
    assert walk(right, scope.checked(right, walking=True), 0).violation is None


def hops_of_a_request_after_a_quiet_session(variant: Variant) -> int:
    """Site 0 led, site 1 followed, both have left and nothing is on its way; site 2 asks."""
    s = Rounds(variant.wrong())
    for site in (0, 1):
        s.ask(site, 1)
        s.settle()
    assert s.who() == [0, 1]
    for site in (0, 1):
        s.leave(site)
        s.settle()
    s.ask(2, 2)
    return s.hops_until(s.enters(2))


def test_a_lock_that_is_kept_until_a_conflict_comes_costs_two_hops_then() -> None:
    """Section VIII.A, rule (2) by the letter; "the waiting time also does not increase" is wrong.

    Request, Stepdown, Released, Locked; ours has Leave instead and gives the lock back by itself.
    """
    star = Given([(3,)] * 4)
    kept = Variant("surrogate-keeps-the-lock", "surrogate", (KEEPS_THE_LOCK,), 4, ON, pick=star)
    ours = kept._replace(name="surrogate-unchanged", edits=())
    assert hops_of_a_request_after_a_quiet_session(kept) == 4
    assert hops_of_a_request_after_a_quiet_session(ours) == 2
