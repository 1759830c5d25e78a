"""Choosers of quorums for tests: any quorums that one writes down."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from grouplock.lab.runs.scenes import Given
from grouplock.protocol.pick import Pick, Quorum

__all__ = ["Given", "ReadWrite", "everybody"]


def everybody(n: int) -> Given:
    """Every node has to ask all."""
    return Given([tuple(range(n))] * n)


class ReadWrite(Pick):
    """Write quorums that each node goes through from one of its own on, and a read quorum each."""

    def __init__(
        self, writes: Sequence[Quorum], own: Sequence[int], reads: Sequence[Quorum]
    ) -> None:
        self.writes: Final = list(writes)
        self.own: Final = list(own)  # by node: the place of its first write quorum
        self.reads: Final = list(reads)  # by node

    def quorum(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum | None:
        for at in range(len(self.writes)):
            quorum = self.writes[(self.own[node] + turn + at) % len(self.writes)]
            if alive is None or all(v in alive for v in quorum):
                return quorum
        return None

    def read(self, node: int, turn: int = 0, alive: Collection[int] | None = None) -> Quorum:
        return self.reads[node]
