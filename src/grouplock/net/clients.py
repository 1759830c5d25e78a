"""The clients of one site: they think, ask, stay inside, leave, as the workload says.

A site that takes one request at a time keeps the others' until its client has left.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Final, Protocol

from grouplock.measure.demands import Demands
from grouplock.measure.workload import Workload
from grouplock.net.control import ASKED, ENTERED, LEFT, Event
from grouplock.properties import INTEGRITY
from grouplock.protocol.groups import Groups


class BrokenPromise(Exception):
    """The algorithm did what it promised not to do."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name: Final = name
        self.reason: Final = reason


class Door(Protocol):
    """The site, as its clients see it."""

    def request(self, rid: int, groups: Groups) -> None: ...

    def release(self, rid: int) -> None: ...


class Client:
    def __init__(self, number: int, demands: Demands, requests: int) -> None:
        self.number: Final = number
        self.demands: Final = demands
        self.left = requests
        self.rid = 0  # of the request that the site has
        self.inside = False


class Clients:
    def __init__(
        self,
        workload: Workload,
        me: int,
        count: int,
        many: bool,
        now: Callable[[], int],
        tell: Callable[[Event], None],
    ) -> None:
        self.me: Final = me
        self.many: Final = many
        self.now: Final = now
        self.tell: Final = tell
        self.all: Final = [
            Client(k, Demands(workload, me * count + k), workload.requests) for k in range(count)
        ]
        self.queue: Final[deque[Client]] = deque()  # those that the site has no room for
        self.served_now: Final[dict[int, Client]] = {}  # by request, waiting or inside
        self.numbered = 0
        self.finished = 0
        self.door: Door | None = None

    def open(self, door: Door) -> None:
        self.door = door
        for client in self.all:
            self.think(client)

    @property
    def done(self) -> bool:
        return self.finished == len(self.all)

    def after(self, ms: float, what: Callable[[Client], None], client: Client) -> None:
        asyncio.get_running_loop().call_later(ms / 1000, what, client)

    def think(self, client: Client) -> None:
        if client.left == 0:
            self.finished += 1
            return
        client.left -= 1
        client.demands.advance()
        self.after(client.demands.think(), self.ask, client)

    def ask(self, client: Client) -> None:
        self.tell(Event(self.now(), ASKED, client.number, 0, client.demands.groups()))
        if self.many or not self.served_now:
            self.hand_in(client)
        else:
            self.queue.append(client)

    def hand_in(self, client: Client) -> None:
        assert self.door is not None
        self.numbered += 1
        client.rid = self.me << 32 | self.numbered
        self.served_now[client.rid] = client
        self.door.request(client.rid, client.demands.groups())

    def granted(self, rid: int, group: int, slot: int) -> None:
        client = self.served_now.get(rid)
        if client is None or client.inside:
            raise BrokenPromise(INTEGRITY, f"site {self.me}: {rid} was granted and does not wait")
        if group not in client.demands.groups():
            raise BrokenPromise(
                INTEGRITY, f"site {self.me} was granted group {group}, not asked for"
            )
        client.inside = True
        self.tell(Event(self.now(), ENTERED, client.number, rid, (group,), slot))
        self.after(client.demands.inside(), self.leave, client)

    def leave(self, client: Client) -> None:
        """Says so before the site is told: an overlap that is seen was one."""
        assert self.door is not None
        self.tell(Event(self.now(), LEFT, client.number, client.rid))
        client.inside = False
        del self.served_now[client.rid]
        self.door.release(client.rid)
        self.think(client)
        if self.queue and (self.many or not self.served_now):
            self.hand_in(self.queue.popleft())
