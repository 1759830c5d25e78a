"""Plain mutual exclusion by permission of a quorum."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grouplock.algorithms import cao_singhal, maekawa
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.protocol.channel import ANY_ORDER, FIFO
from grouplock.protocol.system import CRASH
from grouplock.quorums.catalog import COTERIE


def _cao_singhal(entry: Algorithm, settled: Mapping[str, str]) -> Algorithm:
    """Each option adds to what an arbiter may have to say; crashes need channels in order."""
    members, each = "q", 9
    if settled["ahead"] == "on":
        each += 5
    if settled["redundant"] == "on":
        members, each = "n", each + 3
        entry = entry._replace(bounds=Bounds(light="4*(n-1)", worst=""))
    entry = entry._replace(bounds=entry.bounds._replace(worst=f"{each}*{members}"))
    if settled["faults"] == "on":
        entry = entry._replace(supports=(CRASH,), channel=FIFO)
    return entry


ALGORITHMS: Final[tuple[Algorithm, ...]] = (
    Algorithm(
        name="maekawa",
        family="mutex",
        paper="Maekawa 1985, repaired as in paper 002, 3.4",
        channel=FIFO,
        supports=(),
        options=(),
        promises=promised.MUTEX,
        bounds=Bounds(light="3*(q-1)", worst="6*(q-1)"),
        hops=Hops(waiting=2, handover=2),
        messages=maekawa.MESSAGES,
        make=maekawa.make,
        quorums=COTERIE,
        peers=False,
    ),
    Algorithm(
        name="cao-singhal",
        family="mutex",
        paper="002: Cao, Singhal 2001",
        channel=ANY_ORDER,
        supports=(),
        options=(
            Option("ahead", ("off", "on"), "the next but one is named beforehand too (5.3)"),
            Option("direct", ("off", "on"), "who yields hands over itself (5.2.1)"),
            Option("redundant", ("off", "on"), "in with the first quorum that answered (5.2.1)"),
            Option("faults", ("off", "on"), "crashes are survived (6, repaired)"),
        ),
        promises=promised.MUTEX,
        bounds=Bounds(light="3*(q-1)", worst="9*q"),
        hops=Hops(waiting=2, handover=1),
        messages=cao_singhal.MESSAGES,
        make=cao_singhal.make,
        quorums=COTERIE,
        peers=False,
        variant=_cao_singhal,
    ),
)
