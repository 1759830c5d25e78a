"""What stands behind an algorithm's `Pick`: a system of the quorum library, by its kind."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final

from grouplock.protocol.pick import Pick
from grouplock.quorums import GroupQuorums, Quorum, QuorumError, QuorumSystem, build
from grouplock.quorums.catalog import COTERIE, GROUPS, K_COTERIE, KINDS, READ_WRITE
from grouplock.quorums.groups import Surficial

# The kind that each sort of quorum system has where none is asked for.
DEFAULT_KIND: Final = {
    COTERIE: "cyclic",
    K_COTERIE: "k-blocks",
    GROUPS: "surficial",
    READ_WRITE: "rw-grid",
}


class Chooser(Pick):
    def __init__(self, system: QuorumSystem) -> None:
        self.system = system
        self.own = system.assignment()

    def quorum(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum | None:
        if turn == 0 and alive is None and not held:
            return self.own[node]
        return self.system.pick(node, turn, alive, held)

    def read(self, node: int, turn: int = 0, alive: Collection[int] | None = None) -> Quorum | None:
        reads = self.system.reads or self.system
        return reads.pick(node, turn, alive)

    def union(self) -> int:
        """The most sites in a node's quorum and read quorum, itself included."""
        most = 0
        for node, own in enumerate(self.own):
            most = max(most, len({*own, *(self.read(node) or ())} - {node}))
        return 1 + most

    def largest(self) -> int:
        """The most sites that a node has to ask, itself included."""
        return 1 + max([len([v for v in own if v != node]) for node, own in enumerate(self.own)])

    def reading(self) -> int:
        """The same of those that meet these quorums."""
        reads = [self.read(node) or () for node in range(self.system.n)]
        return 1 + max([len([v for v in own if v != node]) for node, own in enumerate(reads)])

    def virtual(self) -> int:
        """The same in virtual nodes, where there are any."""
        return self.largest()


class SurficialChooser(Chooser):
    """The family of one group: a site's turns run through its quorums."""

    def __init__(self, quorums: Surficial, group: int) -> None:
        super().__init__(quorums.of(group))
        self.behind = [list(quorums.behind(group, r).items()) for r in range(quorums.d)]

    def places(self, node: int, turn: int = 0) -> list[tuple[int, Quorum]]:
        return self.behind[(node + turn) % len(self.behind)]

    def largest(self) -> int:
        """In any turn."""
        return 1 + max([len(places) - (len(places) == self.system.n) for places in self.behind])

    def virtual(self) -> int:
        """The most virtual nodes that a site has to ask in any turn, and one for its own."""
        most = 0
        for places in self.behind:
            sizes = [len(nodes) for _, nodes in places]
            spared = min(sizes) if len(places) == self.system.n else 0
            most = max(most, sum(sizes) - spared)
        return 1 + most


class GroupChooser(Pick):
    """A family for each group; or one for them all, where any two of its quorums meet."""

    def __init__(self, quorums: GroupQuorums) -> None:
        self.quorums = quorums
        self.families: list[Chooser] = [
            SurficialChooser(quorums, group) if isinstance(quorums, Surficial) else Chooser(family)
            for group, family in enumerate(quorums.families)
        ]

    def of(self, group: int) -> Pick:
        return self.families[group if len(self.families) > 1 else 0]

    def largest(self) -> int:
        return max([family.largest() for family in self.families])

    def reading(self) -> int:
        return self.largest()

    def virtual(self) -> int:
        return max([family.virtual() for family in self.families])


@cache
def chooser(kind: str, n: int, sort: str, k: int, groups: int) -> Chooser | GroupChooser:
    """The chooser of this kind; `QuorumError` where there is none of this sort."""
    if kind in KINDS and KINDS[kind].sort != sort:
        fitting = ", ".join([other.name for other in KINDS.values() if other.sort == sort])
        raise QuorumError(f"a {sort} is needed, and {kind} is none (there are: {fitting})")
    takes = KINDS[kind].takes if kind in KINDS else ()
    given: dict[str, Any] = {"k": k, "groups": groups}
    system = build(kind, n, **{name: value for name, value in given.items() if name in takes})
    return Chooser(system) if isinstance(system, QuorumSystem) else GroupChooser(system)
