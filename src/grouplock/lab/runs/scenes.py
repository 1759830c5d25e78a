"""Small scenes for any algorithm: alone, a handover, all together, a closed loop of clients.

Every channel takes one unit of time, so that times are hops.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from grouplock.catalog import find
from grouplock.lab.runs import Values
from grouplock.lab.runs.clockwork import Clockwork
from grouplock.protocol.message import Message
from grouplock.protocol.pick import Pick, Quorum


class Given(Pick):
    """Quorums as written, one for each site; and one for all to read from."""

    def __init__(self, quorums: Sequence[Sequence[int]], reads: Sequence[int] = ()) -> None:
        self.quorums: Final = [tuple(quorum) for quorum in quorums]
        self.reads: Final = tuple(reads)

    def quorum(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum:
        return self.quorums[node]

    def read(self, node: int, turn: int = 0, alive: Collection[int] | None = None) -> Quorum:
        return self.reads

    def largest(self) -> int:
        return 1 + max([len([v for v in q if v != i]) for i, q in enumerate(self.quorums)])


def clock(
    algorithm: str,
    n: int,
    options: dict[str, str] | None = None,
    quorum: str | None = None,
    groups: int = 1,
    quorums: Sequence[Sequence[int]] | None = None,
    slots: int = 1,
    reads: Sequence[int] = (),
) -> Clockwork:
    """The algorithm on a clock.  `quorums` as written go before a kind."""
    pick = Given(quorums, reads) if quorums is not None else None
    system = find(algorithm).system(n, options or {}, slots, quorum, groups, pick)
    return Clockwork(system)


def fields(c: Clockwork, msg: Message) -> dict[str, Any]:
    """What a message says, by the names of the algorithm's table."""
    shape = c.system.messages.shape_of(msg)
    return dict(zip([name for name, _ in shape.fields], shape.pack(msg), strict=True))


def alone(site: int, wanted: Sequence[int] = (0,), **made: Any) -> Values:
    """One request, from asking until nothing is on its way any more."""
    c = clock(**made)
    c.ask(site, *wanted)
    c.run()
    hops = c.stays[-1].entered - c.stays[-1].asked
    to_enter = c.messages
    c.leave(site)
    c.run()
    return {
        "hops": hops, "messages": c.messages, "to_enter": to_enter, "kinds": dict(c.kinds),
        "integers": c.integers,
    }  # fmt: skip


def handover(holder: int, waiter: int, wanted: Sequence[int] = (0, 1), **made: Any) -> Values:
    """From an exit to the entry of one who has waited for so long that everything is said."""
    c = clock(**made)
    c.ask(holder, wanted[0])
    c.run()
    c.ask(waiter, wanted[1])
    c.run()
    assert c.who() == [holder]
    left = c.now
    c.leave(holder)
    c.run()
    return {"hops": c.entered(waiter) - left}


def after_follower(options: dict[str, str], algorithm: str = "surrogate") -> Values:
    """A handover where the last one out was let in by a leader that has left."""
    c = clock(algorithm, 5, options, quorums=[(4,)] * 5)  # for those that ask quorums
    c.ask(0, 9)
    c.run()
    for site, group in ((1, 5), (2, 5), (3, 6)):
        c.ask(site, group)
        c.run()
    c.leave(0)
    c.run()
    assert c.who() == [1, 2]
    c.leave(1)
    c.run()
    left = c.now
    c.leave(2)
    c.run()
    return {"hops": c.entered(3) - left}


def together(**made: Any) -> Values:
    """All ask for one group at once and stay: the most inside."""
    c = clock(**made)
    for site in range(c.system.n):
        c.ask(site, 0)
    c.run(until=1000.0)
    return {"inside": c.meter.most_inside}


def loop(
    requests: int,
    think: float,
    stay: float,
    seed: int,
    clients_groups: int = 1,
    fixed: bool = True,
    **made: Any,
) -> Values:
    """Everybody asks again and again; the figures of the run, times in hops."""
    c = clock(**made)
    c.clients(requests, clients_groups, think, stay, seed, fixed)
    served = c.meter.served
    return {
        "messages": c.messages / served,
        "integers": c.integers / max(1, c.messages),
        "delay": c.meter.sync_delay.mean(),
        "waiting": c.meter.waiting.mean(),
        "throughput": served / c.meter.last_exit,
        "sessions": c.meter.sessions / served,
        "inside": c.meter.most_inside,
        "kinds": {kind: c.kinds[kind] / served for kind in sorted(c.kinds)},
        "sizes": {kind: c.sizes[kind] / c.kinds[kind] for kind in sorted(c.kinds)},
    }
