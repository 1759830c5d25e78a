"""The algorithms themselves.  To add one: its file in algorithms/, one entry here."""

from __future__ import annotations

import difflib
from typing import Final

from grouplock.algorithms import central, ra1, ricart_agrawala, suzuki_kasami, token_gme
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.properties import (
    CONCURRENT_ENTRY,
    EXCLUSION,
    NO_DEADLOCK,
    ONE_TOKEN,
    SERVED,
    TOGETHER,
)
from grouplock.protocol.channel import ANY_ORDER
from grouplock.protocol.system import CANCEL, MANY, SETS, SLOTS

MUTEX: Final = "mutex"
GROUP: Final = "group"

MUTEX_PROMISES: Final = (EXCLUSION, SERVED, NO_DEADLOCK)
GROUP_PROMISES: Final = (*MUTEX_PROMISES, CONCURRENT_ENTRY, TOGETHER)

ALGORITHMS: Final = (
    Algorithm(
        name="central",
        family="group",
        paper="folklore: one fixed coordinator",
        channel=ANY_ORDER,
        supports=(MANY, CANCEL, SLOTS, SETS),
        options=(),
        promises=GROUP_PROMISES,
        bounds=Bounds(light="3*(n-1)/n", worst="3"),
        hops=Hops(waiting=2, handover=2),
        messages=central.MESSAGES,
        make=lambda me, peers, options, pick: central.Central(me, peers, int(options["slots"])),
    ),
    Algorithm(
        name="ricart-agrawala",
        family=MUTEX,
        paper="Ricart, Agrawala 1981",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=MUTEX_PROMISES,
        bounds=Bounds(light="2*(n-1)", worst="2*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=ricart_agrawala.MESSAGES,
        make=lambda me, peers, options, pick: ricart_agrawala.RicartAgrawala(me, peers),
    ),
    Algorithm(
        name="suzuki-kasami",
        family=MUTEX,
        paper="Suzuki, Kasami 1985",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=(*MUTEX_PROMISES, ONE_TOKEN),
        bounds=Bounds(light="n", worst="n"),
        hops=Hops(waiting=2, handover=1),
        messages=suzuki_kasami.MESSAGES,
        make=lambda me, peers, options, pick: suzuki_kasami.SuzukiKasami(me, peers),
    ),
    Algorithm(
        name="ra1",
        family=GROUP,
        paper="Joung 2002, RA1",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=GROUP_PROMISES,
        bounds=Bounds(light="2*(n-1)", worst="2*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=ra1.MESSAGES,
        make=lambda me, peers, options, pick: ra1.RA1(me, peers),
    ),
    Algorithm(
        name="token-gme",
        family=GROUP,
        paper="Mittal, Mohan 2007 (paper 004)",
        channel=ANY_ORDER,
        supports=(SETS,),
        options=(Option("policy", ("priority", "fifo"), "which group the next session serves"),),
        promises=(*GROUP_PROMISES, ONE_TOKEN),
        bounds=Bounds(light="2*n-1", worst="2*n-1"),
        hops=Hops(waiting=2, handover=1),
        messages=token_gme.MESSAGES,
        make=lambda me, peers, options, pick: token_gme.TokenGME(
            me, peers, options["policy"] == "priority"
        ),
    ),
)

_BY_NAME: Final = {a.name: a for a in ALGORITHMS}


class UnknownAlgorithm(ValueError):
    """A name that the catalog does not have; the message says which it has."""


def find(name: str) -> Algorithm:
    try:
        return _BY_NAME[name]
    except KeyError:
        near = difflib.get_close_matches(name, _BY_NAME, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        names = ", ".join(_BY_NAME)
        raise UnknownAlgorithm(f"no algorithm '{name}'{hint} (there are: {names})") from None
