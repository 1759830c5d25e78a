"""Maekawa_S: the locks of a quorum one after the other, in one order for all; none is called back.

Idea: a request travels along its quorum in ascending order of sites; each member passes it on when
it has lent it a lock, the last one tells the requester.  Nobody waits for a lower site than one
that it holds, so there are no circles.  A member lends locks to one group at a time; requests of
that group join while its reference, the request that opened the session there, has not left.
Source: Y.-J. Joung, Quorum-based algorithms for group mutual exclusion, IEEE TPDS 14(5), 2003, his
third algorithm, as papers 000, section I, and 003, section 1, tell it.
Channels: any order, exactly once.  Cost: 2q+1 messages for a quorum of q; q+1 hops to enter, at
most q+1 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import COUNT, SITE, SITES, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick, Quorum
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

# A request is told from its site's last one, whose Released it may overtake: that one comes
# straight from the site, the next request along the quorum.


@final
class Request(Message):
    def __init__(self, site: int, rid: int, group: int, path: list[int]) -> None:
        self.site: Final = site
        self.rid: Final = rid
        self.group: Final = group
        self.path: Final = path  # the members that come after this one


@final
class Locked(Message):
    pass


@final
class Released(Message):
    def __init__(self, rid: int) -> None:
        self.rid: Final = rid


MESSAGES: Final = Messages(
    Shape(Request, site=SITE, rid=COUNT, group=COUNT, path=SITES),
    Shape(Locked),
    Shape(Released, rid=COUNT),
)

Holder = tuple[int, int]  # site and rid

NOBODY: Final[Holder] = (-1, 0)

Queued = tuple[int, int, int, tuple[int, ...]]  # site, rid, group, the rest of its path


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    open_group: int
    reference: Holder
    holders: tuple[Holder, ...]
    queue: tuple[Queued, ...]


@final
class MaekawaS(Site[State]):
    def __init__(self, me: int, peers: list[int], pick: Pick) -> None:
        super().__init__(me, peers)
        self.pick: Final = pick
        # As a requester.
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        # As a member of quorums.
        self.open_group = 0  # of the holders, where there are any
        self.reference = NOBODY
        self.holders: list[Holder] = []
        self.queue: list[Queued] = []  # in the order of arrival

    # The requester.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        path = sorted(self.quorum())  # L1
        out.send(path[0], Request(self.me, rid, self.group, path[1:]))  # L2

    def quorum(self) -> Quorum:
        """Each request another one of its group's, each site from another one on."""
        quorum = self.pick.of(self.group).quorum(self.me, self.rid)
        assert quorum is not None
        return quorum

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        for member in self.quorum():
            out.send(member, Released(rid))  # L3
        self.phase, self.rid, self.group = IDLE, 0, 0

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Locked):
            assert self.phase == WAITING
            self.phase = INSIDE
            out.granted(self.rid, self.group)  # L4
        elif isinstance(msg, Request):
            request = (msg.site, msg.rid, msg.group, tuple(msg.path))
            if self.admits(msg.group):
                self.lend(request, out)
            else:
                self.queue.append(request)  # L5
        elif isinstance(msg, Released):
            self.take_back((src, msg.rid), out)

    # The member of quorums.

    def admits(self, group: int) -> bool:
        """Whether a request that arrives now gets a lock: before who waits, only by a reference."""
        if not self.holders:
            return True
        return group == self.open_group and (self.reference != NOBODY or not self.queue)

    def lend(self, request: Queued, out: Outbox) -> None:
        site, rid, group, path = request
        self.open_group = group
        self.holders.append((site, rid))  # L6
        if self.reference == NOBODY:
            self.reference = (site, rid)  # L7
        if path:
            out.send(path[0], Request(site, rid, group, list(path[1:])))  # L8
        else:
            out.send(site, Locked())  # L9

    def take_back(self, holder: Holder, out: Outbox) -> None:
        self.holders.remove(holder)  # L10
        if holder == self.reference:
            self.reference = NOBODY  # L11
        if self.holders:
            return
        waiting, self.queue, self.open_group = self.queue, [], 0
        for request in waiting:
            if request[2] == waiting[0][2]:
                self.lend(request, out)  # L12
            else:
                self.queue.append(request)

    def save(self) -> State:
        return State(
            self.phase,
            self.rid,
            self.group,
            self.open_group,
            self.reference,
            tuple(sorted(self.holders)),
            tuple(self.queue),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.open_group, self.reference = state.open_group, state.reference
        self.holders = list(state.holders)
        self.queue = list(state.queue)


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> MaekawaS:
    assert pick is not None
    return MaekawaS(me, peers, pick)
