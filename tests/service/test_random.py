"""Clients that break off, come back elsewhere, fall silent and change their minds, by the seed.

What each believes of its holds is worked out from what it was told and from its own clock; at no
moment may two beliefs conflict, fences of a slot only grow, and in the end everybody is served.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import pytest

from grouplock.service.frames import Ask, Gone, Granted, Keep, Leave, Lost, Refused, Renew, Settings
from tests.service.desk import LEASE, Caller, Desk

NODES: Final = 3
SLOTS: Final = {"one": 1, "two": 2}
MARGIN: Final = 0.99  # of a lease, that a client believes in


class Wish:
    def __init__(self, name: str, groups: tuple[str, ...]) -> None:
        self.name, self.groups = name, groups
        self.state = "asked"
        self.granted: Granted | None = None


class Actor:
    """A client as the real one is: requests, a lease for each keeper, frames said again."""

    def __init__(self, desk: Desk, number: int) -> None:
        self.desk, self.number = desk, number
        self.attachment = 0
        self.seq = 0
        self.wishes: dict[int, Wish] = {}
        self.lease_ends: dict[int, float] = {}
        self.line: Caller | None = None
        self.served = 0
        self.lost = 0

    def keeper(self, name: str) -> int:
        from grouplock.service.homes import shard_of

        return self.desk.nodes[0].home[shard_of(name)]

    def connect(self, node: int) -> None:
        self.attachment += 1
        self.line = self.desk.client(self.number, node, self.attachment)
        for seq, wish in list(self.wishes.items()):
            if wish.state == "held" and not self.believes(wish):
                del self.wishes[seq]
                self.lost += 1
            elif wish.state == "asked":
                self.say(Ask(seq, wish.name, wish.groups, Settings(slots=SLOTS[wish.name])))
            else:
                frame = Keep if wish.state == "held" else Leave
                self.say(frame(seq, wish.name))

    def say(self, frame: Any) -> None:
        if self.line is None:
            return
        name = getattr(frame, "name", "")
        self.hear(self.line.say(frame))
        if name:  # it has been answered, or taken: the keeper has counted from now
            self.renewed(self.keeper(name))

    def renewed(self, keeper: int) -> None:
        self.lease_ends[keeper] = self.desk.now + MARGIN * LEASE

    def listen(self) -> None:
        if self.line is not None:
            self.hear(self.line.heard())

    def hear(self, heard: list[Any]) -> None:
        for frame in heard:
            wish = self.wishes.get(getattr(frame, "seq", 0))
            if wish is None:
                continue
            if isinstance(frame, Granted) and wish.state == "asked":
                wish.state, wish.granted = "held", frame
                self.served += 1
            elif isinstance(frame, (Gone, Refused)):
                del self.wishes[frame.seq]
            elif isinstance(frame, Lost):
                del self.wishes[frame.seq]
                if wish.state == "asked":
                    self.ask(wish.name, wish.groups)

    def ask(self, name: str, groups: tuple[str, ...]) -> None:
        self.seq += 1
        self.wishes[self.seq] = Wish(name, groups)
        self.say(Ask(self.seq, name, groups, Settings(slots=SLOTS[name])))

    def leave(self, seq: int) -> None:
        wish = self.wishes[seq]
        wish.state = "leaving"
        self.say(Leave(seq, wish.name))

    def renew(self) -> None:
        for keeper in range(NODES):
            if self.line is not None:
                self.hear(self.line.say(Renew(1, keeper)))
                self.renewed(keeper)

    def believes(self, wish: Wish) -> bool:
        return wish.state == "held" and self.desk.now < self.lease_ends.get(
            self.keeper(wish.name), 0.0
        )


class World:
    def __init__(self, seed: int) -> None:
        self.chance = Random(seed)
        self.desk = Desk(n=NODES)
        self.actors = [Actor(self.desk, number) for number in range(1, 7)]
        self.highest: dict[tuple[str, int], int] = {}
        for actor in self.actors:
            actor.connect(self.chance.randrange(NODES))

    def step(self) -> None:
        chance = self.chance
        actor = chance.choice(self.actors)
        what = chance.random()
        if what < 0.35 and len(actor.wishes) < 4:
            groups = tuple(chance.sample(["a", "b", "c"], chance.choice([1, 1, 2])))
            actor.ask(chance.choice(["one", "two"]), groups)
        elif what < 0.65 and actor.wishes:
            seq = chance.choice(sorted(actor.wishes))
            if actor.wishes[seq].state != "leaving":
                actor.leave(seq)
        elif what < 0.75 and actor.line is not None:
            if chance.random() < 0.7:
                actor.line.break_off()
            actor.line = None
        elif what < 0.88 and actor.line is None:
            actor.connect(chance.randrange(NODES))
        elif what < 0.95:
            self.desk.tick(chance.choice([0.1, 1.0, LEASE / 2]))
        for a in self.actors:
            a.listen()
            if a.line is not None and chance.random() < 0.3:
                a.renew()
        self.judge()

    def judge(self) -> None:
        inside: dict[tuple[str, int], tuple[str, int]] = {}
        for actor in self.actors:
            for wish in actor.wishes.values():
                if not actor.believes(wish):
                    continue
                granted = wish.granted
                assert granted is not None
                place = (wish.name, granted.slot)
                holds = (wish.groups[granted.place], granted.fence)
                assert inside.setdefault(place, holds) == holds, f"two beliefs at {place}"
                assert granted.fence >= self.highest.get(place, 0), "a fence went back"
                self.highest[place] = granted.fence
        for name in SLOTS:
            groups = [holds[0] for place, holds in inside.items() if place[0] == name]
            assert len(groups) == len(set(groups)) <= SLOTS[name]

    def settle(self) -> None:
        """Everybody is back, and gives back what it gets: nobody waits for ever."""
        for actor in self.actors:
            if actor.line is None:
                actor.connect(0)
        for _ in range(60):
            for actor in self.actors:
                actor.listen()
                actor.renew()
                for seq, wish in list(actor.wishes.items()):
                    if wish.state == "held":
                        actor.leave(seq)
            self.desk.tick(1.0)
            self.judge()
        assert [a.wishes for a in self.actors if a.wishes] == []
        assert self.desk.entries() == 0


@pytest.mark.parametrize("seed", range(40))
def test_no_two_beliefs_conflict_and_all_are_served(seed: int) -> None:
    world = World(seed)
    for _ in range(250):
        world.step()
    world.settle()
    assert sum(actor.served for actor in world.actors) > 20
