"""Paper 000: its retelling of Maekawa's algorithm, surrogate, its extensions, and sanders."""

from __future__ import annotations

from typing import Final

from grouplock.check.scope import Scope
from grouplock.properties import CONCURRENT_ENTRY, EXCLUSION, NO_DEADLOCK
from grouplock.protocol.channel import Channel
from tests.errata.erratum import Erratum
from tests.picks import Given
from tests.variants import Edit, Variant

ONE_GROUP: Final = Scope(groups=1, requests=1)
LEAVE: Final = {"release": "leave", "stale": "off"}
ON: Final = {"entry": "on"}
ALONE: Final = {"structure": "ricart-agrawala"}
SINGLETON: Final = {"structure": "ricart-agrawala", "singleton": "on"}

# Section V.B: who gets an INVITE for a request that is fulfilled "simply ignores the message".
IGNORED: Final[Edit] = (
    '            assert not self.rules.listed, "who is known to be fulfilled is not invited"\n'
    "            self.give_back((msg.leading, src), msg.clock, (msg.num, msg.den), out)\n",
    "            pass\n",
)

BY_PROCESS: Final[tuple[Edit, ...]] = (
    (
        "        if stamp == self.desk.arbiter.holder:\n"
        "            assert self.desk.returned == NOTHING\n            self.lend(out)\n",
        "        if src == self.desk.arbiter.holder[1]:\n"
        "            if self.desk.come_back((1, 1)):\n                self.lend(out)\n",
    ),
)

SIFTED_ON_ARRIVAL: Final[tuple[Edit, ...]] = (
    (
        "        self.heard.queued[src] = msg.wishes\n",
        "        self.heard.queued[src] = [\n"
        "            w for w in msg.wishes if not self.fulfilled.knows((w.clock, w.site))\n"
        "        ]\n",
    ),
    (
        "return [(s, known[s]) for s in sorted(known) if not fulfilled.knows(s)]",
        "return [(s, known[s]) for s in sorted(known)]",
    ),
    IGNORED,
)

FORWARD_ALONE: Final[tuple[Edit, ...]] = (
    (
        "        if refused != NOBODY:\n",
        "        compatible = meet(msg.groups, self.desk.groups[(leading, holder)])\n"
        "        if refused != NOBODY and not compatible:\n",
    ),
    (
        "        if self.desk.arbiter.recall():\n",
        "        if not compatible and self.desk.arbiter.recall():\n",
    ),
)

INVITED_AGAIN: Final[tuple[Edit, ...]] = (
    (
        "elif tenure is None or stamp in tenure.guests or self.fulfilled.knows(stamp):",
        "elif tenure is None or self.fulfilled.knows(stamp):",
    ),
    IGNORED,
)

NEVER_FORWARDED_LATER: Final[Edit] = (
    "if not self.rules.enters or self.desk.arbiter.holder == NOBODY or self.desk.conflicts():",
    "if True:",
)

GIVES_ALL_BACK: Final[Edit] = (
    "return not self.inside and (self.closed or not self.guests)",
    "return not self.inside",
)

ALL_THAT_WAS_TOLD: Final[tuple[Edit, ...]] = (
    (
        "        if self.desk.come_back((msg.num, msg.den)):\n",
        "        for stamp in list(self.desk.handed):\n            self.finish(stamp)\n"
        "        if self.desk.come_back((msg.num, msg.den)):\n",
    ),
    (
        "        if self.rules.enters:\n            self.desk.handed =",
        "        self.desk.handed = [(wish.clock, wish.site) for wish in wishes]\n"
        "        if self.rules.enters:\n            self.desk.handed =",
    ),
)


