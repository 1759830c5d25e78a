"""Group k-exclusion: several groups inside at once; and what has everything at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grouplock.algorithms import jiang, jukebox
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, BadOption, Bounds, Hops, Option
from grouplock.parts.forum import JOINS, PATIENCE
from grouplock.parts.forum_words import MESSAGES
from grouplock.properties import ONE_TOKEN, OVERTAKING
from grouplock.protocol.channel import FIFO, Channel
from grouplock.protocol.system import CANCEL, CRASH, LEASES, MANY, SETS, SETUP, SLOTS, TIMERS, VIEWS
from grouplock.quorums.catalog import K_COTERIE, READ_WRITE

ANY_ORDER_AND_TWICE: Final = Channel(fifo=False, duplicates=True)


def _jukebox(entry: Algorithm, options: Mapping[str, str]) -> Algorithm:
    """Setups and timers need one place that knows the slots at any time."""
    home = options["form"] == "home"
    for name in ("setup", "linger", "max_session", "max_wait"):
        if options[name] != "off" and not home:
            raise BadOption(
                f"jukebox: {name}={options[name]} needs form=home, not form={options['form']}"
            )
    if options["setup"] == "off":
        entry = entry._replace(supports=tuple([s for s in entry.supports if s != SETUP]))
    stay = 1 if options["stay"] == "on" else 0
    ahead = 2 if options["ahead"] == "on" else 0
    if home:
        light, worst = f"3+{stay}", f"3+{stay + ahead}"
        if options["setup"] == "on":
            light, worst = f"{light}+1", f"{worst}+1"
        return entry._replace(
            bounds=Bounds(light=light, worst=worst),
            # A session that is to be set up opens for the others when its first entrant says so.
            hops=Hops(waiting=2, handover=1 if ahead and options["setup"] == "off" else 2),
        )
    if options["form"] == "quorum":
        bound = f"4*(q-1)+2*(r-1)+1+{stay + ahead}"
        return entry._replace(
            bounds=Bounds(light=bound, worst=bound),
            hops=Hops(waiting=3, handover=1 if ahead else 3),
            quorums=READ_WRITE,
        )
    bound = f"2*n-1+{stay}"
    return entry._replace(
        bounds=Bounds(light=bound, worst=bound), hops=Hops(waiting=2, handover=1 if ahead else 2)
    )


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
    Algorithm(
        name="jukebox",
        family="ours",
        paper="ours; answers the k-forum problem that paper 000 ends with",
        channel=ANY_ORDER_AND_TWICE,
        supports=(MANY, CANCEL, SLOTS, SETS, SETUP, LEASES, TIMERS, VIEWS),
        options=(
            Option("form", ("broadcast", "quorum", "home"), "who is told of a request"),
            Option("policy", ("priority", "fifo"), "which group the next session serves"),
            Option("ahead", ("on", "off"), "whether the next session is decided before it begins"),
            Option("stay", ("on", "off"), "whether a site keeps its place while nobody waits"),
            Option("setup", ("off", "on"), "whether a slot's first entrant sets it up"),
            Option(
                "patience",
                (str(PATIENCE),),
                "sessions that may begin past one",
                number=True,
            ),
            Option("joins", (str(JOINS),), "who may join past one that waits", number=True),
            Option("linger", ("off",), "how long an empty session is kept", number=True),
            Option("max_session", ("off",), "how long one takes others in", number=True),
            Option("max_wait", ("off",), "how long one may wait until doors close", number=True),
        ),
        promises=(*promised.GROUP, ONE_TOKEN, OVERTAKING),
        bounds=Bounds(light="2*n", worst="2*n"),
        hops=Hops(waiting=2, handover=1),
        messages=MESSAGES,
        make=jukebox.make,
        patience="patience",
        variant=_jukebox,
    ),
)
