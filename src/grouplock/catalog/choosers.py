"""What stands behind an algorithm's `Pick`: a system of the quorum library, by its kind."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from typing import Any, Final

from grouplock.protocol.pick import Pick
from grouplock.quorums import GroupQuorums, Quorum, QuorumError, QuorumSystem, build
from grouplock.quorums.catalog import COTERIE, GROUPS, K_COTERIE, KINDS

# The kind that each sort of quorum system has where none is asked for.
DEFAULT_KIND: Final = {COTERIE: "cyclic", K_COTERIE: "k-blocks", GROUPS: "surficial"}


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

    def largest(self) -> int:
        """The most sites that a node has to ask, itself included."""
        return 1 + max([len([v for v in own if v != node]) for node, own in enumerate(self.own)])


class GroupChooser(Pick):
    def __init__(self, quorums: GroupQuorums) -> None:
        self.quorums = quorums
        self.families = [Chooser(family) for family in quorums.families]

    def of(self, group: int) -> Pick:
        return self.families[group]

    def largest(self) -> int:
        return max([family.largest() for family in self.families])


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
