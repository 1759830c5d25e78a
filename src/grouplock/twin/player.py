"""A client process: the shipped session, and what its shell does with connections and renewals.

`client/routes.py` and `client/pulse.py` wait for sockets and clocks; this is their order of
events on virtual time.  What waits is a generator that yields for how long, or for what.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Generator
from typing import Any, Final, Protocol

from grouplock.service.frames import VERSION, Ask, Bye, Hello, Parting, Renew, Renewed, Welcome
from grouplock.twin.machines import Do, Machine, Timeline
from grouplock.twin.network import Connection, Network
from grouplock.twin.nodes import Node

PATIENCE_S: Final = 5.0
CONNECT_S: Final = 2.0
AGAIN_S: Final = 0.02
AGAIN_MAX_S: Final = 1.0
PARTS: Final = 4  # renewals in a lease
KEPT: Final = 64

# What a generator waits for: so many seconds, or whatever calls the function that it is handed.
Waits = Generator["float | Callable[[Do], None]", None, Any]


class Watcher(Protocol):
    """Whoever judges: told of what is asked, and whenever what is believed may have changed."""

    def asked(self, player: Player, frame: Ask) -> None: ...
    def look(self, player: Player) -> None: ...


class Way:
    """One connection; `node` is who has answered."""

    def __init__(self, routes: Routes) -> None:
        self.routes: Final = routes
        self.node = -1
        self.conn: Connection | None = None
        self.hello_at = 0.0
        self.ended = False
        self.greeted: Do | None = None  # told when it has been, or will never be

    def hello(self) -> None:
        session = self.routes.player.session
        if not self.routes.pulse:
            session.attachment += 1
        self.hello_at = session.now()
        attached, pulse = session.attachment, self.routes.pulse
        self.write(Hello(VERSION, session.number, session.key, attached, pulse))

    def write(self, frame: Any) -> None:
        if self.conn is not None and not self.ended:
            self.conn.from_client(frame)


class Routes:
    def __init__(self, player: Player, pulse: bool) -> None:
        self.player: Final = player
        self.pulse: Final = pulse
        self.open: Final[list[Way]] = []
        self.to: Final[dict[int, Way]] = {}
        self.reaching: Final[dict[int, bool]] = {}
        self.sent_at: Final[dict[int, float]] = {}
        self.closing = False

    def send(self, keeper: int, frame: Any) -> None:
        way = self.to.get(keeper)
        if way is not None:
            way.write(frame)
        else:
            self.reach(keeper)

    def reach(self, keeper: int) -> None:
        if keeper not in self.reaching and not self.closing:
            self.reaching[keeper] = True
            self.player.run(self.find(keeper), self)

    def find(self, keeper: int) -> Waits:
        session = self.player.session
        began, pause = session.now(), AGAIN_S
        yield 0.0
        while not self.closing:
            way: Way | None = yield from self.way_to(keeper)
            if way is not None:
                del self.reaching[keeper]
                self.to[keeper] = way
                if not self.pulse:
                    for frame in session.again(keeper):
                        way.write(frame)
                return
            if session.now() - began > PATIENCE_S:
                session.unreachable(keeper, f"node {keeper} cannot be reached")
                if keeper not in session.in_use():
                    break
            yield pause
            pause = min(2 * pause, AGAIN_MAX_S)
        self.reaching.pop(keeper, None)

    def way_to(self, keeper: int) -> Waits:
        for way in self.open:
            if way.node == keeper:
                return way
        found = yield from self.connect(keeper)
        if found is not None:
            return found
        if not self.open:
            for seed in range(len(self.player.nodes)):
                found = yield from self.connect(seed)
                if found is not None:
                    break
        for way in self.open:
            if way.node >= 0:
                if not self.pulse and way.node != keeper:
                    way.hello()
                return way
        return None

    def connect(self, place: int) -> Waits:
        """A way, greeted; or None after a while."""
        way = Way(self)
        done: list[Do] = []
        tells: list[bool] = []

        def told() -> None:
            if not tells:
                tells.append(True)
                done[0]()

        def begins(resume: Do) -> None:
            done.append(resume)
            way.greeted = told
            self.player.call(place, way)
            self.player.later(CONNECT_S, told)

        yield begins
        if way.node < 0 or way.ended:
            if way.conn is not None:
                way.conn.break_off()
            self.broke(way)
            return None
        return way

    # Hearing.

    def heard(self, way: Way, frame: Any) -> None:
        kind, session = type(frame), self.player.session
        if kind is Welcome:
            way.node = frame.node
            if not self.pulse:
                before = session.home
                session.knows(frame.members, frame.lease, frame.epoch)
                if before and before != session.home:
                    session.moved()
            session.renewed(frame.node, way.hello_at, frame.epoch)
            if way not in self.open:
                self.open.append(way)
            if way.greeted is not None:
                way.greeted()
        elif kind is Renewed:
            at = self.sent_at.pop(frame.number, None)
            if at is not None:
                session.renewed(frame.keeper, at, frame.epoch)
        elif kind is not Parting:
            session.receive(frame)
        self.player.judge.look(self.player)

    def broke(self, way: Way) -> None:
        way.ended = True
        if way in self.open:
            self.open.remove(way)
        if way.greeted is not None:
            way.greeted()
        for keeper in [k for k, w in self.to.items() if w is way]:
            del self.to[keeper]
            if keeper in self.player.session.in_use():
                self.reach(keeper)

    def end(self) -> None:
        self.closing = True
        for way in list(self.open):
            way.write(Bye())


class Player(Machine):
    """`look` is told whenever what this client believes may have changed."""

    def __init__(
        self,
        line: Timeline,
        place: int,
        rate: float,
        network: Network,
        nodes: list[Node],
        make: Callable[..., Any],
        judge: Watcher,
    ) -> None:
        super().__init__(line, place, rate)
        self.network: Final = network
        self.nodes: Final = nodes
        self.make: Final = make
        self.judge: Final = judge
        self.session: Any = None
        self.made: list[Connection] = []
        self.stalled = 0  # so many keep the application's loop busy
        self.waits: list[Do] = []  # for the loop
        self.main: Any = None
        self.beats: Any = None
        self.over = False  # it has said good-bye

    # The process.

    def start(self, number: int) -> None:
        self.born()
        self.made, self.stalled, self.waits, self.over = [], 0, [], False
        key = number.to_bytes(16, "big")
        self.session = self.make(
            number, key, self.transmit, self.clock, self.on_loop_later, PATIENCE_S
        )
        self.main, self.beats = Routes(self, False), Routes(self, True)

    def open(self) -> Waits:
        """Until some node has welcomed us; from then on the pulse beats."""
        while True:
            for seed in range(len(self.nodes)):
                way = yield from self.main.connect((seed + self.place) % len(self.nodes))
                if way is not None:
                    self.main.to[way.node] = way
                    self.run(self.beat(), self.beats)
                    return
            yield AGAIN_MAX_S

    def close(self) -> None:
        self.session.end_all()
        self.main.end()
        self.over = True
        self.beats.end()

    def crash(self) -> None:
        if self.alive:
            self.die()
            for conn in self.made:
                conn.break_off()

    def resume(self, life: int) -> None:
        super().resume(life)
        if self.alive and not self.paused:
            self.judge.look(self)

    # The application's loop; the pulse has a thread of its own.

    def on_loop(self, do: Do) -> None:
        if self.stalled:
            self.waits.append(do)
        else:
            do()

    def on_loop_later(self, seconds: float, do: Do) -> None:
        self.later(seconds, lambda: self.on_loop(do))

    def stall(self) -> None:
        self.stalled += 1

    def go_on(self, life: int) -> None:
        if life != self.life or not self.alive:
            return
        self.stalled -= 1
        while self.waits and not self.stalled:
            self.waits.pop(0)()

    def run(self, doing: Waits, routes: Routes | None = None) -> None:
        """Until it waits, and on when what it waits for is there."""
        beats = routes is not None and routes.pulse
        life = self.life

        def step() -> None:
            if life != self.life:
                return
            try:
                waits = next(doing)
            except StopIteration:
                return
            if callable(waits):
                waits(again)
            else:
                self.later(waits, again)

        def again() -> None:
            if beats:
                step()
            else:
                self.on_loop(step)

        step()

    # Connections.

    def transmit(self, keeper: int, frame: Any) -> None:
        if type(frame) is Ask:
            self.judge.asked(self, frame)
        self.main.send(keeper, frame)

    def call(self, place: int, way: Way) -> None:
        node, life, network = self.nodes[place], self.life, self.network
        own = way.routes

        def mine(do: Do) -> None:
            self.do(life, do if own.pulse else lambda: self.on_loop(do))

        def called() -> None:
            if node.alive:
                node.do(node.life, answered)
            else:
                network.carry(place, self.place, lambda: mine(lambda: own.broke(way)))

        def answered() -> None:
            number = node.came()
            conn = Connection(
                network,
                self,
                node,
                lambda frame: node.said(number, frame),
                lambda frame: self.hears(way, frame),
                lambda: node.left(number),
                lambda: self.loses(way),
            )
            node.conns[number] = conn
            self.made.append(conn)

            def connected() -> None:
                if way.ended or conn.broken:
                    conn.break_off()
                    own.broke(way)
                else:
                    way.conn = conn
                    way.hello()

            if life == self.life and self.alive:
                network.carry(place, self.place, lambda: mine(connected))
            else:
                conn.break_off()

        network.carry(self.place, place, called)

    def hears(self, way: Way, frame: Any) -> None:
        if way.routes.pulse:
            way.routes.heard(way, frame)
        else:
            self.on_loop(lambda: way.routes.heard(way, frame))

    def loses(self, way: Way) -> None:
        if way.routes.pulse:
            way.routes.broke(way)
        else:
            self.on_loop(lambda: way.routes.broke(way))

    # The pulse.

    def beat(self) -> Waits:
        session, routes = self.session, self.beats
        for number in itertools.count(1):
            if self.over:
                return
            for keeper in session.in_use():
                if len(routes.sent_at) >= KEPT:
                    routes.sent_at.pop(next(iter(routes.sent_at)))
                renewal = number * KEPT + keeper
                routes.sent_at[renewal] = session.now()
                routes.send(keeper, Renew(renewal, keeper))
                if session.about_to_lapse(keeper):
                    self.on_loop(lambda keeper=keeper: session.lapse(keeper))  # type: ignore[misc]
            yield session.next_beat(PARTS)
