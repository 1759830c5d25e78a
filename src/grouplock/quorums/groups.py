"""Quorums for groups: a family for each group, or for each set of acceptable groups.

What may live here:
- group quorum systems: quorums of different groups meet, those of one group need not. Here Y.-J.
  Joung's surficial system (2003), for any number of nodes and groups.
- group-set quorum systems (Y. Manabe and J. Park, paper 001, section 4.1): a request names several
  acceptable groups; by their theorem 1 any two quorums must meet, of whatever sets.

Surficial: one face of d x d nodes for every two groups. Quorum r of a group is row r of its face
with each later group and column r of its face with each earlier one; so a group has d disjoint
quorums of d(m-1) nodes, and those of two groups meet in one node. That takes d*d*m(m-1)/2 nodes.
For another n there are more (virtual) nodes than real ones, handed out round and round, and three
ways to live with that: `folded` (one lock per host), `kept` (as many hosts as virtual nodes) and
`shared` (a host keeps the locks of its virtual nodes apart, but gets one message for them all).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import isqrt

from grouplock.quorums.bits import all_of
from grouplock.quorums.listed import Listed
from grouplock.quorums.system import Family, Quorum, QuorumError, QuorumSystem, at_least_one_node

FOLDED = "folded"
KEPT = "kept"
SHARED = "shared"
VIRTUAL = (FOLDED, KEPT, SHARED)


class GroupQuorums:
    """A family of quorums for each group, those of different groups crossing."""

    def __init__(self, kind: str, n: int, families: Sequence[QuorumSystem]) -> None:
        self.kind = kind
        self.n = n
        self.families = families

    def of(self, group: int) -> QuorumSystem:
        return self.families[group]

    def load(self) -> float | None:
        """With every group asked for equally often, by a formula; None where there is none."""
        return None

    def resilience(self) -> int | None:
        """How many nodes may fail, whichever they are, with a quorum left for every group."""
        known = [family.resilience() for family in self.families]
        least = [f for f in known if f is not None]
        return min(least) if len(least) == len(known) else None

    def degree(self) -> int | None:
        """How many quorums of one group can be pairwise disjoint, in every group; None where it
        must be searched."""
        known = [family.degree() for family in self.families]
        least = [d for d in known if d is not None]
        return min(least) if len(least) == len(known) else None

    def survivors(self, alive: Sequence[int]) -> int:
        """The scenarios in which every group has a quorum."""
        return all_of([family.survivors(alive) for family in self.families])

    def sizes(self) -> tuple[int, int]:
        sizes = [family.sizes() for family in self.families]
        return min(least for least, _ in sizes), max(most for _, most in sizes)

    def assignment(self) -> list[Quorum]:
        """One quorum per node, for the group that its number falls to."""
        groups = len(self.families)
        return [self.families[v % groups].preferred(v // groups, 0) for v in range(self.n)]


class Surficial(GroupQuorums):
    def __init__(self, n: int, groups: int, virtual: str = FOLDED) -> None:
        if groups < 1:
            raise QuorumError(f"groups={groups}: a group quorum system needs at least one group")
        if virtual not in VIRTUAL:
            raise QuorumError(f"virtual={virtual} is not one of {', '.join(VIRTUAL)}")
        self.groups = groups
        self.d = _side(at_least_one_node(n), groups)
        faces = groups * (groups - 1) // 2
        self.virtual_n = faces * self.d**2 if groups > 1 else n
        self.virtual = virtual
        hosts = self.virtual_n if virtual == KEPT else n
        super().__init__(
            "surficial",
            hosts,
            [
                Listed(
                    "surficial",
                    hosts,
                    [[v % hosts for v in self.surface(g, r)] for r in range(self.d)],
                    family=Family.COTERIE if self.d == 1 else Family.PART,
                )
                for g in range(groups)
            ],
        )

    def surface(self, group: int, r: int) -> Quorum:
        """Quorum r of a group, as virtual nodes."""
        if self.groups == 1:
            return (r,)  # nobody to exclude
        d = self.d
        members: list[int] = []
        for other in range(self.groups):
            if other == group:
                continue
            face = d * d * self._face(min(group, other), max(group, other))
            if group < other:
                members.extend(range(face + r * d, face + (r + 1) * d))
            else:
                members.extend(range(face + r, face + d * d, d))
        return tuple(sorted(members))

    def number(self, group: int, quorum: Quorum) -> int:
        """Which quorum of the group a picked one is: what `behind` wants to know."""
        hosts = {*quorum}
        return next(
            r for r in range(self.d) if {v % self.n for v in self.surface(group, r)} == hosts
        )

    def behind(self, group: int, r: int) -> dict[int, Quorum]:
        """The hosts of quorum r, each with its virtual nodes in it: one message, these locks."""
        hosts: dict[int, Quorum] = {}
        for v in self.surface(group, r):
            hosts[v % self.n] = (*hosts.get(v % self.n, ()), v)
        return hosts

    def load(self) -> float | None:
        # A folded node is in more quorums than two.
        if self.virtual_n > self.n:
            return None
        return 2 / (self.groups * self.d) if self.groups > 1 else 1 / self.n

    def resilience(self) -> int | None:
        # Unfolded, the d quorums of a group are disjoint: one node of each stops them all.
        return self.d - 1 if self.virtual_n <= self.n else None

    def degree(self) -> int | None:
        return self.d if self.virtual_n <= self.n else super().degree()

    def _face(self, i: int, j: int) -> int:
        # Faces stand in the order (0,1) (0,2) .. (0,m-1) (1,2) ...
        return i * self.groups - i * (i + 1) // 2 + j - i - 1


class GroupSetQuorums(GroupQuorums):
    """Any two quorums meet, so one coterie serves every set of groups (paper 001, section 4.1)."""

    def __init__(self, coterie: QuorumSystem, groups: int) -> None:
        if groups < 1:
            raise QuorumError(f"groups={groups}: a request needs at least one group to name")
        if coterie.family is not Family.COTERIE:
            raise QuorumError(
                f"{coterie.kind} is no coterie: two requests whose quorums miss each other cannot "
                "know of each other, so take a kind whose quorums all meet, such as cyclic"
            )
        super().__init__("group-sets", coterie.n, [coterie])
        self.groups = groups

    def load(self) -> float | None:
        return self.families[0].load()

    def of(self, group: int) -> QuorumSystem:
        return self.of_set((group,))

    def of_set(self, groups: Collection[int]) -> QuorumSystem:
        assert groups
        assert all([0 <= g < self.groups for g in groups])
        return self.families[0]


def _side(n: int, groups: int) -> int:
    """The least d with d*d*m(m-1)/2 >= n."""
    if groups == 1:
        return n
    per_side = groups * (groups - 1) // 2
    d = isqrt((n - 1) // per_side) + 1
    assert (d - 1) ** 2 * per_side < n <= d * d * per_side
    return d
