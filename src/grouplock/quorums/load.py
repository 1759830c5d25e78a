"""The load of a system: how often its busiest node is asked when quorums are chosen at best.

What may live here: M. Naor and A. Wool, "The load, capacity, and availability of quorum systems"
(1998). The load is a linear programme: shares of the quorums that sum to 1, the busiest node as
idle as can be. For families too large to list, quorums are made on demand: the programme's prices
of nodes are costs, and a quorum cheaper than what the programme pays for one is a better column.
For several families (quorums of groups) each is asked for equally often.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grouplock.quorums.groups import GroupQuorums
from grouplock.quorums.system import Quorum, QuorumSystem, membership

FORMULA = "formula"
PROGRAMME = "linear programme"
AT_MOST = "at most, by the fixed assignment"

CELLS = 300_000  # of a programme over all quorums
DEMAND_UP_TO = 200  # nodes, where there are too many
ENOUGH = 1e-9


class Load(NamedTuple):
    value: float
    how: str


def load(system: QuorumSystem | GroupQuorums) -> Load:
    if (known := system.load()) is not None:
        return Load(known, FORMULA)
    families = system.families if isinstance(system, GroupQuorums) else [system]
    listed = [family.quorums() for family in families]
    given = [quorums for quorums in listed if quorums is not None]
    if len(given) == len(families) and system.n * sum(map(len, given)) <= CELLS:
        return Load(_solve(system.n, given).load, PROGRAMME)
    if system.n <= DEMAND_UP_TO:
        return Load(least_load(system.n, families), PROGRAMME)
    return Load(max(membership(system.n, system.assignment())) / system.n, AT_MOST)


def least_load(n: int, families: Sequence[QuorumSystem]) -> float:
    """The load by quorums made on demand."""
    columns = [[*dict.fromkeys(family.preferred(v, 0) for v in range(n))] for family in families]
    while True:
        best = _solve(n, columns)
        better = False
        for family, column, paid in zip(families, columns, best.paid, strict=True):
            quorum = family.cheapest(0, 0, best.prices)
            assert quorum is not None
            if sum(best.prices[v] for v in quorum) < paid - ENOUGH and quorum not in column:
                column.append(quorum)
                better = True
        if not better:
            return best.load


class _Solved(NamedTuple):
    load: float
    prices: list[float]  # of the nodes
    paid: list[float]  # for a quorum of each family


def _solve(n: int, families: Sequence[Sequence[Quorum]]) -> _Solved:
    # Here, so that whoever only picks quorums need not wait for them.
    import numpy as np
    from scipy.optimize import linprog

    quorums = [(f, quorum) for f, family in enumerate(families) for quorum in family]
    uses = np.zeros((n, len(quorums) + 1))
    shares = np.zeros((len(families), len(quorums) + 1))
    for i, (f, quorum) in enumerate(quorums):
        uses[list(quorum), i] = 1
        shares[f, i] = 1
    uses[:, -1] = -1  # what a node is asked in, less the load, is at most 0
    answer = linprog(
        [0.0] * len(quorums) + [1.0],
        A_ub=uses,
        b_ub=[0.0] * n,
        A_eq=shares,
        b_eq=[1.0 / len(families)] * len(families),
    )
    assert answer.fun is not None, answer.message
    return _Solved(
        float(answer.fun),
        [max(0.0, -float(m)) for m in answer.ineqlin.marginals],
        [float(m) for m in answer.eqlin.marginals],
    )


def lower_bound(n: int, smallest: int) -> float:
    """No coterie whose smallest quorum has so many nodes has less load: Naor, Wool."""
    return max(1 / smallest, smallest / n)
