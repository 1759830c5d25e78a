"""Group mutual exclusion by permission of a quorum, with sets of groups where they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grouplock.algorithms import manabe_park, surrogate
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, BadOption, Bounds, Hops, Option
from grouplock.protocol.channel import FIFO
from grouplock.protocol.system import SETS
from grouplock.quorums.catalog import COTERIE


def surrogate_with(entry: Algorithm, settled: Mapping[str, str]) -> Algorithm:
    """Leave, then weights, then the list, then concurrent entry: each is built on the last."""
    if settled["release"] == "leave":
        if settled["stale"] == "on" or settled["entry"] != "off":
            raise BadOption(f"{entry.name}: release=leave goes with stale=off and entry=off alone")
        return entry._replace(
            bounds=Bounds(light="3*(q-1)", worst="6*(q-1)+2+2*q"), hops=Hops(2, 3)
        )
    if settled["stale"] == "off":
        if settled["entry"] != "off":
            raise BadOption(f"{entry.name}: entry={settled['entry']} needs stale=on")
        return entry._replace(bounds=Bounds(light="3*(q-1)", worst="7*(q-1)+2+q*(q+1)"))
    if settled["entry"] == "off":
        return entry
    return entry._replace(
        promises=promised.GROUP, bounds=Bounds(light="3*(q-1)", worst="8*(q-1)+4")
    )


ALGORITHMS: Final = (
    Algorithm(
        name="surrogate",
        family="group",
        paper="Atreya, Mittal, Peri 2007 (paper 000)",
        channel=FIFO,
        supports=(SETS,),
        options=(
            Option("release", ("weights", "leave"), "how the arbiters learn that all have left"),
            Option("stale", ("on", "off"), "whether fulfilled requests are made known"),
            Option("entry", ("off", "on", "pivot"), "whether who comes later may be invited"),
        ),
        promises=promised.SHARING,
        bounds=Bounds(light="3*(q-1)", worst="7*(q-1)+2"),
        hops=Hops(waiting=2, handover=2),
        messages=surrogate.MESSAGES,
        make=surrogate.make,
        quorums=COTERIE,
        variant=surrogate_with,
    ),
    Algorithm(
        name="manabe-park",
        family="sets",
        paper="Manabe, Park 2004 (paper 001)",
        channel=FIFO,
        supports=(SETS,),
        options=(
            Option("choice", ("any", "waiters"), "a pivot's group: its first or most waited for"),
        ),
        promises=promised.SHARING,
        bounds=Bounds(light="6*(q-1)", worst="9*(q-1)"),
        hops=Hops(waiting=2, handover=4),
        messages=manabe_park.MESSAGES,
        make=manabe_park.make,
        quorums=COTERIE,
    ),
)
