"""What a node keeps: locks, the requests in them, and the clients that made these."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, Groups
from grouplock.protocol.message import Message
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site

# What a request does.
WAITING: Final = 0
PREPARING: Final = 1
HELD: Final = 2
LEAVING: Final = 3
PHASES: Final = ("waiting", "preparing", "held", "leaving")


class Settled(NamedTuple):
    """A lock's settings, once the first use has decided."""

    slots: int
    policy: str
    linger: float
    max_session: float  # 0: no limit
    max_wait: float  # 0: no limit


@final
class Client:
    """`conn`: the way to it, its own connection or the link to the node that it is attached to."""

    def __init__(self, number: int, key: bytes) -> None:
        self.number: Final = number
        self.key: Final = key
        self.attachment = 0
        self.conn = -1
        self.local = False  # in this process: it lives as long as we do
        self.lease_end = 0.0
        self.watched = False  # whether the leases' heap has an entry for it
        self.requests: Final[dict[int, Request]] = {}  # by seq


@final
class Request:
    def __init__(
        self,
        seq: int,
        client: Client,
        lock: Lock,
        groups: tuple[str, ...],
        numbers: Groups,
        setup: bool,
        since: float,
    ) -> None:
        self.seq: Final = seq
        self.rid: Final = client.number << 32 | seq
        self.client: Final = client
        self.lock: Final = lock
        self.groups: Final = groups
        self.numbers: Final = numbers
        self.setup: Final = setup
        self.since = since  # since when it has been in this phase
        self.phase = WAITING
        self.place = 0  # in `groups`, of the one that it got
        self.slot = 0
        self.session = 0
        self.switch = 0  # what `Granted` says about setup
        self.old = ""


@final
class Lock:
    """One name: its settings, its algorithm's site, its groups' numbers, who is in it."""

    def __init__(self, name: str, shard: int, settled: Settled, site: Site[Any]) -> None:
        self.name: Final = name
        self.shard: Final = shard
        self.settled: Final = settled
        self.site: Final = site
        self.agreed: Any = None  # the newest settings that were found to agree with ours
        self.numbers: dict[str, int] = {}
        self.names: dict[int, str] = {}
        self.numbered = 0
        self.last: list[int] = [UNKNOWN_GROUP] * settled.slots  # each slot's newest group
        self.requests: Final[dict[int, Request]] = {}  # by rid
        self.session = 0  # the newest
        self.switches = 0
        self.timers: Final[dict[int, float]] = {}  # when a tag rings

    def number_of(self, group: str) -> int:
        number = self.numbers.get(group, -1)
        if number < 0:
            if len(self.numbers) > 64 + 4 * len(self.requests):
                self.forget_groups()
            number = self.numbered
            self.numbered += 1
            self.numbers[group] = number
            self.names[number] = group
        return number

    def forget_groups(self) -> None:
        """Groups for one hold alone would pile up otherwise."""
        used = dict.fromkeys(self.last)
        for request in self.requests.values():
            for number in request.numbers:
                used[number] = None
        self.names = {number: name for number, name in self.names.items() if number in used}
        self.numbers = {name: number for number, name in self.names.items()}


@final
class Step(Outbox):
    """What a lock's site did in one step; what it sent itself is part of the step."""

    def __init__(self) -> None:
        self.own: list[Message] = []
        self.grants: list[tuple[int, int, int, int, int]] = []
        self.answers: list[tuple[int, bool]] = []  # (rid, whether it was lost)
        self.timers: list[tuple[int, float]] = []  # (tag, after; negative: cancelled)

    def send(self, dst: int, msg: Message) -> None:
        assert dst == 0, "a lock is kept by one site"
        self.own.append(msg)

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        assert not dsts, "a lock is kept by one site"

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = NO_SETUP
    ) -> None:
        self.grants.append((rid, group, slot, session, setup))

    def withdrawn(self, rid: int) -> None:
        self.answers.append((rid, False))

    def lost(self, rid: int) -> None:
        self.answers.append((rid, True))

    def ended(self, session: int) -> None:
        pass

    def timer(self, tag: int, after: float) -> None:
        self.timers.append((tag, after))

    def cancel_timer(self, tag: int) -> None:
        self.timers.append((tag, -1.0))
