"""Quorum systems: every construction, the properties each promises, and what each costs.

A library that stands on its own. `build("grid", 25)` makes a system by its name; its `pick` chooses
a quorum; `validate`, `load`, `resilience` and `availability` judge it, and `report` does all of it.
"""

from __future__ import annotations

from grouplock.quorums.catalog import KINDS, Kind, build
from grouplock.quorums.groups import GroupQuorums, GroupSetQuorums, Surficial
from grouplock.quorums.listed import Listed
from grouplock.quorums.system import Family, Quorum, QuorumError, QuorumSystem

__all__ = [
    "KINDS",
    "Family",
    "GroupQuorums",
    "GroupSetQuorums",
    "Kind",
    "Listed",
    "Quorum",
    "QuorumError",
    "QuorumSystem",
    "Surficial",
    "build",
]
