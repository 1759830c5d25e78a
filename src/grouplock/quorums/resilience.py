"""The resilience of a system: how many nodes may fail, whichever they are, with a quorum left.

What may live here: the smallest set that meets every quorum, less one. Finding it is an integer
programme; for families too large to list, the quorums that it has to meet are found on demand: a
quorum that costs nothing where the chosen nodes cost something is one that they miss.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grouplock.quorums.groups import GroupQuorums
from grouplock.quorums.load import resilience_bound
from grouplock.quorums.system import Quorum, QuorumSystem

FORMULA = "formula"
SEARCH = "search"
AT_LEAST = "at least, by the load"

SEARCH_UP_TO = 48  # nodes


class Resilience(NamedTuple):
    value: int
    how: str


def resilience(system: QuorumSystem | GroupQuorums, load: float) -> Resilience:
    """`load` serves as a bound where a search would take too long. Quorums of groups are stopped
    as soon as one of the groups is."""
    families = system.families if isinstance(system, GroupQuorums) else [system]
    known = [family.resilience() for family in families]
    formulas = [f for f in known if f is not None]
    if len(formulas) == len(families):
        return Resilience(min(formulas), FORMULA)
    if system.n <= SEARCH_UP_TO:
        return Resilience(min(len(smallest_hitting_set(f)) for f in families) - 1, SEARCH)
    return Resilience(resilience_bound(load * len(families)), AT_LEAST)


def smallest_hitting_set(system: QuorumSystem) -> list[int]:
    """As few nodes as can stop every quorum."""
    to_meet: list[Quorum] = [system.preferred(0, 0)]
    while True:
        chosen = _fewest(system.n, to_meet)
        missed = system.cheapest(0, 0, [float(v in chosen) for v in range(system.n)])
        assert missed is not None
        if any([v in chosen for v in missed]):
            return chosen
        to_meet.append(missed)


def _fewest(n: int, sets: Sequence[Quorum]) -> list[int]:
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import coo_array

    rows = [i for i, members in enumerate(sets) for _ in members]
    columns = [v for members in sets for v in members]
    meets = coo_array(([1.0] * len(rows), (rows, columns)), shape=(len(sets), n))
    answer = milp(
        [1.0] * n,
        integrality=[1] * n,
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(meets.tocsr(), lb=1),
    )
    assert answer.status == 0, answer.message
    return [v for v in range(n) if answer.x[v] > 0.5]
