"""What must hold in every run, and what was seen."""

from __future__ import annotations

from typing import Any, Final

from grouplock.client.session import HELD
from grouplock.protocol.daemon import PEERS
from grouplock.service.frames import Ask, Back, Granted
from grouplock.service.homes import shard_of
from grouplock.twin.machines import Timeline
from grouplock.twin.nodes import Node
from grouplock.twin.player import Player

INTERLEAVING: Final = "interleaving"  # at a fenced resource, of two groups of one slot
FENCES: Final = "fences"  # they grow, and one fence is one group's
BELIEFS: Final = "beliefs"  # two believe at one instant in what conflicts
ANSWERS: Final = "answers"  # somebody waits for ever
TABLES: Final = "tables"  # something is left when all have gone
PROPERTIES: Final = (INTERLEAVING, FENCES, BELIEFS, ANSWERS, TABLES)


class Violated(Exception):
    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name: Final = name
        self.reason: Final = reason


class Judge:
    def __init__(self, line: Timeline, slots: dict[str, int], beliefs: bool) -> None:
        self.line: Final = line
        self.slots: Final = slots  # by lock
        self.beliefs: Final = beliefs  # whether two must not believe at once
        self.players: Final[list[Player]] = []
        self.wanted: Final[dict[tuple[int, int], Ask]] = {}  # by client and number
        self.newest: Final[dict[tuple[str, int], tuple[int, str]]] = {}  # granted, by slot
        self.store: Final[dict[tuple[str, int], tuple[int, str]]] = {}  # accepted, by slot
        self.grants = self.written = self.refused = self.shared = 0

    # Grants, as a node sends them.

    def asked(self, player: Player, frame: Ask) -> None:
        self.wanted[player.session.number, frame.seq] = frame

    def sent(self, node: Node, conn: int, frame: Any) -> None:
        if type(frame) is Back:
            client, frame = frame.client, frame.frame
        elif type(frame) is Granted and conn >= PEERS:
            entry = node.daemon.entries[conn]
            client = entry.client.number
        if type(frame) is not Granted:
            return
        ask = self.wanted[client, frame.seq]
        if node.daemon.home[shard_of(ask.name)] != node.place:
            return  # handed on: seen when the lock's home sent it
        self.grants += 1
        group = ask.groups[frame.place]
        fence, had = self.newest.get((ask.name, frame.slot), (0, ""))
        if frame.fence < fence or (frame.fence == fence and group != had):
            self.fail(
                FENCES,
                f"node {node.place} grants '{group}' of {ask.name}, slot {frame.slot}, with fence "
                f"{shown(frame.fence)} after '{had}' with {shown(fence)}",
            )
        self.newest[ask.name, frame.slot] = (frame.fence, group)

    # Beliefs.

    def look(self, player: Player) -> None:
        if not self.beliefs or player.paused or not player.alive:
            return
        mine = [r for r in player.session.requests.values() if player.session.believes(r)]
        for one in mine:
            group = one.groups[one.place]
            inside = {group}
            for other in self.players:
                if not other.alive or other.paused:
                    continue
                for its in other.session.requests.values():
                    if its is one or its.name != one.name or its.state != HELD:
                        continue
                    if not other.session.believes(its):
                        continue
                    has = its.groups[its.place]
                    if has != group and its.slot == one.slot:
                        self.fail(
                            BELIEFS,
                            f"client {player.place} believes in '{group}' ({shown(one.fence)}) "
                            f"and client {other.place} in '{has}' ({shown(its.fence)}), both of "
                            f"{one.name}, slot {one.slot}",
                        )
                    self.shared += has == group and other is not player
                    inside.add(has)
            if len(inside) > self.slots[one.name]:
                self.fail(BELIEFS, f"{len(inside)} groups of {one.name} are believed in at once")

    # The fenced resource.

    def write(self, lock: str, slot: int, fence: int, group: str, who: int) -> None:
        newest, had = self.store.get((lock, slot), (0, ""))
        if fence < newest:
            self.refused += 1
            return
        if fence == newest and group != had:
            self.fail(
                INTERLEAVING,
                f"client {who} writes for '{group}' with fence {shown(fence)} of {lock}, slot "
                f"{slot}, under which '{had}' has written",
            )
        self.written += 1
        self.store[lock, slot] = (fence, group)

    def fail(self, name: str, reason: str) -> None:
        raise Violated(name, f"at {self.line.now:.4f}: {reason}")


def shown(fence: int) -> str:
    return f"{fence >> 40}.{fence & ((1 << 40) - 1)}"
