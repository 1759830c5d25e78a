"""Crash tolerance as a wrapper round another algorithm."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any, Final, cast

from grouplock.algorithms import restart
from grouplock.catalog import group, quorum_mutex
from grouplock.catalog.choosers import DEFAULT_KIND, chooser
from grouplock.catalog.entry import Algorithm, Bounds, Hops, Option
from grouplock.parts.inner import carrying
from grouplock.properties import CONCURRENT_ENTRY, ONE_TOKEN
from grouplock.protocol.channel import ANY_ORDER, UNBROKEN
from grouplock.protocol.site import Site
from grouplock.protocol.system import CRASH, System

NAMES: Final = ("token-gme", "ra1", "maekawa")
KNOWN: Final = {a.name: a for a in (*group.ALGORITHMS, *quorum_mutex.ALGORITHMS)}

# What a base promises and the wrapper cannot: the token is lost and made anew, and while somebody
# is inside there is no recovery, so that also those wait whom nobody conflicts with.
NOT_KEPT: Final = (ONE_TOKEN, CONCURRENT_ENTRY)


def round_base(entry: Algorithm, settled: Mapping[str, str]) -> Algorithm:
    """The entry with its base: its table, its channel, its costs while nobody crashes."""
    base = KNOWN[settled["base"]]

    @functools.cache
    def among(n: int) -> System:
        return base.system(n, {})

    def member(rank: int, n: int) -> Site[Any]:
        return among(n).make(rank)

    @functools.cache
    def gate(n: int) -> tuple[int, ...]:
        """The first site has the token in the beginning, or everybody asks it, or a quorum."""
        if not base.quorums:
            return (0,)
        own = chooser(DEFAULT_KIND[base.quorums], n, base.quorums, 1, 1).quorum(0)
        assert own is not None
        return tuple(sorted({0, *own}))

    kind = restart.Base(base.messages, member, gate, base.shared)
    return entry._replace(
        family=entry.family if base.shared else base.family,
        channel=UNBROKEN if base.channel.fifo else base.channel,
        promises=tuple(p for p in base.promises if p not in NOT_KEPT),
        bounds=base.bounds,
        hops=base.hops,
        messages=carrying(entry.messages, base.messages),
        make=functools.partial(cast(Any, entry.make), base=kind),
    )


ALGORITHMS: Final[tuple[Algorithm, ...]] = (
    Algorithm(
        name="restart",
        family="crash-tolerant",
        paper="Mittal, Mohan 2007 (paper 004), section 5.3, repaired",
        channel=ANY_ORDER,
        supports=(CRASH,),
        options=(
            Option("base", NAMES, "the algorithm that is run anew among the survivors"),
            Option("phases", ("3", "2", "1"), "suspend everybody; only the gate; ask again"),
        ),
        promises=(),
        bounds=Bounds(light="2*n-1", worst="2*n-1"),
        hops=Hops(waiting=2, handover=1),
        messages=restart.MESSAGES,
        make=restart.make,
        variant=round_base,
    ),
)
