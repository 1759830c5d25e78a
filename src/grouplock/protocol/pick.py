"""What an algorithm that works with quorums is handed to choose them with.

The quorum library stands on its own; the catalog puts one of its systems behind this.
"""

from __future__ import annotations

from collections.abc import Collection

from mypy_extensions import mypyc_attr

Quorum = tuple[int, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class Pick:
    """A chooser: the same question has the same answer at every site and at any time."""

    def quorum(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum | None:
        """A quorum of living sites with few members that are not held; None: none is alive.

        Turn 0 with nobody known to be down or held is the node's own: the balanced assignment.
        """
        raise NotImplementedError

    def read(self, node: int, turn: int = 0, alive: Collection[int] | None = None) -> Quorum | None:
        """A quorum that meets every quorum of `quorum`, where the two families differ."""
        raise NotImplementedError

    def places(self, node: int, turn: int = 0) -> list[tuple[int, Quorum]]:
        """The quorum of this turn, as its sites, each with the virtual nodes that it has in it.

        Where there are no virtual nodes each site stands for itself.
        """
        return [(site, (site,)) for site in self.quorum(node, turn) or ()]

    def of(self, group: int) -> Pick:
        """The family of this group, where groups have families of their own."""
        return self
