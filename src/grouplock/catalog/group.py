"""Group mutual exclusion by permission of all or by a token."""

from __future__ import annotations

from typing import Final

from grouplock.algorithms import ra1, token_gme
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.properties import ONE_TOKEN
from grouplock.protocol.channel import ANY_ORDER
from grouplock.protocol.system import SETS

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
