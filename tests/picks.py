"""Choosers of quorums for tests: any quorums that one writes down."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from grouplock.protocol.pick import Pick, Quorum


class Given(Pick):
    """One quorum for each node, as written."""

    def __init__(self, quorums: Sequence[Quorum]) -> None:
        self.quorums: Final = list(quorums)

    def quorum(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum:
        return self.quorums[node]


def everybody(n: int) -> Given:
    """Every node has to ask all."""
    return Given([tuple(range(n))] * n)
