"""Scenes of paper 003: a request alone, a follower, requests that ask everybody, the torus."""

from __future__ import annotations

from grouplock.lab.runs import Values
from grouplock.lab.runs.clockwork import Clockwork
from grouplock.lab.runs.scenes import clock
from grouplock.protocol.message import Message
from grouplock.quorums import validate
from grouplock.quorums.torus import Torus

NEVER = {"patience": "never"}
# Sites 0 to 2 ask, outside their quorums.
WRITE = (3, 4)
READ = (4, 5)
BOTH = 3  # sites in the two together
STAGE = ("Compete", "Success", "Clear")


def outside() -> Clockwork:
    return clock("jiang", 6, NEVER, quorums=[WRITE] * 6, reads=READ)


def alone(group: int) -> Values:
    c = outside()
    c.ask(0, group)
    c.run()
    hops = c.stays[-1].entered
    c.leave(0)
    c.run()
    return {
        "messages": c.messages, "hops": hops, "write": len(WRITE), "both": BOTH,
        "stage": sum([c.kinds[kind] for kind in STAGE]), "kinds": dict(c.kinds),
    }  # fmt: skip


def follower() -> Values:
    """A leader is inside; another one asks for its group and leaves again."""
    c = outside()
    c.ask(0, 7)
    c.run()
    before = c.messages
    c.ask(1, 7)
    c.run()
    hops = c.stays[-1].entered - c.stays[-1].asked
    c.leave(1)
    c.run()
    return {"messages": c.messages - before, "hops": hops, "write": len(WRITE)}


def asks_everybody(n: int, k: int) -> Values:
    """The own quorum is slow, so that more and more are asked, until everybody was."""
    c = clock("jiang", n, {"patience": "1"}, "k-blocks", slots=k)
    for src in range(n):
        for dst in range(n):
            c.slow[(src, dst)] = 1.0 if src else 20.0 - 10.0 * dst / n
    c.ask(0, 7)
    c.run(until=1000.0)
    assert c.who() == [0]
    c.leave(0)
    c.run()
    return {"messages": c.messages}


def loaded(n: int, k: int, groups: int, requests: int, seed: int, kind: str) -> Values:
    """Everybody asks again and again; leaders of one group inside at one time."""
    c = clock("jiang", n, {}, kind, slots=k)
    lead: list[int] = []
    doubled = 0

    def watch(src: int, dst: int, msg: Message) -> None:
        nonlocal doubled
        if type(msg).__name__ == "Success":
            group = c.waiting[dst][1][0]
            lead[:] = [site for site in lead if site in c.inside]
            for other in lead:
                mine = [stay.group for stay in c.stays if stay.site == other][-1]
                doubled += mine == group and other in c.inside
            lead.append(dst)

    c.watchers.append(watch)
    c.clients(requests, groups, 1.0, 4.0, seed, fixed=False)
    return {"messages": c.messages / len(c.stays), "doubled": doubled, "served": len(c.stays)}


def torus(rows: int, columns: int, k: int) -> Values:
    """Sizes, and whether it is a k-write-read coterie: the three properties, tried out."""
    system = Torus(rows, columns, k)
    assert system.reads is not None
    least, _ = system.sizes()
    read, _ = system.reads.sizes()
    writes, reads = system.quorums(), system.reads.quorums()
    broken = None
    if writes is not None and len(writes) <= 400:
        broken = sum(
            [
                validate.k_intersection(writes, k) is not None,
                validate.extension(writes, k) is not None,
                reads is not None and validate.write_read(writes, reads) is not None,
            ]
        )
    return {
        "write": least, "read": read, "writes": system.count(), "reads": system.reads.count(),
        "broken": broken,
    }  # fmt: skip


def printed_restriction(most_rows: int, most_k: int) -> Values:
    """Tori of two columns that the paper's restriction lets through and that are no k-coterie."""
    wrong = []
    allowed = 0
    for k in range(2, most_k + 1):
        for rows in range(2, most_rows + 1):
            if rows // (k + 1) < rows // k:
                allowed += 1
                writes = Torus(rows, 2, k).quorums() or []
                if validate.k_intersection(writes, k) or validate.extension(writes, k):
                    wrong.append(f"r={rows} k={k}")
    return {"allowed": allowed, "wrong": wrong}
