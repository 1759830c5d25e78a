"""The kinds of quorum systems by name: what builds each, what each takes, and of which sort it is.

To add a kind: its construction in a file of this room, one entry here.
"""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from grouplock.quorums.composition import hierarchical
from grouplock.quorums.cyclic import cyclic, plane
from grouplock.quorums.grid import Cover, Cross
from grouplock.quorums.groups import GroupQuorums, GroupSetQuorums, Surficial
from grouplock.quorums.read_write import read_one, rw_grid, rw_votes
from grouplock.quorums.system import QuorumError, QuorumSystem, at_least_one_node
from grouplock.quorums.threshold import k_majority, majority, unanimous
from grouplock.quorums.torus import torus
from grouplock.quorums.tree import Tree
from grouplock.quorums.two_levels import grid_set, k_blocks, rst
from grouplock.quorums.wall import cwlog, triangle, wall
from grouplock.quorums.weighted import weighted

COTERIE: Final = "coterie"
K_COTERIE: Final = "k-coterie"
READ_WRITE: Final = "read-write"
GROUPS: Final = "groups"


class Kind(NamedTuple):
    name: str
    sort: str
    build: Callable[..., QuorumSystem | GroupQuorums]
    source: str

    @property
    def takes(self) -> tuple[str, ...]:
        """The arguments of its builder beside n."""
        return tuple(inspect.signature(self.build).parameters)[1:]


def _group_sets(n: int, groups: int) -> GroupSetQuorums:
    return GroupSetQuorums(cyclic(n), groups)


_ALL: Final = (
    Kind("majority", COTERIE, majority, "Thomas 1979"),
    Kind("weighted", COTERIE, weighted, "Gifford 1979; Garcia-Molina, Barbara 1985"),
    Kind("grid", COTERIE, Cross, "Maekawa 1985"),
    Kind("grid-cover", COTERIE, Cover, "Cheung, Ammar, Ahamad 1990"),
    Kind("plane", COTERIE, plane, "Maekawa 1985; Singer 1938"),
    Kind("cyclic", COTERIE, cyclic, "Luk, Wong 1997; Wichmann 1963"),
    Kind("tree", COTERIE, Tree, "Agrawal, El Abbadi 1991"),
    Kind("hierarchical", COTERIE, hierarchical, "Kumar 1991"),
    Kind("grid-set", COTERIE, grid_set, "Agrawal, El Abbadi 1990"),
    Kind("rst", COTERIE, rst, "Rangarajan, Setia, Tripathi 1995"),
    Kind("triangle", COTERIE, triangle, "Peleg, Wool 1997"),
    Kind("cwlog", COTERIE, cwlog, "Peleg, Wool 1997"),
    Kind("wall", COTERIE, wall, "Peleg, Wool 1997"),
    Kind("all", COTERIE, unanimous, "Ricart, Agrawala 1981"),
    Kind("k-majority", K_COTERIE, k_majority, "Kakugawa et al. 1993"),
    Kind("k-blocks", K_COTERIE, k_blocks, "disjoint coteries side by side"),
    Kind("torus", K_COTERIE, torus, "Jiang, paper 003; Lang, Mao"),
    Kind("read-one", READ_WRITE, read_one, "folklore"),
    Kind("rw-votes", READ_WRITE, rw_votes, "Gifford 1979"),
    Kind("rw-grid", READ_WRITE, rw_grid, "Cheung, Ammar, Ahamad 1990"),
    Kind("surficial", GROUPS, Surficial, "Joung 2003"),
    Kind("group-sets", GROUPS, _group_sets, "Manabe, Park, paper 001"),
)

KINDS: Final = {kind.name: kind for kind in _ALL}


def build(kind: str, n: int, **arguments: Any) -> QuorumSystem | GroupQuorums:
    """The system of this kind; `QuorumError` says in one line why there is none, and which are."""
    entry = find(kind)
    at_least_one_node(n)
    for name in arguments:
        if name not in entry.takes:
            others = [other.name for other in _ALL if name in other.takes]
            raise QuorumError(
                f"{kind} takes no {name}; " + (f"{', '.join(others)} do" if others else "none does")
            )
    return entry.build(n, **arguments)


def find(kind: str) -> Kind:
    if kind not in KINDS:
        near = difflib.get_close_matches(kind, KINDS, n=1)
        meant = f"did you mean {near[0]}?" if near else f"the kinds are {', '.join(KINDS)}"
        raise QuorumError(f"no quorum system is called '{kind}': {meant}")
    return KINDS[kind]
