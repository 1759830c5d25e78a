"""Scenes of paper 004: the primary token's queue, bounded numbers, recovery.

What is looked at is what the messages say; a site is not looked into.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from grouplock.lab.runs import Values
from grouplock.lab.runs.clockwork import Clockwork
from grouplock.lab.runs.scenes import clock, fields
from grouplock.protocol.message import Message

BOUNDED = {"secondary": "once", "numbers": "bounded"}


def whole_request(n: int) -> Values:
    """Theorem 8: a request that joins a session, and all that it sends until it is over."""
    c = clock("token-gme", n)
    mine: Counter[str] = Counter()

    def watch(src: int, dst: int, msg: Message) -> None:
        kind = type(msg).__name__
        if src == 1:
            mine[kind] += 1
        elif dst == 1 and kind in ("Primary", "Secondary"):
            mine["token"] += 1

    c.watchers.append(watch)
    c.ask(0, 7)
    c.run()
    c.ask(1, 7)
    c.run()
    asks, tokens = mine["Ask"], mine["token"]
    c.leave(1)
    c.leave(0)
    c.run()
    c.ask(2, 8)  # the session ends: what was lent is given back
    c.run()
    return {"asks": asks, "tokens": tokens, "releases": mine["Release"]}


def session_end(algorithm: str, n: int) -> Values:
    """Theorem 7: the last of n-1 entries after the end of a session that all have waited for."""
    c = clock(algorithm, n)
    c.ask(0, 0)
    c.run()
    for site in range(1, n):
        c.ask(site, 1)
    c.run()
    left = c.now
    c.leave(0)
    c.run()
    entries = [c.entered(site) - left for site in range(1, n)]
    return {"first": min(entries), "last": max(entries), "inside": len(c.who())}


def follower(algorithm: str) -> Values:
    """Section 4.3: one follows a leader past another's older request; from the session's end."""
    c = clock(algorithm, 5)
    c.ask(0, 0)
    c.run()
    for site, group in ((1, 1), (2, 2), (3, 1)):
        c.ask(site, group)
        c.run()
    left = c.now
    c.leave(0)
    c.run()
    assert c.who() == [1, 3]
    return {"hops": c.entered(3) - left}


def two_and_four(algorithm: str) -> Values:
    """Section 4.3: two want x, four want y, at the same time; who is inside next."""
    c = clock(algorithm, 7)
    c.ask(0, 0)
    c.run()
    for site in range(1, 7):
        c.ask(site, 1 if site <= 2 else 2)
    c.run()
    c.leave(0)
    c.run()
    return {"inside": len(c.who())}


def sets_alone(n: int, g: int) -> Values:
    """Section 5.1: a request that names g groups, nobody else inside."""
    c = clock("token-gme", n)
    c.ask(2, *range(g))
    c.run()
    return {"hops": c.stays[-1].entered, "asks": c.sizes["Ask"] / c.kinds["Ask"]}


class Ages:
    """Reads the queue that every primary token carries."""

    def __init__(self, c: Clockwork, groups: int) -> None:
        self.c = c
        self.n = c.system.n
        self.groups = groups
        self.last: dict[int, tuple[int, int]] = {}  # group -> session, priority
        self.served: dict[int, int] = {}  # group -> its last session
        self.full: dict[int, int] = {}  # group -> session in which its priority reached m n
        self.found: dict[str, float] = dict.fromkeys(
            ("age", "priority", "share", "most_growth", "late"), 0.0
        )
        self.found["least_growth"] = float("inf")
        c.watchers.append(self.watch)

    def watch(self, src: int, dst: int, msg: Message) -> None:
        if type(msg).__name__ != "Primary":
            return
        said = fields(self.c, msg)
        session = said["session"]
        priorities: dict[int, int] = {}
        for _, _, wanted, age in said["queue"]:
            self.up("age", age)
            for group in wanted:
                priorities[group] = priorities.get(group, 0) + 1 + age
        self.served[said["group"]] = session
        if said["group"] in self.full:
            self.up("late", session - self.full.pop(said["group"]))
        for group, priority in sorted(priorities.items()):
            since = session - self.served.get(group, 0) + 1
            self.up("priority", priority)
            self.up("share", priority / (since * self.n))
            if priority >= self.groups * self.n:
                self.full.setdefault(group, session)
            then, before = self.last.get(group, (0, 0))
            if then == session - 1 and before:
                self.up("most_growth", priority - before)
                self.found["least_growth"] = min(self.found["least_growth"], priority - before)
        self.last = {group: (session, priority) for group, priority in priorities.items()}

    def up(self, name: str, value: float) -> None:
        self.found[name] = max(self.found[name], value)


def ages(n: int, groups: int, seed: int, turns: int) -> Values:
    """One site wants a group of its own, the others crowd one group after another.

    `passed` is how many sessions began between a request and its entry, at most.
    """
    c = clock("token-gme", n)
    watched = Ages(c, groups)
    rng = random.Random(seed)
    crowd = 0
    for _ in range(turns):
        busy = [*c.waiting, *c.inside]
        if n - 1 not in busy:
            c.ask(n - 1, groups - 1)
        for site in range(n - 1):
            if site not in busy and rng.random() < 0.9:
                c.ask(site, crowd % (groups - 1))
        crowd += rng.random() < 0.7
        c.run(until=c.now + rng.randrange(1, 4))
        for site in list(c.inside):
            if rng.random() < 0.6:
                c.leave(site)
        c.run(until=c.now)
    while c.waiting or c.inside:
        for site in list(c.inside):
            c.leave(site)
        c.run(until=c.now + 2)
    return {**watched.found, "passed": passed_over(c)}


def passed_over(c: Clockwork) -> int:
    """Sessions, as changes of group, between any request and its entry."""
    entries = sorted([(stay.entered, stay.group) for stay in c.stays])
    starts = [t for i, (t, group) in enumerate(entries) if i == 0 or group != entries[i - 1][1]]
    most = 0
    for stay in c.stays:
        most = max(most, len([t for t in starts if stay.asked < t < stay.entered]))
    return most


def bounded(n: int, smax: int, groups: int, requests: int, seed: int) -> Values:
    """Section 5.2: the numbers that messages carry, and the Asks between two resets of a site."""
    c = clock("token-gme", n, {**BOUNDED, "smax": str(smax)})
    most: dict[str, int] = dict.fromkeys(("number", "session", "tokens", "earlier"), 0)
    asks: Counter[int] = Counter()
    between: list[int] = []

    def watch(src: int, dst: int, msg: Message) -> None:
        said: dict[str, Any] = fields(c, msg)
        kind = type(msg).__name__
        first = dst == (1 if src == 0 else 0)  # of a broadcast
        for name in ("number", "session", "earlier"):
            most[name] = max(most[name], said.get(name, 0))
        for name in ("old", "issued"):
            most["tokens"] = max(most["tokens"], said.get(name, 0))
        if kind == "ResetSessions":
            most["earlier"] = max(most["earlier"], said["secondaries"])
        if kind == "Ask" and first:
            asks[src] += 1
        elif kind == "ResetRequests" and first:
            between.append(asks.pop(src, 0))

    c.watchers.append(watch)
    c.clients(requests, groups, 1.0, 1.0, seed)
    return {**most, "between": between, "served": len(c.stays)}


def recovery(base: str, phases: str, n: int, waiting: int) -> Values:
    """A crash while some wait: messages of the restart, and of each request that was waiting."""
    c = clock("restart", n, {"base": base, "phases": phases})
    c.ask(0, 0)
    c.run()
    for site in range(1, 1 + waiting):
        c.ask(site, site)
        c.run()
    c.kinds.clear()
    c.crash(0)
    c.run()
    restart = sum([c.kinds[kind] for kind in ("Notify", "Restart", "Done", "Start", "Resume")])
    while c.waiting or c.inside:
        for site in list(c.inside):
            c.leave(site)
        c.run()
    restart = sum([c.kinds[kind] for kind in ("Notify", "Restart", "Done", "Start", "Resume")])
    others = c.messages - restart
    c.kinds.clear()
    c.ask(n - 1, 5)
    c.run()
    c.leave(n - 1)
    c.run()
    return {
        "restart": restart,
        "old": others / waiting if waiting else 0.0,
        "normal": c.messages,
    }


def asked_again(n: int, failures: int) -> Values:
    """Section 5.3.4 without phase 2: what one request sends that waits through failures."""
    c = clock("restart", n, {"phases": "1"})
    mine: Counter[str] = Counter()

    def watch(src: int, dst: int, msg: Message) -> None:
        if src == n - 2:
            mine[type(msg).__name__] += 1

    c.ask(n - 1, 0)
    c.run()
    c.watchers.append(watch)
    c.ask(n - 2, 1)
    c.run()
    for crashed in range(failures):
        c.crash(crashed)
        c.run()
    c.leave(n - 1)
    c.run()
    assert c.who() == [n - 2]
    return {"sent": sum([mine[kind] for kind in mine if kind not in ("Notify", "Done")])}
