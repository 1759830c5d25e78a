"""Nodes: the shipped daemon, hosted on virtual time, with a disk and links to the others."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any, Final

from grouplock.protocol.daemon import NOTHING, PEERS, RENEWED, Daemon, Deeds
from grouplock.twin.machines import Do, Machine, Timeline
from grouplock.twin.network import RETRY_S, Connection, Network

Record = tuple[Any, ...]
NEVER: Final = float("inf")
KEPT: Final = 2  # records, as the folder of a node keeps them
CALL_AGAIN_S: Final = 0.1


class Disk:
    """What was persisted survives; where a crash hits the write, it is there or it is not."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.forgets = False  # a broken one: for mutants

    def write(self, record: Record) -> None:
        if not self.forgets:
            self.records = [*self.records, record][-KEPT:]


class Crashed(Exception):
    """The machine died in the middle of a step."""


class Node(Machine):
    """`tell` sees each frame as it is sent to a client, straight or through another node."""

    def __init__(
        self,
        line: Timeline,
        place: int,
        rate: float,
        make: Callable[[int], Any],
        tell: Callable[[Node, int, Any], None],
    ) -> None:
        super().__init__(line, place, rate)
        self.make: Final = make
        self.tell: Final = tell
        self.disk: Final = Disk()
        self.links: Final[dict[int, Link]] = {}
        self.conns: Final[dict[int, Connection]] = {}
        self.numbered = PEERS
        self.daemon: Any = None
        self.doer = Doer(self)
        self.wakes_at = NEVER
        self.rings = 0
        self.dies_syncing = 0  # 1: before the record is there, 2: after

    # The process.

    def start(self) -> None:
        if self.alive:
            return
        self.born()
        self.conns.clear()
        self.wakes_at = NEVER
        self.daemon = self.make(self.place)
        self.doer = Doer(self)
        assert isinstance(self.daemon, Daemon)
        try:
            self.daemon.on_start(list(self.disk.records), self.clock(), self.doer)
        except Crashed:
            self.crash()
            return
        for link in self.links.values():
            link.greets()

    def crash(self) -> None:
        if not self.alive:
            return
        self.die()
        for conn in list(self.conns.values()):
            conn.break_off()
        for link in self.links.values():
            link.down(self)

    def stop(self) -> None:
        """In order: doors and links closed, and then the last record, where there is one."""
        if not self.alive or self.paused:
            return
        for number, conn in list(self.conns.items()):
            conn.break_off()
            self.left(number)
        if (record := self.daemon.ends_clean()) is not None:
            self.disk.write(record)
        self.die()
        for link in self.links.values():
            link.down(self)

    def do(self, life: int, what: Do) -> None:
        try:
            super().do(life, what)
        except Crashed:
            self.crash()

    # What comes.

    def came(self) -> int:
        """A connection is there; its number."""
        self.numbered += 1
        self.daemon.on_open(self.numbered, self.clock(), self.doer)
        return self.numbered

    def said(self, conn: int, frame: Any) -> None:
        self.daemon.on_frame(conn, frame, self.clock(), self.doer)

    def left(self, conn: int) -> None:
        if self.conns.pop(conn, None) is not None:
            self.daemon.on_close(conn, NOTHING, self.clock(), self.doer)

    def ring(self, number: int) -> None:
        if number == self.rings:
            self.wakes_at = NEVER
            self.daemon.on_tick(self.clock(), self.doer)

    # What it does.

    def wake(self, at: float) -> None:
        if at < self.wakes_at:
            self.wakes_at = at
            self.rings += 1
            number = self.rings
            self.later(at - self.clock(), lambda: self.ring(number))

    def persist(self, record: Record) -> None:
        dies, self.dies_syncing = self.dies_syncing, 0
        if dies != 1:
            self.disk.write(record)
        if dies:
            raise Crashed
        self.daemon.on_persisted(record, self.clock(), self.doer)


class Doer(Deeds):
    def __init__(self, node: Node) -> None:
        self.node: Final = node

    def send(self, conn: int, frame: Any) -> None:
        node = self.node
        if conn < PEERS:
            node.tell(node, conn, frame)
            node.links[conn].send(node, frame)
        elif (to := node.conns.get(conn)) is not None:
            node.tell(node, conn, frame)
            to.from_node(frame)

    def hang_up(self, conn: int) -> None:
        to = self.node.conns.pop(conn, None)
        if to is not None:
            to.hang_up()

    def persist(self, record: Record) -> None:
        self.node.persist(record)

    def wake(self, at: float) -> None:
        self.node.wake(at)


