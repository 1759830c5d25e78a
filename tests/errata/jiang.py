"""Paper 003, section 3: what is printed, over the smallest coteries that show it.

Each has the repairs of all the others, so that it shows one thing.
"""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import EXCLUSION, NO_DEADLOCK
from tests.errata.erratum import Erratum
from tests.picks import ReadWrite
from tests.variants import Edit, Variant

# k = 2 over two single nodes, among three sites or four; and over two pairs, among four.
SINGLES: Final = ReadWrite([(0,), (1,)], [0, 1, 1], [(0, 1)] * 3)
FOUR: Final = ReadWrite([(0,), (1,)], [0, 1, 1, 1], [(0, 1)] * 4)
PAIRS: Final = ReadWrite([(0, 1), (2, 3)], [0, 1, 1, 0], [(1, 2), (1, 2), (0, 2), (0, 3)])
# k = 1 over all pairs of three sites; and over one pair, among five.
THREE: Final = ReadWrite([(0, 1), (1, 2), (0, 2)], [0, 1, 2], [(0, 1), (1, 2), (0, 2)])
ONE: Final = ReadWrite([(0, 1)], [0] * 5, [(0,)] * 5)


def printed(
    name: str,
    place: str,
    title: str,
    breaks: str,
    walk: int | None,
    pick: ReadWrite,
    *edits: Edit,
    groups: int = 3,
    requests: int = 2,
    patience: str = "100",
) -> Erratum:
    n, slots = len(pick.own), 1 if pick in (THREE, ONE) else 2
    options = {"patience": patience}
    variant = Variant(f"jiang-{name}", "jiang", edits, n, options, slots, None, groups, pick)
    scope = Scope(groups=groups, requests=requests)
    directed = walk is None
    return Erratum(variant, "003", place, title, breaks, scope, walk=walk, directed=directed)


STRANGER_IS_IGNORED: Final[Edit] = (
    "        assert self.phase != NCS\n",
    "        if self.phase == NCS:\n            return\n",
)
# A new attribute that only lives as long as a run does.
TRIGGER: Final[tuple[Edit, ...]] = (
    (
        "        self.registry: Final = Registry()\n",
        "        self.registry: Final = Registry()\n        self.trigger = NOBODY\n",
    ),
    (
        "            out.send(site, Preempt(stamp))\n",
        "            out.send(site, Preempt(stamp))\n            self.trigger = lock.queue[0]\n",
    ),
)
YIELD: Final = """            if self.registry.lock.give_back((msg.stamp, src)):
                self.dispatch(out)
"""

ERRATA: Final = [
    printed(
        "release-promotes-always",
        "3, receiving RELEASE",
        "the head of QUEUE gets a grant also when the one released had none",
        EXCLUSION,
        None,
        SINGLES,
        (
            """            self.registry.finish(Claim(msg.stamp, src))
            self.dispatch(out)
""",
            """            self.registry.finish(Claim(msg.stamp, src))
            if self.registry.lock.queue:
                stamp, site = self.registry.lock.lend()
                out.send(site, Grant(stamp))
""",
        ),
        requests=1,
    ),
    printed(
        "follow-finds-nobody",
        "3, releasing and receiving CLEAR",
        "a leader is gone before it hears of all whom its registrars have sent to it",
        NO_DEADLOCK,
        9,
        SINGLES,
        ("            self.acks.append(v)\n", ""),
        ("            out.send(src, Cleared())\n", "            pass\n"),
        STRANGER_IS_IGNORED,
        groups=1,
        requests=1,
    ),
    printed(
        "old-r-grant-is-ignored",
        "3, receiving R-GRANT",
        "an R-GRANT for a request that is over is never given back",
        NO_DEADLOCK,
        231,
        THREE,
        (
            "        if stamp != self.current or",
            "        if stamp != self.current:\n            return\n        if",
        ),
        groups=2,
    ),
    printed(
        "notice-while-competing",
        "3, receiving NOTICE",
        "a competitor gives its quorum back and wins",
        EXCLUSION,
        None,
        PAIRS,
        (
            """        elif isinstance(msg, Notice):
            if self.phase == ES and""",
            """        elif isinstance(msg, Notice):
            if self.phase in (ES, WS) and""",
        ),
        (
            """            if msg.stamp == self.current and self.phase == WS:
                for r""",
            """            if msg.stamp == self.current and self.phase in (WS, FS):
                for r""",
        ),
        requests=1,
    ),
    printed(
        "yield-while-competing",
        "3, receiving PREEMPT",
        "who competes is not in CS, gives back a grant, and wins",
        EXCLUSION,
        None,
        FOUR,
        (
            "            if self.phase == ES and msg.stamp == self.current and src in self.got:\n",
            "            mine = msg.stamp == self.current and src in self.got\n"
            "            if self.phase in (ES, WS) and mine:\n",
        ),
        requests=1,
    ),
    printed(
        "failed-competitor-leaves",
        "3, receiving FAIL and FOLLOW",
        "who was sent to a competitor that failed and has left is let in by nobody",
        NO_DEADLOCK,
        None,
        PAIRS,
        (
            "                self.clear([a for a in self.path if a < src], out)\n",
            "                self.clear([a for a in self.path if a < src], out)\n"
            "                self.acks = []\n",
        ),
        (
            "            self.acks.remove(src)\n",
            "            if src in self.acks:\n                self.acks.remove(src)\n",
        ),
        STRANGER_IS_IGNORED,
        groups=1,
        requests=1,
        patience="never",
    ),
    printed(
        "yield-to-who-is-gone",
        "3, receiving YIELD",
        "the request to exchange with has gone, and who yielded keeps the grant",
        NO_DEADLOCK,
        None,
        ONE,
        *TRIGGER,
        (
            YIELD,
            """            lock = self.registry.lock
            if self.trigger in lock.queue and lock.give_back((msg.stamp, src)):
                self.dispatch(out)
""",
        ),
        groups=2,
        requests=1,
        patience="never",
    ),
    printed(
        "yield-to-who-asked-first",
        "3, receiving YIELD",
        "an older one has come meanwhile, and nobody calls back the younger one's grant",
        NO_DEADLOCK,
        3,
        ONE,
        *TRIGGER,
        (
            YIELD,
            """            lock = self.registry.lock
            if lock.give_back((msg.stamp, src)):
                if self.trigger not in lock.queue:
                    self.dispatch(out)
                else:
                    lock.queue.remove(self.trigger)
                    lock.holder, lock.recalled = self.trigger, False
                    out.send(lock.holder[1], Grant(lock.holder[0]))
""",
        ),
        requests=1,
        patience="never",
    ),
    printed(
        "asked-twice",
        "3, requesting",
        "a node that has the REQUEST and no grant to give gets it again, and queues it twice",
        NO_DEADLOCK,
        31,
        THREE,
        (
            "            fresh = [v for v in quorum if v not in self.asked]\n",
            "            fresh = [v for v in quorum if v not in self.got]\n",
        ),
        (
            "            insort(self.asked, v)\n",
            "            if v not in self.asked:\n                insort(self.asked, v)\n",
        ),
        (
            """            self.lock.holder = NOBODY
        self.lock.drop(stamp)
""",
            """            self.lock.holder = NOBODY
        else:
            self.lock.drop(stamp)
""",
        ),
        (
            "            del self.groups[(claim.stamp, claim.site)]\n",
            "            self.groups.pop((claim.stamp, claim.site), None)\n",
        ),
        requests=1,
    ),
]
