"""Group mutual exclusion by permission of a quorum, with sets of groups where they are taken."""

from __future__ import annotations

from typing import Final

from grouplock.algorithms import manabe_park
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.protocol.channel import FIFO
from grouplock.protocol.system import SETS
from grouplock.quorums.catalog import COTERIE

ALGORITHMS: Final[tuple[Algorithm, ...]] = (
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
