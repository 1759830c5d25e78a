"""Services without sockets: time is a number, links are lists, and every deed is kept."""

from __future__ import annotations

from typing import Any, Final

from grouplock.protocol.daemon import NEAR, NOTHING, PEERS, Deeds
from grouplock.service import frames
from grouplock.service.algorithm import DEFAULT, chosen
from grouplock.service.frames import Ask, Hello, Leave, Renew, Settings
from grouplock.service.homes import Member
from grouplock.service.limits import Limits
from grouplock.service.service import LockService, Plan

LEASE: Final = 10.0
ANY: Final = Settings()


class Kept(Deeds):
    """One node's deeds; persisting succeeds at once."""

    def __init__(self, desk: Desk, node: int) -> None:
        self.desk: Final = desk
        self.node: Final = node
        self.sent: Final[dict[int, list[Any]]] = {}
        self.hung_up: Final[list[int]] = []
        self.persisted: Final[list[tuple[Any, ...]]] = []
        self.wakes: Final[list[float]] = []

    def send(self, conn: int, frame: Any) -> None:
        if conn < PEERS:
            self.desk.links.append((self.node, conn, frame))
        else:
            self.sent.setdefault(conn, []).append(frame)

    def hang_up(self, conn: int) -> None:
        self.hung_up.append(conn)

    def persist(self, record: tuple[Any, ...]) -> None:
        self.persisted.append(record)

    def wake(self, at: float) -> None:
        self.wakes.append(at)


class Desk:
    """Some nodes, all linked, and clients that somebody plays by hand."""

    def __init__(
        self,
        n: int = 1,
        records: list[tuple[Any, ...]] | None = None,
        limits: Limits | None = None,
        algorithm: str = DEFAULT,
    ) -> None:
        self.now = 100.0
        self.links: list[tuple[int, int, Any]] = []
        members = tuple([Member(i, f"n{i}", "") for i in range(n)])
        make_site, supports = chosen(algorithm)
        self.nodes: Final[list[LockService]] = []
        self.deeds: Final[list[Kept]] = []
        for me in range(n):
            plan = Plan(me, members, make_site, supports, LEASE, limits or Limits())
            node, deeds = LockService(plan), Kept(self, me)
            self.nodes.append(node)
            self.deeds.append(deeds)
            node.on_start(records or [], self.now, deeds)
            for peer in range(n):
                if peer != me:
                    node.on_open(peer, self.now, deeds)
        self.conns = PEERS

    def client(self, number: int, node: int = 0, attachment: int = 1) -> Caller:
        return Caller(self, number, node, attachment)

    def guard(self, number: int, keeper: int, near: bool = True) -> Caller:
        """What the client's command inherits, at the first node."""
        made = Caller(self, number, 0, 0, near=near, guards=True)
        made.say(Renew(0, keeper))
        return made

    def deliver(self) -> None:
        while self.links:
            src, dst, frame = self.links.pop(0)
            self.nodes[dst].on_frame(src, frame, self.now, self.deeds[dst])

    def tick(self, seconds: float) -> None:
        self.now += seconds
        for node, deeds in zip(self.nodes, self.deeds, strict=True):
            node.on_tick(self.now, deeds)
        self.deliver()

    def entries(self) -> int:
        """Requests in all tables."""
        return sum(
            [len(lock.requests) for node in self.nodes for lock in node.keeper.locks.values()]
        )

    def homed_at(self, node: int) -> str:
        """Some lock's name that has its home there."""
        from grouplock.service.homes import shard_of

        return next(f"L{i}" for i in range(1000) if self.nodes[0].home[shard_of(f"L{i}")] == node)


class Caller:
    """One connection of a client."""

    def __init__(
        self,
        desk: Desk,
        number: int,
        node: int,
        attachment: int,
        near: bool = False,
        guards: bool = False,
    ) -> None:
        self.desk: Final = desk
        self.node: Final = node
        desk.conns += 1
        self.conn: Final = desk.conns + (NEAR if near else 0)
        self.seq = 0
        desk.nodes[node].on_open(self.conn, desk.now, desk.deeds[node])
        key = number.to_bytes(frames.KEY_SIZE, "big")
        hello = Hello(frames.VERSION, number, key, attachment, False, guard=guards)
        self.greeting: Final = self.say(hello)

    def say(self, frame: Any) -> list[Any]:
        """What is said back at once, everything delivered."""
        desk = self.desk
        desk.nodes[self.node].on_frame(self.conn, frame, desk.now, desk.deeds[self.node])
        desk.deliver()
        return self.heard()

    def heard(self) -> list[Any]:
        return self.desk.deeds[self.node].sent.pop(self.conn, [])

    def ask(self, group: str, name: str = "lock", **more: Any) -> list[Any]:
        self.seq += 1
        settings = more.pop("settings", ANY)
        return self.say(Ask(self.seq, name, (group,), settings, **more))

    def leave(self, seq: int | None = None, name: str = "lock") -> list[Any]:
        return self.say(Leave(self.seq if seq is None else seq, name))

    def break_off(self, proves: int = NOTHING) -> None:
        desk = self.desk
        desk.nodes[self.node].on_close(self.conn, proves, desk.now, desk.deeds[self.node])
        desk.deliver()
