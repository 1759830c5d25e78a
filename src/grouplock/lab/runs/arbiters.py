"""Scenes of paper 002: what one request adds at arbiters in each case, and pending resolutions.

Three arbiters, sites 4 to 6, serve sites 0 to 3; all ask at time 0 with equal stamps, so that the
smaller site goes first, and the channels decide whose request an arbiter sees first.
"""

from __future__ import annotations

from collections import Counter
from typing import Final, NamedTuple

from grouplock.lab.runs import Values
from grouplock.lab.runs.scenes import clock, fields
from grouplock.protocol.message import Message

ARBITERS: Final = (4, 5, 6)
# Two more, which are not counted, for who has to wait elsewhere: another one is inside with both.
HELD: Final = 7
MEETS: Final = 8
LATE: Final = 100.0


class Asker(NamedTuple):
    site: int
    arrives: float  # at its arbiters
    extra: bool = False  # whether it asks the extra arbiter too
    only_extra: bool = False


# By the newcomer's place: the permission's lock, the queue's head, and who comes.
CASES: Final = {
    "1": (Asker(0, 1), Asker(1, 10)),
    "2.1": (Asker(1, 1), Asker(0, 10)),
    "2.2": (Asker(0, 1, only_extra=True), Asker(2, 2, extra=True), Asker(1, 10)),
    "3": (Asker(0, 1), Asker(1, 10), Asker(2, 20)),
    "4.1": (Asker(2, 1), Asker(1, 10), Asker(0, 20)),
    "4.2": (Asker(0, 1, only_extra=True), Asker(3, 2, extra=True), Asker(2, 10), Asker(1, 11)),
    "5": (Asker(0, 1), Asker(2, 10), Asker(1, 20)),
}


def run_case(askers: tuple[Asker, ...], options: dict[str, str]) -> Counter[str]:
    """Messages that concern the three arbiters' permissions, by kind."""
    holds = any([asker.only_extra for asker in askers])
    quorums: list[tuple[int, ...]] = [ARBITERS] * 9
    for asker in askers:
        if asker.only_extra:
            quorums[asker.site] = (HELD, MEETS)
        elif holds:
            quorums[asker.site] = (*ARBITERS, HELD if asker.extra else MEETS)
    c = clock("cao-singhal", 9, options, quorums=quorums)
    found: Counter[str] = Counter()

    def watch(src: int, dst: int, msg: Message) -> None:
        arbiter = fields(c, msg).get("arbiter", src if src in ARBITERS else dst)
        if arbiter in ARBITERS:
            found[type(msg).__name__] += 1

    c.watchers.append(watch)
    for asker in askers:
        for arbiter in (*ARBITERS, HELD, MEETS):
            c.slow[(asker.site, arbiter)] = float(asker.arrives)
        c.ask(asker.site, 0)
    c.run(until=0.5)  # the requests are on their way, as long as they should be
    c.slow.clear()
    c.run(until=LATE)
    while c.inside:
        for site in list(c.inside):
            c.leave(site)
        c.run(until=c.now + LATE)
    assert not c.waiting, "all are served"
    return found


def case(name: str, options: dict[str, str] | None = None) -> Values:
    """What the newcomer, the last one named, adds; for each of its three arbiters."""
    askers = CASES[name]
    whole = run_case(askers, options or {})
    without = run_case(askers[:-1], options or {})
    added = {kind: whole[kind] - without[kind] for kind in whole}
    return {
        "added": sum(added.values()) / len(ARBITERS),
        "kinds": {kind: count for kind, count in sorted(added.items()) if count},
    }


def pending(algorithm: str, options: dict[str, str] | None = None, late: bool = False) -> Values:
    """Section 5.2.1, figure 4: 0 is inside, 1 comes next, and 2 has what 1 waits for and yields.

    From the exit of 0 to the entry of 1.  `late`: 1 asks as 0 leaves.
    """
    first, second, third = ARBITERS
    quorums: list[tuple[int, ...]] = [ARBITERS] * 8
    quorums[0], quorums[1], quorums[2] = (first, third), (first, second), (second, third)
    c = clock(algorithm, 8, options or {}, quorums=quorums)
    c.ask(0, 0)
    c.run(until=2.0)
    assert c.who() == [0]
    c.ask(2, 0, at=3.0)
    left = 20.0
    if late:
        # 2 does not come before 1: what would let it in takes longer from now on.
        c.run(until=6.0)
        c.slow[(third, 2)] = c.slow[(0, third)] = c.slow[(0, 2)] = 4.0
        c.ask(1, 0, at=left)
        c.leave(0, at=left)
    else:
        c.slow[(1, second)] = left - 1.0 - 3.0  # the Inquire reaches 2 just as 0 leaves
        c.ask(1, 0, at=3.0)
        c.leave(0, at=left + 0.001)
    c.run(until=left + 6.0)
    return {"hops": round(c.entered(1) - left, 2)}


def alone_then(algorithm: str, n: int) -> Values:
    """One asks as the other leaves."""
    c = clock(algorithm, n)
    c.ask(1, 0)
    c.run()
    left = c.now + 5.0
    c.leave(1, at=left)
    c.ask(2, 0, at=left)
    c.run()
    return {"hops": c.entered(2) - left}


def response(n: int, stay: float) -> Values:
    """From the request to the end of the stay, alone."""
    c = clock("cao-singhal", n, {}, "grid")
    c.ask(3, 0, stay=stay)
    c.run()
    return {"time": c.meter.last_exit}
