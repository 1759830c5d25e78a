"""The resilience of a system: how many nodes may fail, whichever they are, with a quorum left.

What may live here: the smallest set that meets every quorum, less one. It is searched for where no
formula knows it and the family can be listed; where the search would take too long, what it has
ruled out so far bounds it from below, and so does the load.
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
AT_LEAST_SEARCHED = "at least, by a search given up"

SEARCH_UP_TO = 40  # nodes, or quorums
PATIENCE = 20_000  # sets of nodes that are looked at


class Resilience(NamedTuple):
    value: int
    how: str


def resilience(system: QuorumSystem | GroupQuorums, load: float) -> Resilience:
    """`load` is the bound where a search would take too long. Quorums of groups are stopped as
    soon as one of the groups is."""
    if (formula := system.resilience()) is not None:
        return Resilience(formula, FORMULA)
    families = system.families if isinstance(system, GroupQuorums) else [system]
    # Whatever stops all quorums meets each choice: its nodes' loads sum to at least 1.
    bound = Resilience(ceil(1 / (load * len(families)) - 1e-9) - 1, AT_LEAST)
    limit = LISTED if system.n <= SEARCH_UP_TO else SEARCH_UP_TO
    listed = [family.quorums(limit) for family in families]
    given = [quorums for quorums in listed if quorums is not None]
    if len(given) < len(families):
        return bound
    searches = [_Search(quorums, PATIENCE // len(given)) for quorums in given]
    least = min([search.least for search in searches])
    if any([search.found and search.least == least for search in searches]):
        return Resilience(least - 1, SEARCH)
    return max(bound, Resilience(least - 1, AT_LEAST_SEARCHED), key=lambda r: r.value)


def smallest_hitting_set(quorums: Sequence[Quorum]) -> list[int]:
    """As few nodes as can stop every quorum; of a coterie the smallest quorum itself is enough."""
    found = _Search(quorums, None).found
    assert found is not None
    return found


class _Search:
    """A search for a smallest hitting set that looks at so many sets of nodes and no more."""

    def __init__(self, quorums: Sequence[Quorum], patience: int | None) -> None:
        self.left = patience
        of_node: dict[int, int] = {}  # bit i: quorum i has it
        for i, quorum in enumerate(quorums):
            for v in quorum:
                of_node[v] = of_node.get(v, 0) | 1 << i
        everything = (1 << len(quorums)) - 1
        self.least = _disjoint(quorums, of_node, everything)  # fewer nodes stop it certainly not
        self.found: list[int] | None = None  # None when the search was given up
        while self.found is None:
            self.found = self._hitting(quorums, of_node, everything, self.least)
            if self.left is not None and self.left < 0:
                return
            if self.found is None:
                self.least += 1

    def _hitting(
        self, quorums: Sequence[Quorum], of_node: dict[int, int], missed: int, size: int
    ) -> list[int] | None:
        """At most `size` nodes that meet all missed quorums. One node of the first missed quorum
        has to be among them; those tried before it need not be tried again below."""
        if not missed:
            return []
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                return None
        most = max([(having & missed).bit_count() for having in of_node.values()], default=0)
        if most * size < missed.bit_count() or _disjoint(quorums, of_node, missed) > size:
            return None
        first = quorums[(missed & -missed).bit_length() - 1]
        ahead = sorted(
            (v for v in first if v in of_node), key=lambda v: -(of_node[v] & missed).bit_count()
        )
        left = dict(of_node)
        for v in ahead:
            having = left.pop(v)
            below = self._hitting(quorums, left, missed & ~having, size - 1)
            if below is not None:
                return [v, *below]
        return None


def _disjoint(quorums: Sequence[Quorum], of_node: dict[int, int], missed: int) -> int:
    """Of the missed quorums, some that are pairwise disjoint on what is left of the nodes: each
    needs a node of its own."""
    many = 0
    while missed:
        first = (missed & -missed).bit_length() - 1
        missed &= missed - 1
        for v in quorums[first]:
            missed &= ~of_node.get(v, 0)
        many += 1
    return many
