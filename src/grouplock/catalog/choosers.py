"""What an algorithm that works with quorums is handed to choose them with."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Final

from grouplock.quorums import Quorum, QuorumError, QuorumSystem, build
from grouplock.quorums.catalog import COTERIE, KINDS

# Chooses a quorum: (node, turn, alive, held) -> its sites, or None where no quorum is alive.
# Turn 0 with nobody known to be down or held is the node's own: the balanced assignment.
Pick = Callable[[int, int, "Collection[int] | None", Collection[int]], "Quorum | None"]

# The kind that each sort of quorum system has where none is asked for.
DEFAULT_KIND: Final = {COTERIE: "cyclic"}


@cache
def chooser(kind: str, n: int, sort: str) -> Pick:
    if kind in KINDS and KINDS[kind].sort != sort:
        fitting = ", ".join([k.name for k in KINDS.values() if k.sort == sort])
        raise QuorumError(f"a {sort} is needed, and {kind} is none (there are: {fitting})")
    system = build(kind, n)
    assert isinstance(system, QuorumSystem)
    own = system.assignment()

    def pick(
        node: int, turn: int, alive: Collection[int] | None, held: Collection[int]
    ) -> Quorum | None:
        if turn == 0 and alive is None and not held:
            return own[node]
        return system.pick(node, turn, alive, held)

    return pick
