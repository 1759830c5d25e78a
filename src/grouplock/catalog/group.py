"""Group mutual exclusion by permission of all or by a token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grouplock.algorithms import ra1, ra2, token_gme
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.properties import ONE_TOKEN
from grouplock.protocol.channel import ANY_ORDER, FIFO
from grouplock.protocol.system import SETS


def _ra2(entry: Algorithm, options: Mapping[str, str]) -> Algorithm:
    """Whole vectors need no order: each says all."""
    if options["vectors"] == "differential":
        return entry
    return entry._replace(channel=ANY_ORDER, messages=ra2.MESSAGES_WITH_WHOLE_VECTORS)


ALGORITHMS: Final = (
    Algorithm(
        name="ra1",
        family="group",
        paper="Joung 2002, RA1",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=promised.GROUP,
        bounds=Bounds(light="2*(n-1)", worst="2*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=ra1.MESSAGES,
        make=ra1.make,
    ),
    Algorithm(
        name="ra2",
        family="group",
        paper="Joung 2002, RA2 (derived)",
        channel=FIFO,
        supports=(),
        options=(Option("vectors", ("differential", "full"), "what a vector is told as"),),
        promises=promised.GROUP,
        bounds=Bounds(light="2*(n-1)", worst="3*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=ra2.MESSAGES,
        make=ra2.make,
        variant=_ra2,
    ),
    Algorithm(
        name="token-gme",
        family="group",
        paper="Mittal, Mohan 2007 (paper 004)",
        channel=ANY_ORDER,
        supports=(SETS,),
        options=(Option("policy", ("priority", "fifo"), "which group the next session serves"),),
        promises=(*promised.GROUP, ONE_TOKEN),
        bounds=Bounds(light="2*n-1", worst="2*n-1"),
        hops=Hops(waiting=2, handover=1),
        messages=token_gme.MESSAGES,
        make=token_gme.make,
    ),
)
