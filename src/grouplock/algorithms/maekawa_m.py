"""Maekawa_M and Toyomura's algorithm: a quorum whose members lend several locks to one group.

Idea: a site enters with a lock of every member of its quorum.  Quorums of different groups
meet, and a member lends locks to one group at a time, but to several requests of it.  Who holds
some locks and waits for others may be in a circle, so a member calls its locks back from younger
requests of another group, and a request that is not inside gives back what it is asked for.
Source: Y.-J. Joung, Quorum-based algorithms for group mutual exclusion, IEEE TPDS 14(5), 2003: its
first algorithm with one lock a member, its second with several, over quorums that need not meet
within a group; M. Toyomura, S. Kamei, H. Kakugawa, PDCAT 2003: without a limit, over one coterie
for all groups.  As papers 000, section I, and 003, section 1, tell them.
Channels: FIFO.  Cost: 3q messages alone (q members), 3 more for each lock that is called back;
2 hops to enter, 2 to hand over.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import COUNT, COUNTS, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options

# A quorum may be made of virtual nodes, of which a host has several.
FOLDED: Final = "folded"  # the host has one lock for them all
KEPT: Final = "kept"  # each has a lock, and messages of its own
SHARED: Final = "shared"  # each has a lock; the host gets one message for all that are asked

HOST: Final = 0  # the one node of a folded host


# `nodes` says which virtual nodes are meant; it is empty where the host itself is.


@final
class Request(Message):
    def __init__(self, clock: int, group: int, nodes: list[int]) -> None:
        self.clock: Final = clock
        self.group: Final = group
        self.nodes: Final = nodes


@final
class Locked(Message):
    def __init__(self, nodes: list[int]) -> None:
        self.nodes: Final = nodes


@final
class Inquire(Message):
    def __init__(self, clock: int, nodes: list[int]) -> None:
        self.clock: Final = clock  # of the request that is asked: it may be over
        self.nodes: Final = nodes


@final
class Relinquish(Message):
    def __init__(self, nodes: list[int]) -> None:
        self.nodes: Final = nodes


@final
class Released(Message):
    def __init__(self, nodes: list[int]) -> None:
        self.nodes: Final = nodes


MESSAGES: Final = Messages(
    Shape(Request, clock=COUNT, group=COUNT, nodes=COUNTS),
    Shape(Locked, nodes=COUNTS),
    Shape(Inquire, clock=COUNT, nodes=COUNTS),
    Shape(Relinquish, nodes=COUNTS),
    Shape(Released, nodes=COUNTS),
)


@final
class Claim:
    """A request at a host; it has been told that it is locked once it holds all its nodes."""

    def __init__(self, clock: int, site: int, group: int, nodes: list[int]) -> None:
        self.clock: Final = clock
        self.site: Final = site
        self.group: Final = group
        self.nodes: Final = nodes
        self.held: list[int] = []
        self.called = False  # whether it was asked to give its locks back

    def older(self, other: Claim) -> bool:
        return self.clock < other.clock or (self.clock == other.clock and self.site < other.site)

    def told(self) -> bool:
        return len(self.held) == len(self.nodes)


@final
class Node:
    """The locks of a host, or of one of its virtual nodes; the oldest claim is first in both."""

    def __init__(self) -> None:
        self.holders: Final[list[Claim]] = []  # all of one group
        self.queue: Final[list[Claim]] = []


# clock, site, group, nodes, the nodes that it holds, called back
Saved = tuple[int, int, int, tuple[int, ...], tuple[int, ...], bool]


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    clock: int
    current: int
    missing: int
    claims: tuple[Saved, ...]


@final
class MaekawaM(Site[State]):
    def __init__(
        self, me: int, peers: list[int], pick: Pick, limit: int, virtual: str, turns: bool
    ) -> None:
        super().__init__(me, peers)
        self.pick: Final = pick
        self.limit: Final = limit  # locks that a node lends at once
        self.virtual: Final = virtual
        self.turns: Final = turns  # whether the next request asks another quorum
        # As a requester.
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.clock = 0
        self.current = 0  # the clock of the present request
        self.missing = 0  # locks that it still needs
        # As a host.
        self.claims: Final[dict[tuple[int, int], Claim]] = {}  # by site and mark
        self.nodes: Final[dict[int, Node]] = {}  # those that somebody claims

    # The requester.

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.clock += 1  # L1
        self.phase, self.rid, self.group, self.current = WAITING, rid, only(groups), self.clock
        members = self.members()
        self.missing = len(members)
        for host, nodes in members:
            out.send(host, Request(self.current, self.group, nodes))  # L2

    def members(self) -> list[tuple[int, list[int]]]:
        """Whom the present request asks: hosts, each with its virtual nodes that are meant."""
        family = self.pick.of(self.group)
        turn = self.rid if self.turns else 0
        found: list[tuple[int, list[int]]] = []
        if self.virtual == FOLDED:
            quorum = family.quorum(self.me, turn)
            assert quorum is not None
            for host in quorum:
                found.append((host, []))
            return found
        for host, nodes in family.places(self.me, turn):
            if self.virtual == SHARED:
                found.append((host, list(nodes)))
            else:
                for node in nodes:
                    found.append((host, [node]))
        return found

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Locked):
            assert self.phase == WAITING
            self.missing -= 1  # L3
            if self.missing == 0:
                self.phase = INSIDE
                out.granted(self.rid, self.group)  # L4
        elif isinstance(msg, Inquire):
            if self.phase == WAITING and msg.clock == self.current:  # else it has our Released
                self.missing += 1
                out.send(src, Relinquish(msg.nodes))  # L5
        else:
            self.serve(src, msg, out)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        for host, nodes in self.members():
            out.send(host, Released(self.mark(nodes)))  # L6
        self.phase, self.rid, self.group, self.current = IDLE, 0, 0, 0

    def mark(self, nodes: list[int]) -> list[int]:
        """What tells the claims of one site at one host apart, where it has several."""
        return nodes if self.virtual == KEPT else []

    # The host.

    def serve(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Request):
            self.clock = max(self.clock, msg.clock)  # L7
            claim = Claim(msg.clock, src, msg.group, msg.nodes or [HOST])
            self.claims[(src, self.key(msg.nodes))] = claim
            for node in claim.nodes:
                self.node(node).queue.append(claim)
                sift(self.nodes[node].queue)  # L8
            self.settle(claim, out)
        elif isinstance(msg, Relinquish):
            claim = self.claims[(src, self.key(msg.nodes))]
            for node in claim.nodes:
                self.hand_back(claim, node)  # L9
            claim.called = False
            self.settle(claim, out)
        elif isinstance(msg, Released):
            claim = self.claims.pop((src, self.key(msg.nodes)))
            assert claim.told()
            for node in claim.nodes:
                self.nodes[node].holders.remove(claim)  # L10
            self.settle(claim, out)

    def key(self, nodes: list[int]) -> int:
        return nodes[0] if self.virtual == KEPT else HOST

    def node(self, node: int) -> Node:
        if node not in self.nodes:
            self.nodes[node] = Node()
        return self.nodes[node]

    def hand_back(self, claim: Claim, node: int) -> None:
        claim.held.remove(node)
        self.nodes[node].holders.remove(claim)
        self.nodes[node].queue.append(claim)
        sift(self.nodes[node].queue)

    def settle(self, claim: Claim, out: Outbox) -> None:
        """After every change: what the nodes of this claim lend, and what they call back."""
        for place in claim.nodes:
            node = self.nodes[place]
            more = True
            while more:
                while self.admits(node):
                    self.lend(node, place, out)
                more = self.call_back(node, place, out)
            if not node.holders:
                del self.nodes[place]

    def admits(self, node: Node) -> bool:
        """Whether the oldest who waits gets a lock; nobody passes it."""
        if not node.queue or not node.holders:
            return len(node.queue) > 0
        same = node.queue[0].group == node.holders[0].group
        return same and len(node.holders) < self.limit

    def lend(self, node: Node, place: int, out: Outbox) -> None:
        claim = node.queue.pop(0)
        node.holders.append(claim)
        sift(node.holders)
        claim.held.append(place)  # L11
        if claim.told():
            out.send(claim.site, Locked(self.mark(claim.nodes)))  # L12

    def call_back(self, node: Node, place: int, out: Outbox) -> bool:
        """Whether a lock has come back already, because its holder did not know of it yet."""
        if not node.queue:
            return False
        first, youngest = node.queue[0], node.holders[-1]
        losers: list[Claim] = []
        if first.group != youngest.group:
            if first.older(node.holders[0]):
                losers = node.holders[:]  # L13
        elif len(node.holders) >= self.limit and first.older(youngest):
            losers = [youngest]  # L14
        back = False
        for claim in losers:
            if not claim.told():
                self.hand_back(claim, place)  # L15
                back = True
            elif not claim.called:
                claim.called = True
                out.send(claim.site, Inquire(claim.clock, self.mark(claim.nodes)))  # L16
        return back

    def save(self) -> State:
        claims: list[Saved] = []
        for claim in self.claims.values():
            held = tuple(sorted(claim.held))
            nodes = tuple(claim.nodes)
            claims.append((claim.clock, claim.site, claim.group, nodes, held, claim.called))
        return State(
            self.phase,
            self.rid,
            self.group,
            self.clock,
            self.current,
            self.missing,
            tuple(sorted(claims)),
        )

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.clock, self.current, self.missing = state.clock, state.current, state.missing
        self.claims.clear()
        self.nodes.clear()
        for clock, site, group, nodes, held, called in state.claims:  # the oldest first
            claim = Claim(clock, site, group, list(nodes))
            claim.held, claim.called = list(held), called
            self.claims[(site, self.key(claim.nodes))] = claim
            for place in nodes:
                node = self.node(place)
                (node.holders if place in held else node.queue).append(claim)


def sift(claims: list[Claim]) -> None:
    """The last of them to its place among the others, which are in order."""
    at = len(claims) - 1
    claim = claims[at]
    while at > 0 and claim.older(claims[at - 1]):
        claims[at] = claims[at - 1]
        at -= 1
    claims[at] = claim


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> MaekawaM:
    assert pick is not None
    limit = int(options["n"] if options["locks"] == "n" else options["locks"])
    return MaekawaM(me, peers, pick, limit, str(options["virtual"]), turns=True)


def make_toyomura(me: int, peers: list[int], options: Options, pick: Pick | None) -> MaekawaM:
    assert pick is not None
    return MaekawaM(me, peers, pick, int(options["n"]), FOLDED, turns=False)
