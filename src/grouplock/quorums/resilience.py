"""The resilience of a system: how many nodes may fail, whichever they are, with a quorum left.

What may live here: the smallest set that meets every quorum, less one. It is searched for where no
formula knows it and the family is small; beyond that the load bounds it from below.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import NamedTuple

from grouplock.quorums.groups import GroupQuorums
from grouplock.quorums.system import LISTED, Quorum, QuorumSystem

FORMULA = "formula"
SEARCH = "search"
AT_LEAST = "at least, by the load"

SEARCH_UP_TO = 40  # nodes, or quorums


class Resilience(NamedTuple):
    value: int
    how: str


def resilience(system: QuorumSystem | GroupQuorums, load: float) -> Resilience:
    """`load` is the bound where a search would take too long. Quorums of groups are stopped as
    soon as one of the groups is."""
    families = system.families if isinstance(system, GroupQuorums) else [system]
    known = [family.resilience() for family in families]
    formulas = [f for f in known if f is not None]
    if len(formulas) == len(families):
        return Resilience(min(formulas), FORMULA)
    limit = LISTED if system.n <= SEARCH_UP_TO else SEARCH_UP_TO
    listed = [family.quorums(limit) for family in families]
    given = [quorums for quorums in listed if quorums is not None]
    if len(given) == len(families):
        return Resilience(min([len(smallest_hitting_set(q)) for q in given]) - 1, SEARCH)
    # Whatever stops all quorums meets each choice: its nodes' loads sum to at least 1.
    return Resilience(ceil(1 / (load * len(families)) - 1e-9) - 1, AT_LEAST)


def smallest_hitting_set(quorums: Sequence[Quorum]) -> list[int]:
    """As few nodes as can stop every quorum; of a coterie the smallest quorum itself is enough."""
    of_node: dict[int, int] = {}  # bit i: quorum i has it
    for i, quorum in enumerate(quorums):
        for v in quorum:
            of_node[v] = of_node.get(v, 0) | 1 << i
    everything = (1 << len(quorums)) - 1
    size = 1
    while (found := _hitting(quorums, of_node, everything, size)) is None:
        size += 1
    return found


def _hitting(
    quorums: Sequence[Quorum], of_node: dict[int, int], missed: int, size: int
) -> list[int] | None:
    """At most `size` nodes that meet all missed quorums. One node of the first missed quorum has
    to be among them; those tried before it need not be tried again below."""
    if not missed:
        return []
    first = quorums[(missed & -missed).bit_length() - 1]
    ahead = sorted(
        (v for v in first if v in of_node), key=lambda v: -(of_node[v] & missed).bit_count()
    )
    most = max([(having & missed).bit_count() for having in of_node.values()], default=0)
    if most * size < missed.bit_count():
        return None
    left = dict(of_node)
    for v in ahead:
        having = left.pop(v)
        below = _hitting(quorums, left, missed & ~having, size - 1)
        if below is not None:
            return [v, *below]
    return None
