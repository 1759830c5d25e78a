"""Group mutual exclusion by permission of a quorum, with sets of groups where they are taken."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grouplock.algorithms import maekawa_m, maekawa_s, manabe_park, sanders, surrogate
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, BadOption, Bounds, Hops, Option
from grouplock.protocol.channel import ANY_ORDER, FIFO
from grouplock.protocol.system import SETS
from grouplock.quorums.catalog import COTERIE, GROUPS


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


def sanders_with(entry: Algorithm, settled: Mapping[str, str]) -> Algorithm:
    if settled["structure"] == "maekawa":
        if settled["singleton"] == "on":
            raise BadOption(f"{entry.name}: singleton=on needs structure=ricart-agrawala")
        return entry
    light = "2*(n-1)"
    if settled["singleton"] == "off":
        return entry._replace(bounds=Bounds(light, worst="4*(n-1)+2"), quorums="", peers=True)
    return entry._replace(
        bounds=Bounds(light, worst="5*(n-1)+1"),
        hops=Hops(waiting=2, handover=1),
        quorums="",
        peers=True,
    )


def maekawa_m_with(entry: Algorithm, options: Mapping[str, str]) -> Algorithm:
    """Fewer locks: fewer are together and fewer are called back. Virtual nodes: more messages."""
    locks = options["locks"]
    each = "n" if locks == "n" else "locks"
    promises: tuple[str, ...] = promised.GROUP
    if locks != "n":  # even one lock lets two together, where quorums of a group do not meet
        promises = promised.MUTEX if locks == "1" else promised.SHARING
    light, worst = "3*(q-1)", f"3*(q-1)*(1+{each})"
    if options["virtual"] == maekawa_m.KEPT:
        light, worst = "3*(v-1)", f"3*(v-1)*(1+{each})"
    elif options["virtual"] == maekawa_m.SHARED:
        worst = f"3*(q-1)+3*(v-1)*{each}"
    return entry._replace(promises=promises, bounds=Bounds(light, worst))


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
        peers=False,
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
        peers=False,
    ),
    Algorithm(
        name="sanders",
        family="group",
        paper="Atreya, Mittal, Peri 2007 (paper 000), VIII.C; Sanders 1987",
        channel=FIFO,
        supports=(SETS,),
        options=(
            Option("structure", ("maekawa", "ricart-agrawala"), "whom one asks and tells"),
            Option("singleton", ("off", "on"), "whether an arbiter waits for its own site alone"),
        ),
        promises=promised.SHARING,
        bounds=Bounds(light="3*(q-1)", worst="7*(q-1)+2"),
        hops=Hops(waiting=2, handover=2),
        messages=sanders.MESSAGES,
        make=sanders.make,
        quorums=COTERIE,
        peers=False,
        variant=sanders_with,
    ),
    Algorithm(
        name="maekawa-m",
        family="group",
        paper="Joung 2003, Maekawa_M",
        channel=FIFO,
        supports=(),
        options=(
            Option("locks", ("n", "1"), "how many locks a node lends at once", number=True),
            Option(
                "virtual",
                (maekawa_m.FOLDED, maekawa_m.KEPT, maekawa_m.SHARED),
                "where there are more nodes in the quorums than sites: one lock for each site; one"
                " lock and one message for each node; one lock for each node",
            ),
        ),
        promises=promised.GROUP,
        bounds=Bounds(light="3*(q-1)", worst="3*(q-1)*(1+n)"),
        hops=Hops(waiting=2, handover=2),
        messages=maekawa_m.MESSAGES,
        make=maekawa_m.make,
        quorums=GROUPS,
        peers=False,
        variant=maekawa_m_with,
    ),
    Algorithm(
        name="toyomura",
        family="group",
        paper="Toyomura, Kamei, Kakugawa 2003",
        channel=FIFO,
        supports=(),
        options=(),
        promises=promised.GROUP,
        bounds=Bounds(light="3*(q-1)", worst="3*(q-1)*(1+n)"),
        hops=Hops(waiting=2, handover=2),
        messages=maekawa_m.MESSAGES,
        make=maekawa_m.make_toyomura,
        quorums=COTERIE,
        peers=False,
    ),
    Algorithm(
        name="maekawa-s",
        family="group",
        paper="Joung 2003, Maekawa_S",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=promised.GROUP,
        # 2|Q|+1 where the site is not in its quorum, so that |Q| = q-1; at most 2|Q| where it is.
        bounds=Bounds(light="2*q", worst="2*q"),
        hops=Hops(waiting="q", handover="q"),
        messages=maekawa_s.MESSAGES,
        make=maekawa_s.make,
        quorums=GROUPS,
        peers=False,
    ),
)