class Link:
    """Two nodes, connected as long as both live and both ways are open, or anew soon after."""

    def __init__(self, network: Network, one: Node, other: Node) -> None:
        self.network: Final = network
        self.ends: Final = (one, other)
        # In which life of its own each has met which life of its peer.
        self.met: Final = {one.place: (0, 0), other.place: (0, 0)}
        # By sender: what its peer has not taken, each with its number and when it is due.
        self.kept: Final[dict[int, deque[tuple[int, Any, float]]]] = {
            one.place: deque(),
            other.place: deque(),
        }
        self.ahead: Final = {one.place: 0, other.place: 0}  # so many of them have arrived
        self.numbered: Final = {one.place: 0, other.place: 0}
        self.due: Final = {one.place: 0.0, other.place: 0.0}
        self.pushing: Final = {one.place: False, other.place: False}
        self.up = False
        self.wire = 0  # which connection it is
        self.calling = False
        one.links[other.place] = self
        other.links[one.place] = self

    def peer_of(self, node: Node) -> Node:
        one, other = self.ends
        return other if node is one else one

    # Connections.

    def greets(self) -> None:
        """Somebody calls, until there is a connection."""
        if not self.calling:
            self.calling = True
            self.network.line.after(self.network.takes(*self.places), self.call)

    @property
    def places(self) -> tuple[int, int]:
        return self.ends[0].place, self.ends[1].place

    def call(self) -> None:
        self.calling = False
        one, other = self.ends
        if self.up or not (one.alive and other.alive):
            return  # whoever starts greets
        shut = self.network.is_shut(*self.places) or self.network.is_shut(*self.places[::-1])
        if shut or one.paused or other.paused:
            self.calling = True
            self.network.line.after(CALL_AGAIN_S, self.call)
            return
        self.up = True
        self.wire += 1
        for node in self.ends:
            self.meet(node)

    def meet(self, node: Node) -> None:
        """A hello of the peer's present life; what was kept for one before it is for nobody."""
        peer = self.peer_of(node)
        mine, before = self.met[node.place]
        self.met[node.place] = (node.life, peer.life)
        if mine == node.life and before != peer.life:
            self.kept[node.place].clear()
            node.daemon.on_close(peer.place, RENEWED, node.clock(), node.doer)
        node.daemon.on_open(peer.place, node.clock(), node.doer)
        self.ahead[node.place] = 0  # all that is kept is sent again
        self.push(node)

    def down(self, dead: Node) -> None:
        """One end died: what it had not got out is gone; the other learns of the end."""
        self.kept[dead.place].clear()
        self.break_off()

    def break_off(self) -> None:
        """The connection, not the link: what is kept is sent again over the next one."""
        if not self.up:
            return
        self.up = False
        wire = self.wire
        for node in self.ends:
            if node.alive:
                peer, life = self.peer_of(node), node.life

                def learns(node: Node = node, peer: Node = peer, life: int = life) -> None:
                    node.do(life, lambda: self.lost(node, peer, wire))

                self.network.line.after(self.network.takes(*self.places), learns)
        self.network.line.after(CALL_AGAIN_S, self.greets)

    def lost(self, node: Node, peer: Node, wire: int) -> None:
        if wire == self.wire and not self.up:
            node.daemon.on_close(peer.place, NOTHING, node.clock(), node.doer)

    # Frames.

    def send(self, node: Node, frame: Any) -> None:
        place = node.place
        self.numbered[place] += 1
        arrives = self.network.line.now + self.network.takes(place, self.peer_of(node).place)
        self.due[place] = max(self.due[place], arrives)
        self.kept[place].append((self.numbered[place], frame, self.due[place]))
        if self.up:
            self.push(node)

    def push(self, node: Node) -> None:
        """The next one arrives when it is due."""
        place = node.place
        if not self.pushing[place] and self.ahead[place] < len(self.kept[place]):
            self.pushing[place] = True
            self.network.line.at(self.kept[place][self.ahead[place]][2], lambda: self.pushed(node))

    def pushed(self, node: Node) -> None:
        place, peer, kept = node.place, self.peer_of(node), self.kept[node.place]
        self.pushing[place] = False
        if not self.up or self.ahead[place] >= len(kept):
            return
        if self.network.is_shut(place, peer.place):
            self.pushing[place] = True
            self.network.line.after(RETRY_S, lambda: self.pushed(node))
            return
        number, frame, _ = kept[self.ahead[place]]

        def takes() -> None:
            if kept and kept[0][0] == number:  # otherwise it was sent again, and taken before
                kept.popleft()
                self.ahead[place] = max(0, self.ahead[place] - 1)
                peer.daemon.on_frame(place, frame, peer.clock(), peer.doer)

        self.ahead[place] += 1
        peer.do(peer.life, takes)
        self.push(node)