ERRATA: Final[tuple[Erratum, ...]] = (
    Erratum(
        Variant(
            "000-the-displaced-is-not-told",
            "maekawa",
            (
                (
                    "        if stamp > self.holder or (first != NOBODY and stamp > first):\n"
                    "            return stamp\n"
                    "        return first if first != NOBODY and first < self.holder else NOBODY\n",
                    "        return stamp if stamp > self.holder else NOBODY\n",
                ),
                ("        first = self.queue[0] if self.queue else NOBODY\n", ""),
            ),
            n=7,
            quorum="plane",
        ),
        paper="000",
        place="III.B, step 2",
        title="a newcomer is compared with the holder alone, and a displaced head learns nothing",
        breaks=NO_DEADLOCK,
        scope=Scope(groups=2, requests=1),
        walk=17,
    ),
    Erratum(
        Variant("000-cancel-by-process", "surrogate", BY_PROCESS, n=3, groups=2),
        paper="000",
        place="Fig. 2, on receiving a CANCEL",
        title="the Cancel of a next request counts as weight for the lock of the one before",
        breaks=NO_DEADLOCK,
        scope=Scope(groups=2, requests=4),
        walk=5112,
    ),
    Erratum(
        Variant("000-sifted-on-arrival", "surrogate", SIFTED_ON_ARRIVAL, n=3, groups=2),
        paper="000",
        place="Fig. 1, on receiving a LOCKED",
        title="a later Locked says that somebody is fulfilled who was let in by an earlier one",
        breaks=NO_DEADLOCK,
        scope=Scope(groups=2, requests=3),
        walk=2666,
    ),
    Erratum(
        Variant("000-forward-alone", "surrogate", FORWARD_ALONE, n=3, options=ON),
        paper="000",
        place="VIII.A, forwarding",
        title="with a Forward in place of Failed and Inquire three of one group wait in a circle",
        breaks=NO_DEADLOCK,
        scope=ONE_GROUP,
    ),
    Erratum(
        Variant("000-invited-twice", "surrogate", INVITED_AGAIN, n=2, options=ON),
        paper="000",
        place="VIII.A, and lemma 3",
        title="a request that two arbiters forward is invited twice, and a part of the weight lost",
        breaks=NO_DEADLOCK,
        scope=Scope(groups=2, requests=2),
    ),
    Erratum(
        Variant(
            "000-behind-a-fulfilled-conflict",
            "surrogate",
            (NEVER_FORWARDED_LATER,),
            n=4,
            options=ON,
            pick=Given([(0, 2), (0, 1), (1, 2), (0, 1)]),
        ),
        paper="000",
        place="VIII.A, when to forward",
        title="nobody forwards who waits behind a conflict that was fulfilled already",
        breaks=CONCURRENT_ENTRY,
        scope=Scope(groups=2, requests=1),
        walk=916,
    ),
    Erratum(
        Variant("000-leader-gives-all-back", "surrogate", (GIVES_ALL_BACK,), n=3, options=ON),
        paper="000",
        place="VIII.A, rule (2), with figure 1",
        title="after the leader has left nobody invites",
        breaks=CONCURRENT_ENTRY,
        scope=ONE_GROUP,
    ),
    Erratum(
        Variant(
            "000-dropped-with-sets",
            "surrogate",
            ALL_THAT_WAS_TOLD,
            n=4,
            options=LEAVE,
            pick=Given([(3,)] * 4),
        ),
        paper="000",
        place="IV.A, step 7, with the sets of VIII.B",
        title="a request that was told to the leader and not invited is dropped",
        breaks=NO_DEADLOCK,
        scope=Scope(groups=3, sets=2, requests=1),
    ),
    Erratum(
        Variant(
            "000-grant-names-no-followers",
            "sanders",
            (("        if self.singleton:\n            self.note_open(src, msg.open)\n", ""),),
            n=3,
            options=SINGLETON,
            groups=2,
        ),
        paper="000",
        place="VIII.C.1",
        title="who gets a GRANT does not learn for whom to wait",
        breaks=EXCLUSION,
        scope=Scope(groups=2, requests=1),
    ),
    Erratum(
        Variant("000-itself-later", "sanders", (), n=2, options=ALONE, groups=2),
        paper="000",
        place="VIII.C",
        title="a request that reaches its own arbiter late is not seen by a younger one",
        breaks=EXCLUSION,
        scope=Scope(groups=2, requests=1),
        channel=Channel(fifo=True, own=True),
        only_printed=True,
    ),
)
