"""Scenes of paper 000: late Invites, what is told of fulfilled requests, concurrent entry."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from grouplock.lab.runs import Values
from grouplock.lab.runs.clockwork import Clockwork
from grouplock.lab.runs.scenes import clock, fields
from grouplock.protocol.message import Message

WEIGHT = ("num", "den")


def uneven(c: Clockwork, seed: int) -> None:
    """Channels that take 1 to 6 units of time, each its own."""
    rng = random.Random(seed)
    for src in range(c.system.n):
        for dst in range(c.system.n):
            c.slow[(src, dst)] = 1.0 + rng.randrange(11) / 2


def stale(
    options: dict[str, str], n: int, quorum: str, groups: int, requests: int, seed: int
) -> Values:
    """A loop over uneven channels; what messages say of requests that were fulfilled already."""
    c = clock("surrogate", n, options, quorum)
    uneven(c, seed)
    news: Counter[tuple[Any, ...]] = Counter()
    invited: Counter[tuple[int, int]] = Counter()
    largest = 0

    def watch(src: int, dst: int, msg: Message) -> None:
        nonlocal largest
        kind = type(msg).__name__
        if kind == "Locked":
            largest = max(largest, c.system.messages.integers(msg))
            for mark in fields(c, msg)["news"]:
                news[(src, dst, mark)] += 1
        elif kind == "Invite":
            invited[(fields(c, msg)["clock"], dst)] += 1

    c.watchers.append(watch)
    c.clients(requests, groups, 2.0, 3.0, seed, fixed=False)
    served = len(c.stays)
    return {
        "late": max([0, *[count - 1 for count in invited.values()]]),
        "late_in_all": sum([count - 1 for count in invited.values()]),
        "invites": max([0, *invited.values()]),
        "news": max([0, *news.values()]),
        "largest": largest,
        "messages": c.messages / served,
        "kinds": {kind: c.kinds[kind] / served for kind in sorted(c.kinds)},
    }


def weight_fields() -> Values:
    """How many integers a weight is, in an Invite and in a Released."""
    found = {}
    for shape in clock("surrogate", 5, {}).system.messages.shapes:
        names = [name for name, _ in shape.fields]
        if shape.name in ("Invite", "Released"):
            found[shape.name] = len([name for name in names if name in WEIGHT])
    return found


def late_comer() -> Values:
    """VIII.A: somebody of the leader's group asks while it is inside; then one who conflicts."""
    c = clock("surrogate", 25, {"entry": "on"}, "grid")
    c.ask(0, 5)
    c.run()
    c.ask(24, 5)
    c.run()
    hops = c.stays[-1].entered - c.stays[-1].asked
    told: list[float] = []

    def watch(src: int, dst: int, msg: Message) -> None:
        if type(msg).__name__ == "Stepdown" and dst == 0:
            told.append(c.now + c.hop)

    c.watchers.append(watch)
    asked = c.now
    c.ask(12, 6)
    c.run()
    return {"hops": hops, "stepdown": min(told) - asked}


def readers_and_writers(n: int, requests: int, seed: int) -> Values:
    """Readers are one group, each writer one of its own: n+1 groups."""
    c = clock("surrogate", n)
    rng = random.Random(seed)
    stay = 3.0
    for turn in range(requests):
        for site in range(n):
            group = 0 if site else 1 + site
            c.ask(site, group, at=turn * 60.0 + rng.randrange(3), stay=stay)
    c.run()
    together = most = 0
    for one in c.stays:
        beside = [o for o in c.stays if o is not one and abs(o.entered - one.entered) < stay]
        if one.group:
            together += len(beside)
        most = max(most, 1 + len([o for o in beside if o.entered <= one.entered]))
    return {"readers": most, "with_writer": together}
