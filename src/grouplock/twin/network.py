"""The network between machines: delays, ways that are shut, connections that break.

A connection carries frames in order.  What is sent into a way that is shut waits until it opens,
as TCP repeats it; a break loses all that is under way, and each end learns of it at its own time.
A link between two nodes is what `net/link.py` promises: exactly once and in order, for as long as
both processes live.
"""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from grouplock.twin.machines import Machine, Timeline

RETRY_S: Final = 0.05  # after how long a way that was shut is tried again


class Network:
    def __init__(self, line: Timeline, chance: random.Random, delay: float) -> None:
        self.line: Final = line
        self.chance: Final = chance
        self.delay: Final = delay  # mean, one way
        self.shut: Final[dict[tuple[int, int], int]] = {}  # how many faults shut this way
        self.slow: Final[dict[tuple[int, int], float]] = {}  # mean of what is added

    def close(self, ways: list[tuple[int, int]]) -> None:
        for way in ways:
            self.shut[way] = self.shut.get(way, 0) + 1

    def open(self, ways: list[tuple[int, int]]) -> None:
        for way in ways:
            self.shut[way] -= 1
            if not self.shut[way]:
                del self.shut[way]

    def quicken(self, ways: list[tuple[int, int]]) -> None:
        for way in ways:
            self.slow.pop(way, None)

    def is_shut(self, src: int, dst: int) -> bool:
        return (src, dst) in self.shut

    def takes(self, src: int, dst: int) -> float:
        mean = self.delay + self.slow.get((src, dst), 0.0)
        return self.chance.expovariate(1.0 / mean)

    def carry(self, src: int, dst: int, arrive: Callable[[], None]) -> None:
        """`arrive` some time later; not before the way is open."""

        def arrives() -> None:
            if (src, dst) in self.shut:
                self.line.after(RETRY_S * (1 + self.chance.random()), arrives)
            else:
                arrive()

        self.line.after(self.takes(src, dst), arrives)


class Pipe:
    """One direction: frames to one machine, in order."""

    def __init__(self, network: Network, src: int, to: Machine) -> None:
        self.network: Final = network
        self.src: Final = src
        self.to: Final = to
        self.life: Final = to.life
        self.under_way: Final[deque[Callable[[], None]]] = deque()
        self.cut = False

    def send(self, arrive: Callable[[], None]) -> None:
        if self.cut:
            return
        self.under_way.append(arrive)
        if len(self.under_way) == 1:
            self.network.carry(self.src, self.to.place, self.arrived)

    def arrived(self) -> None:
        if self.cut:
            return
        self.to.do(self.life, self.under_way.popleft())
        if self.under_way:
            if self.network.is_shut(self.src, self.to.place):
                self.network.carry(self.src, self.to.place, self.arrived)
            else:  # it was right behind
                gap = 0.2 * self.network.takes(self.src, self.to.place)
                self.network.line.after(gap, self.next)

    def next(self) -> None:
        if self.network.is_shut(self.src, self.to.place):
            self.network.carry(self.src, self.to.place, self.arrived)
        else:
            self.arrived()

    def break_off(self) -> None:
        self.cut = True
        self.under_way.clear()


class Connection:
    """Between a client and a node.  `up` and `down` hand frames in, `ended` tells the two ends."""

    def __init__(
        self,
        network: Network,
        client: Machine,
        node: Machine,
        up: Callable[[Any], None],
        down: Callable[[Any], None],
        ended_up: Callable[[], None],
        ended_down: Callable[[], None],
    ) -> None:
        self.network: Final = network
        self.client: Final = client
        self.node: Final = node
        self.lives: Final = (client.life, node.life)
        self.to_node: Final = Pipe(network, client.place, node)
        self.to_client: Final = Pipe(network, node.place, client)
        self.up: Final = up
        self.down: Final = down
        self.ended_up: Final = ended_up  # at the node
        self.ended_down: Final = ended_down  # at the client
        self.broken = False

    def from_client(self, frame: Any) -> None:
        self.to_node.send(lambda: self.up(frame))

    def from_node(self, frame: Any) -> None:
        self.to_client.send(lambda: self.down(frame))

    def hang_up(self) -> None:
        """By the node, after what was sent; what comes the other way meets a closed door."""
        if not self.broken:
            self.broken = True
            self.to_node.break_off()
            self.to_client.send(self.ended_down)

    def break_off(self) -> None:
        if self.broken:
            return
        self.broken = True
        self.to_node.break_off()
        self.to_client.break_off()
        client, node, carry = self.client, self.node, self.network.carry
        life_c, life_n = self.lives
        carry(client.place, node.place, lambda: node.do(life_n, self.ended_up))
        carry(node.place, client.place, lambda: client.do(life_c, self.ended_down))
