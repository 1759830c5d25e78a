"""One run: a scenario in, a verdict out.  Equal scenarios give equal verdicts."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final, NamedTuple

from grouplock.client.session import Request, Session
from grouplock.service.algorithm import chosen
from grouplock.service.homes import Member
from grouplock.service.service import LockService, Plan
from grouplock.twin import scenario as kinds
from grouplock.twin.judge import ANSWERS, TABLES, Judge, Violated
from grouplock.twin.machines import Timeline
from grouplock.twin.network import Network
from grouplock.twin.nodes import Link, Node
from grouplock.twin.player import PATIENCE_S, Player
from grouplock.twin.scenario import CALM_LEASES, Fault, Scenario
from grouplock.twin.tasks import Program

LEAST_LEASES: Final = 4.0  # so long a run goes on asking, with faults or without


class Parts(NamedTuple):
    """What is run: the shipped machines, or broken ones that the judge has to catch."""

    service: Callable[[Plan], Any] = LockService
    session: Callable[..., Any] = Session
    disk_forgets: bool = False


SHIPPED: Final = Parts()


class Verdict(NamedTuple):
    seed: int
    violated: str  # a property's name; empty: none
    reason: str
    held: int  # times that a task was inside
    lost: int  # of which it ended otherwise than by giving it back
    gave_up: int
    failed: int  # refused, unavailable, setups that failed
    written: int
    refused: int  # writes with an old fence
    shared: int  # times that two were seen inside with one group
    virtual_s: float
    events: int


class World:
    def __init__(self, scenario: Scenario, parts: Parts) -> None:
        self.scenario: Final = scenario
        self.parts: Final = parts
        self.line: Final = Timeline()
        s = scenario
        self.chance: Final = random.Random(f"world {s.seed}")
        self.network: Final = Network(self.line, self.chance, s.delay)
        slots = {f"lock{k}": s.slots if k == 0 else 1 for k in range(s.locks)}
        self.judge: Final = Judge(self.line, slots, s.within_bound)
        self.make_site, self.supports = chosen()
        self.members: Final = tuple([Member(k, f"n{k}", f"n{k}") for k in range(s.nodes)])
        self.nodes: Final = [
            Node(self.line, k, self.rate(), self.daemon, self.judge.sent) for k in range(s.nodes)
        ]
        self.links: Final = [
            Link(self.network, one, other)
            for one in self.nodes
            for other in self.nodes
            if one.place < other.place
        ]
        self.players: Final = [
            Player(
                self.line,
                s.nodes + k,
                self.rate(),
                self.network,
                self.nodes,
                parts.session,
                self.judge,
            )
            for k in range(s.clients)
        ]
        self.judge.players.extend(self.players)
        self.machines: Final = [*self.nodes, *self.players]
        self.programs: Final[list[Program]] = []
        self.numbered = 0
        self.ends_at: Final = max(s.ends_at, LEAST_LEASES * s.lease)

    def rate(self) -> float:
        off = self.scenario.drift
        return 1.0 + self.chance.choice((-off, off, self.chance.uniform(-off, off)))

    def daemon(self, me: int) -> Any:
        return self.parts.service(
            Plan(me, self.members, self.make_site, self.supports, self.scenario.lease)
        )

    # Beginnings.

    def begin(self) -> None:
        for node in self.nodes:
            node.disk.forgets = self.parts.disk_forgets
            node.start()
        for player in self.players:
            self.start(player)
        for fault in self.scenario.faults:
            self.line.at(fault.at, lambda fault=fault: self.inflict(fault))  # type: ignore[misc]

    def start(self, player: Player) -> None:
        if player.alive:
            return
        self.numbered += 1
        player.start(self.numbered)
        player.run(self.live(player))

    def live(self, player: Player) -> Any:
        yield from player.open()
        for k in range(self.scenario.tasks):
            chance = random.Random(f"task {self.scenario.seed} {player.session.number} {k}")
            stops = lambda: self.line.now >= self.ends_at  # noqa: E731
            program = Program(player, self.scenario, k, chance, self.write, stops)
            self.programs.append(program)
            player.run(program.run())

    def write(self, player: Player, request: Request, group: str) -> None:
        """To the store, at once or long after it was checked."""
        s, judge = self.scenario, self.judge
        late = 0.0 if self.chance.random() < 0.8 else self.chance.uniform(0.0, 3.0 * s.lease)
        name, slot, fence, who = request.name, request.slot, request.fence, player.place
        self.line.after(
            late + self.chance.expovariate(1.0 / s.delay),
            lambda: judge.write(name, slot, fence, group, who),
        )

    # The nemesis.

    def inflict(self, fault: Fault) -> None:
        kind, line, lasts = fault.kind, self.line, fault.lasts
        machine = self.machines[fault.who[0]]
        life = machine.life
        ways = [(one, other) for one in fault.who for other in fault.others]
        if kind == kinds.BREAK:
            self.break_between(ways)
        elif kind in (kinds.CUT, kinds.ONE_WAY):
            if kind == kinds.CUT:
                ways += [(other, one) for one, other in ways]
            self.network.close(ways)
            line.after(lasts, lambda: self.network.open(ways))
            if self.chance.random() < 0.5:
                line.after(0.5 * lasts, lambda: self.break_between(ways))
        elif kind == kinds.SLOW:
            self.network.slow.update(dict.fromkeys(ways, 0.3 * lasts))
            line.after(lasts, lambda: self.network.quicken(ways))
        elif kind == kinds.PAUSE:
            if machine.alive:
                machine.pause()
                line.after(lasts, lambda: machine.resume(life))
        elif isinstance(machine, Player):
            if kind == kinds.STALL and machine.alive:
                machine.stall()
                line.after(lasts, lambda: machine.go_on(life))
            elif kind == kinds.CRASH:
                machine.crash()
                line.after(lasts, lambda: self.start(machine))
        elif isinstance(machine, Node):
            self.end(machine, kind, lasts)

    def end(self, node: Node, kind: str, lasts: float) -> None:
        if kind == kinds.STOP:
            node.stop()
        else:
            node.crash()
        if kind == kinds.TORN:
            node.dies_syncing = self.chance.choice((1, 2))
            self.line.after(0.5 * lasts, node.start)
        self.line.after(lasts, node.start)

    def break_between(self, ways: list[tuple[int, int]]) -> None:
        some = {frozenset(way) for way in ways}
        for link in self.links:
            if frozenset(link.places) in some:
                link.break_off()
        for node in self.nodes:
            for conn in list(node.conns.values()):
                if frozenset((conn.client.place, node.place)) in some:
                    conn.break_off()

    # The end.

    def run(self) -> None:
        s, line = self.scenario, self.line
        self.begin()
        line.run(self.ends_at)
        line.run(self.ends_at + CALM_LEASES * s.lease + 2 * PATIENCE_S)
        for program in self.programs:
            player = program.player
            if player.alive and program.life == player.life and not program.done:
                where = f"client {player.place} is still {program.at}"
                self.judge.fail(ANSWERS, where)
        for player in self.players:
            if player.alive:
                player.close()
        line.run(line.now + 3.0 * s.lease + PATIENCE_S)
        for node in self.nodes:
            self.is_empty(node)

    def is_empty(self, node: Node) -> None:
        daemon = node.daemon
        left = [r.rid for lock in daemon.keeper.locks.values() for r in lock.requests.values()]
        if left or daemon.parked:
            self.judge.fail(TABLES, f"node {node.place} keeps requests {left} of nobody")
        if daemon.clients or daemon.entries or daemon.pulses:
            some = list(daemon.clients), list(daemon.entries), list(daemon.pulses)
            self.judge.fail(TABLES, f"node {node.place} keeps clients of nobody: {some}")


def run(scenario: Scenario, parts: Parts = SHIPPED) -> Verdict:
    world = World(scenario, parts)
    name = reason = ""
    try:
        world.run()
    except Violated as violated:
        name, reason = violated.name, violated.reason
    judge, programs = world.judge, world.programs
    return Verdict(
        scenario.seed,
        name,
        reason,
        sum([p.held for p in programs]),
        sum([p.lost for p in programs]),
        sum([p.gave_up for p in programs]),
        sum([p.failed for p in programs]),
        judge.written,
        judge.refused,
        judge.shared,
        world.line.now,
        world.line.said,
    )
