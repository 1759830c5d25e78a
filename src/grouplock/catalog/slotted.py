"""Group k-exclusion: several groups inside at once."""

from __future__ import annotations

from typing import Final

from grouplock.algorithms import jiang
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.protocol.channel import FIFO
from grouplock.protocol.system import CRASH, SLOTS, TIMERS
from grouplock.quorums.catalog import K_COTERIE

ALGORITHMS: Final[tuple[Algorithm, ...]] = (
    Algorithm(
        name="jiang",
        family="k-groups",
        paper="Jiang (paper 003), repaired",
        channel=FIFO,
        supports=(SLOTS, TIMERS, CRASH),
        options=(
            Option(
                "patience",
                ("100", jiang.NEVER),
                "how long to wait before more are asked",
                number=True,
            ),
        ),
        promises=promised.SHARING,
        # Alone; and for each site that is asked, and each registrar, all that can come of it.
        bounds=Bounds(light="3*(q-1)+3*(u-1)+2", worst="10*(n-1)+7*(u-1)+2"),
        hops=Hops(waiting="u+3", handover="u+5"),
        messages=jiang.MESSAGES,
        make=jiang.make,
        quorums=K_COTERIE,
    ),
)
