"""Plain mutual exclusion by permission of a quorum."""

from __future__ import annotations

from typing import Final

from grouplock.algorithms import maekawa
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops
from grouplock.protocol.channel import FIFO
from grouplock.quorums.catalog import COTERIE

ALGORITHMS: Final = (
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
    ),
)
