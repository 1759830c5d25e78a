"""Plain mutual exclusion by permission of all or by a token: the baselines."""

from __future__ import annotations

from typing import Final

from grouplock.algorithms import (
    central,
    lamport,
    raymond,
    ricart_agrawala,
    singhal_dynamic,
    singhal_heuristic,
    suzuki_kasami,
)
from grouplock.catalog import promised
from grouplock.catalog.entry import Algorithm, Bounds, Hops
from grouplock.properties import ONE_TOKEN
from grouplock.protocol.channel import ANY_ORDER, FIFO
from grouplock.protocol.system import CANCEL, MANY, SETS, SLOTS

ALGORITHMS: Final = (
    Algorithm(
        name="central",
        family="group",
        paper="folklore: one fixed coordinator",
        channel=ANY_ORDER,
        supports=(MANY, CANCEL, SLOTS, SETS),
        options=(),
        promises=promised.GROUP,
        bounds=Bounds(light="3*(n-1)/n", worst="3"),
        hops=Hops(waiting=2, handover=2),
        messages=central.MESSAGES,
        make=central.make,
    ),
    Algorithm(
        name="ricart-agrawala",
        family="mutex",
        paper="Ricart, Agrawala 1981",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=promised.MUTEX,
        bounds=Bounds(light="2*(n-1)", worst="2*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=ricart_agrawala.MESSAGES,
        make=ricart_agrawala.make,
    ),
    Algorithm(
        name="suzuki-kasami",
        family="mutex",
        paper="Suzuki, Kasami 1985",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=(*promised.MUTEX, ONE_TOKEN),
        bounds=Bounds(light="n", worst="n"),
        hops=Hops(waiting=2, handover=1),
        messages=suzuki_kasami.MESSAGES,
        make=suzuki_kasami.make,
    ),
    Algorithm(
        name="lamport",
        family="mutex",
        paper="Lamport 1978",
        channel=FIFO,
        supports=(),
        options=(),
        promises=promised.MUTEX,
        bounds=Bounds(light="3*(n-1)", worst="3*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=lamport.MESSAGES,
        make=lamport.make,
    ),
    Algorithm(
        name="raymond",
        family="mutex",
        paper="Raymond 1989",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=(*promised.MUTEX, ONE_TOKEN),
        bounds=Bounds(light="n/4+3.5", worst="n+2"),
        hops=Hops(waiting="4*lg", handover="lg"),
        messages=raymond.MESSAGES,
        make=raymond.make,
    ),
    Algorithm(
        name="singhal-heuristic",
        family="mutex",
        paper="Singhal 1989, repaired",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=(*promised.MUTEX, ONE_TOKEN),
        bounds=Bounds(light="n", worst="3*n-2"),
        hops=Hops(waiting=2, handover=1),
        messages=singhal_heuristic.MESSAGES,
        make=singhal_heuristic.make,
    ),
    Algorithm(
        name="singhal-dynamic",
        family="mutex",
        paper="Singhal 1992",
        channel=ANY_ORDER,
        supports=(),
        options=(),
        promises=promised.MUTEX,
        bounds=Bounds(light="2*(n-1)", worst="2*(n-1)"),
        hops=Hops(waiting=2, handover=1),
        messages=singhal_dynamic.MESSAGES,
        make=singhal_dynamic.make,
    ),
)
