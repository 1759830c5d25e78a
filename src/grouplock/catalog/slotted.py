"""Group k-exclusion: several groups inside at once; and what has everything at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from grouplock.algorithms import jukebox
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, BadOption, Bounds, Hops, Option
from grouplock.properties import ONE_TOKEN
from grouplock.protocol.channel import Channel
from grouplock.protocol.system import CANCEL, LEASES, MANY, SETS, SETUP, SLOTS, TIMERS, VIEWS

ANY_ORDER_AND_TWICE: Final = Channel(fifo=False, duplicates=True)


def _jukebox(entry: Algorithm, options: Mapping[str, str]) -> Algorithm:
    if options["setup"] == "off":
        entry = entry._replace(supports=tuple([s for s in entry.supports if s != SETUP]))
    elif options["form"] != "home":
        raise BadOption(f"jukebox: setup=on needs form=home, not form={options['form']}")
    more = (options["stay"] == "on") + (2 if options["ahead"] == "on" else 0)
    if options["form"] == "home":
        return entry._replace(bounds=Bounds(light="3+1", worst=f"3+{more}"))
    if options["form"] == "quorum":
        return entry._replace(bounds=Bounds(light=f"6*q+{more}", worst=f"6*q+{more}"))
    return entry


ALGORITHMS: Final[tuple[Algorithm, ...]] = (
    Algorithm(
        name="jukebox",
        family="ours",
        paper="ours; answers the k-forum problem that paper 000 ends with",
        channel=ANY_ORDER_AND_TWICE,
        supports=(MANY, CANCEL, SLOTS, SETS, SETUP, LEASES, TIMERS, VIEWS),
        options=(
            Option("form", ("broadcast", "home"), "who is told of a request"),
            Option("policy", ("priority", "fifo"), "which group the next session serves"),
            Option("ahead", ("on", "off"), "whether the next session is decided before it begins"),
            Option("stay", ("on", "off"), "whether a site keeps its place while nobody waits"),
            Option("setup", ("off", "on"), "whether a slot's first entrant sets it up"),
        ),
        promises=(*promised.GROUP, ONE_TOKEN),
        bounds=Bounds(light="2*n+1", worst="2*n+1"),
        hops=Hops(waiting=2, handover=1),
        messages=jukebox.MESSAGES,
        make=jukebox.make,
        variant=_jukebox,
    ),
)
