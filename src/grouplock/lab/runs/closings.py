"""Scenes of paper 001: what a request costs, and who is blocked although it need not be."""

from __future__ import annotations

import random

from grouplock.lab.runs import Values
from grouplock.lab.runs.clockwork import Clockwork
from grouplock.lab.runs.scenes import clock

# Requesters outside their quorums; of any two quorums one member is common.
APART = ((3, 4, 5), (3, 6, 7), (4, 6, 8), *[(9,)] * 7)
SAME = ((3, 4, 5), (3, 4, 5), (3, 4, 5), *[(9,)] * 7)


def followers(turns: int) -> Values:
    """One pivot that stays, and one follower after another."""
    c = clock("manabe-park", 10, quorums=APART)
    c.ask(0, 7)
    c.run()
    c.kinds.clear()
    for turn in range(turns):
        c.ask(1 + turn % 2, 7)
        c.run()
        c.leave(1 + turn % 2)
        c.run()
        if turn == 0:
            first = c.messages
    assert c.who() == [0]
    c.leave(0)
    c.run()
    whole = c.messages + len(APART[0]) * 3  # with the pivot's own way in
    return {"first": first, "whole": whole, "served": len(c.stays)}


def worst(choice: str) -> Values:
    """Every member has offered its permission to somebody younger before the oldest comes.

    What both of them cost, less six for each member, for the younger.
    """
    c = clock("manabe-park", 10, {"choice": choice}, quorums=SAME)
    c.ask(0, 7)
    c.ask(1, 8)
    for member in SAME[0]:
        c.slow[(0, member)] = 1.5
    c.slow[(5, 1)] = 5.0  # the third permission is late: two are given back, then this one
    c.run(until=60.0)
    assert c.who() == [0]
    c.leave(0)
    c.run(until=120.0)
    assert c.who() == [1]
    c.leave(1)
    c.run()
    return {"messages": c.messages - 6 * len(SAME[0]), "kinds": dict(c.kinds)}


def example(algorithm: str) -> Values:
    """Section 3: 0 is inside; 1, of another group, is queued behind it and has what 2 needs.

    Quorums of group 7 are {3,4} and {5,6}, of group 8 {3,5} and {4,6}; 0 and 2 want group 7.
    """
    if algorithm == "maekawa-m":
        quorums = [(3, 4), (3, 5), (5, 6), *[(3,)] * 4]
    else:  # any two of all quorums meet, theorem 1
        quorums = [(3, 4), (3, 5), (4, 5), *[(3,)] * 4]
    c = clock(algorithm, 7, quorums=quorums)
    for site, group in ((0, 7), (1, 8), (2, 7)):
        c.ask(site, group)
        c.run()
    assert 0 in c.who()
    return {"blocked": int(2 not in c.who())}


def blocked(algorithm: str, options: dict[str, str], rounds: int, seed: int) -> Values:
    """Requests of two of four groups; who waits in a quiet moment, though the pivot would share.

    The pivot is whoever came in when nobody was inside, while it stays.
    """
    n = 13
    c = clock(algorithm, n, options, "plane")
    rng = random.Random(seed)
    compatible = waits = 0
    for _ in range(rounds):
        for site in range(n):
            busy = site in c.waiting or site in c.inside
            if not busy and rng.random() < 0.5:
                c.ask(site, *sorted(rng.sample(range(4), 2)))
        c.run()
        pivot = first_of_session(c)
        if pivot >= 0:
            group = [stay.group for stay in c.stays if stay.site == pivot][-1]
            could = [site for site, wish in c.waiting.items() if group in wish[1]]
            inside = [site for site in c.inside if site != pivot]
            waits += len(could)
            compatible += len(could) + len(inside)
        for site in list(c.inside):
            if rng.random() < 0.5:
                c.leave(site)
        c.run()
    return {"blocked": waits, "compatible": compatible}


def first_of_session(c: Clockwork) -> int:
    """Who entered when nobody was inside, if it is still there."""
    present = {site: c.entered(site) for site in c.inside}
    if not present:
        return -1
    began = c.session_began
    first = [site for site, when in present.items() if when == began]
    return first[0] if first else -1
