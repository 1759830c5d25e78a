"""What an algorithm needs of the channels between sites, as a value.

The checker and the simulator give an algorithm exactly what it declares and no more.
"""

from __future__ import annotations

from typing import NamedTuple


class Channel(NamedTuple):
    """Promises of one channel, from one site to another."""

    fifo: bool  # messages arrive in the order in which they were sent
    duplicates: bool = False  # a message may arrive twice
    lossy: bool = False  # a message may be lost; the sender sends again, unprompted
    own: bool = False  # what a site sends itself goes through a FIFO channel of its own
    gaps: bool = True  # a crash may take any of what the site has sent, not only the latest

    @property
    def name(self) -> str:
        return "fifo" if self.fifo else "any"


FIFO = Channel(fifo=True)
UNBROKEN = Channel(fifo=True, gaps=False)
ANY_ORDER = Channel(fifo=False)
