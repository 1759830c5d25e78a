"""All that can be said of one system, and how each figure was found.

What may live here: gathering. A figure that is too much work for a system of this size is bounded,
sampled or taken from the construction's proof, and `how` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from grouplock.quorums import validate
from grouplock.quorums.availability import Availability, availability, is_dominated
from grouplock.quorums.bits import Toss
from grouplock.quorums.groups import GroupQuorums, GroupSetQuorums
from grouplock.quorums.load import load
from grouplock.quorums.resilience import resilience
from grouplock.quorums.system import LISTED, Family, Quorum, QuorumSystem, membership

DOWN = (0.01, 0.05, 0.1, 0.2, 0.3)  # the probability that a node is down

ASSIGNED = 12_000_000  # members of all quorums of an assignment
PAIRS = 4_000_000
PACKINGS = 1_000_000
DISJOINT = 12  # quorums of which the most that are disjoint are looked for

CHECKED = "checked"
PROVED = "proved"  # as docs/quorums.md does, and tried out for smaller n


class Properties(NamedTuple):
    """True or false; None where a property is not promised or means nothing."""

    intersection: bool | None = None
    minimality: bool | None = None
    k_intersection: bool | None = None
    extension: bool | None = None
    write_read: bool | None = None
    cross_group: bool | None = None


class Reads(NamedTuple):
    """The quorums that meet every quorum of the system."""

    quorums: list[Quorum] | None
    size: tuple[int, int]
    load: float
    resilience: int
    availability: Availability
    how: dict[str, str]


class Report(NamedTuple):
    kind: str
    n: int
    k: int
    quorums: list[Quorum] | None  # None where there are too many to list
    assignment: list[Quorum] | None  # None where it would be too large
    size: tuple[int, int]
    load: float
    resilience: int
    availability: Availability
    properties: Properties
    degree: int | None
    membership: tuple[int, int] | None
    dominated: bool | None
    reads: Reads | None
    groups: list[int] | None  # whose each of the quorums is, where groups have their own
    how: dict[str, str]


def report(system: QuorumSystem | GroupQuorums, toss: Toss) -> Report:
    families = system.families if isinstance(system, GroupQuorums) else [system]
    size = system.sizes()
    assignment = system.assignment() if size[1] * system.n <= ASSIGNED else None
    use = membership(system.n, assignment) if assignment is not None else None
    busy = load(system)
    lasting = resilience(system, busy.value)
    up = availability(system, DOWN, toss)
    properties, checked = _properties(system)
    only = system if isinstance(system, QuorumSystem) else None
    quorums = _listed(families, LISTED)
    return Report(
        kind=system.kind,
        n=system.n,
        k=only.k if only else 1,
        quorums=quorums,
        assignment=assignment,
        size=size,
        load=busy.value,
        resilience=lasting.value,
        availability=up,
        properties=properties,
        degree=_degree(system, families),
        membership=(min(use), max(use)) if use else None,
        dominated=is_dominated(only) if only else None,
        reads=_reads(only.reads, toss) if only and only.reads else None,
        groups=_groups(families) if quorums and len(families) > 1 else None,
        how={
            "load": busy.how,
            "resilience": lasting.how,
            "availability": up.how,
            "properties": CHECKED if checked else PROVED,
        },
    )


def _reads(reads: QuorumSystem, toss: Toss) -> Reads:
    busy = load(reads)
    lasting = resilience(reads, busy.value)
    up = availability(reads, DOWN, toss)
    return Reads(
        quorums=reads.quorums(),
        size=reads.sizes(),
        load=busy.value,
        resilience=lasting.value,
        availability=up,
        how={"load": busy.how, "resilience": lasting.how, "availability": up.how},
    )


def _groups(families: Sequence[QuorumSystem]) -> list[int]:
    return [group for group, family in enumerate(families) for _ in range(family.count())]


def _degree(system: QuorumSystem | GroupQuorums, families: Sequence[QuorumSystem]) -> int | None:
    """Of groups, the least that any of them has."""
    if (known := system.degree()) is not None:
        return known
    if max([family.count() for family in families]) > DISJOINT:
        return None
    return min([validate.most_disjoint([*family.each()]) for family in families])


def _listed(families: Sequence[QuorumSystem], limit: int) -> list[Quorum] | None:
    quorums: list[Quorum] = []
    for family in families:
        more = family.quorums(limit)
        if more is None or len(quorums) + len(more) > limit:
            return None
        quorums.extend(more)
    return quorums


def _properties(system: QuorumSystem | GroupQuorums) -> tuple[Properties, bool]:
    """The properties, and whether each of them was tried out rather than believed."""
    if isinstance(system, GroupQuorums):
        return _of_groups(system)
    quorums = system.quorums()
    reads = system.reads.quorums() if system.reads else None
    promised = Properties(
        intersection=True if system.family is Family.COTERIE else None,
        minimality=True,
        k_intersection=True if system.family is Family.K_COTERIE else None,
        extension=True if system.family is Family.K_COTERIE else None,
        write_read=True if system.reads else None,
    )
    if quorums is None or len(quorums) ** 2 > PAIRS:
        return promised, False
    found = promised._replace(minimality=validate.minimality(quorums) is None)
    if system.family is Family.COTERIE:
        found = found._replace(intersection=validate.intersection(quorums) is None)
    checked = True
    if system.family is Family.K_COTERIE:
        if len(quorums) ** system.k <= PACKINGS:
            found = found._replace(
                k_intersection=validate.k_intersection(quorums, system.k) is None,
                extension=validate.extension(quorums, system.k) is None,
            )
        else:
            checked = False
    if system.reads:
        if reads is not None and len(quorums) * len(reads) <= PAIRS:
            found = found._replace(write_read=validate.write_read(quorums, reads) is None)
        else:
            checked = False
    return found, checked


def _of_groups(system: GroupQuorums) -> tuple[Properties, bool]:
    sets = isinstance(system, GroupSetQuorums)
    listed = [_listed([family], LISTED) for family in system.families]
    families = [quorums for quorums in listed if quorums is not None]
    total = sum(map(len, families))
    if len(families) < len(listed) or total**2 > PAIRS:
        meets = True if sets else None
        return Properties(intersection=meets, minimality=True, cross_group=True), False
    minimal = all([validate.minimality(quorums) is None for quorums in families])
    if sets:
        meets = validate.intersection(families[0]) is None
        return Properties(intersection=meets, minimality=minimal, cross_group=meets), True
    crossing = validate.cross_group(families) is None
    return Properties(minimality=minimal, cross_group=crossing), True
