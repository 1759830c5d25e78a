"""Paper 001, figure 1: what is printed, over three sites whose quorums form a ring.

Requesters and managers are processes of their own there, so what a site sends itself goes through
a FIFO channel too.
"""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import EXCLUSION, NO_DEADLOCK
from grouplock.protocol.channel import Channel
from tests.errata.erratum import Erratum
from tests.variants import Edit, Variant

APART: Final = Channel(fifo=True, own=True)


def printed(
    name: str,
    place: str,
    title: str,
    breaks: str,
    *edits: Edit,
    groups: int = 2,
    walk: int | None = None,
    channel: Channel | None = None,
) -> Erratum:
    return Erratum(
        variant=Variant(f"manabe-park-{name}", "manabe-park", edits, n=3, groups=groups),
        paper="001",
        place=place,
        title=title,
        breaks=breaks,
        scope=Scope(groups=groups, requests=2),
        walk=walk,
        channel=channel,
    )


A_SET: Final[Edit] = (
    "        insort(self.oks, manager)\n",
    "        if manager not in self.oks:\n            insort(self.oks, manager)\n",
)

ONE_K: Final[tuple[Edit, ...]] = (
    (
        "        self.tell_quorum(Ask(self.stamp, groups), NOBODY, out)",
        "        self.oks = []\n        self.tell_quorum(Ask(self.stamp, groups), NOBODY, out)",
    ),
    A_SET,
    (
        """        assert self.closing == stamp
        insort(self.finished, manager)
        if len(self.finished) == len(self.quorum):
            self.closing, self.finished = 0, []
""",
        """        if manager not in self.oks:
            insort(self.oks, manager)
        if len(self.oks) == len(self.quorum):
            self.closing = 0
""",
    ),
)

BY_PROCESS: Final[tuple[Edit, ...]] = (
    A_SET,
    ("return self.phase == WAITING and self.stamp == stamp", "return self.phase == WAITING"),
    (
        "        self.tell_quorum(Ask(self.stamp, groups), NOBODY, out)",
        """        if not self.closing:
            self.tell_quorum(Ask(self.stamp, groups), NOBODY, out)""",
    ),
    (
        "            self.tell_quorum(Over(stamp), NOBODY, out)",
        """            self.tell_quorum(Over(stamp), NOBODY, out)
            if self.phase == WAITING:
                self.tell_quorum(Ask(self.stamp, self.wanted), NOBODY, out)""",
    ),
    (
        "self.on_no_need((msg.stamp, src), out)",
        "self.on_no_need(([w[0] for w in self.queue if w[1] == src][0], src), out)",
    ),
    (
        "self.on_release((msg.stamp, src), out)",
        "self.on_release(([w[0] for w in self.queue if w[1] == src][0], src), out)",
    ),
    (
        "        assert (self.status, self.holder) == (LOCKED, pivot)\n",
        "",
    ),
    (
        "        pivot = (lock.stamp, src)\n"
        "        assert self.status in (OFFERED, RECALLED)\n        assert self.holder == pivot\n",
        "        pivot = ([w[0] for w in self.queue if w[1] == src][0], src)\n",
    ),
)

ERRATA: Final = [
    printed(
        "one-k",
        "Fig. 1(a)",
        "one set K for the OKs of a request and the Finisheds of the one before",
        EXCLUSION,
        *ONE_K,
        walk=40,
        channel=APART,
    ),
    printed(
        "old-finished-ignored",
        "4.2",
        "with old replies ignored, so is the Finished of the request before",
        NO_DEADLOCK,
        (
            "        assert self.closing == stamp\n",
            "        if self.phase != IDLE:\n            return\n",
        ),
        groups=1,
    ),
    printed(
        "no-tags",
        "Fig. 1",
        "without clocks on replies an Enter serves a later request",
        EXCLUSION,
        *BY_PROCESS,
        walk=663,
        channel=APART,
    ),
]
