"""Raymond's mutual exclusion: the token moves along the edges of a tree, towards who asked first.

Idea: every site knows which neighbour leads to the token and keeps one queue of the neighbours
that asked it, itself among them.  It asks on behalf of all of them, once; when the token comes it
goes to the head of the queue, and if others are left the site asks for it back.
Source: K. Raymond, A tree-based algorithm for distributed mutual exclusion, ACM TOCS 7(1), 1989.
Channels: any order, exactly once.  Cost: an Ask and a Token for each edge between the token and
who wants it, O(log n) on a balanced tree and about 4 a request under load; as many hops.

The tree is the balanced binary one in the order of a heap: the parent of site i is (i-1)//2.
"""

from __future__ import annotations

from typing import Final, NamedTuple, final

from grouplock.parts.phases import IDLE, INSIDE, WAITING
from grouplock.protocol.groups import Groups, only
from grouplock.protocol.message import Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options


@final
class Ask(Message):
    pass


@final
class Token(Message):
    pass


MESSAGES: Final = Messages(Shape(Ask), Shape(Token), token=Token)


class State(NamedTuple):
    phase: int
    rid: int
    group: int
    towards: int
    queue: tuple[int, ...]
    asked: bool


@final
class Raymond(Site[State]):
    def __init__(self, me: int, peers: list[int]) -> None:
        super().__init__(me, peers)
        self.phase = IDLE
        self.rid = 0
        self.group = 0
        self.towards = (me - 1) // 2 if me else me  # the neighbour that leads to the token, or we
        self.queue: list[int] = []  # neighbours that asked us, and we, each at most once
        self.asked = False  # whether we have asked the neighbour that leads to the token

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        assert self.phase == IDLE
        self.phase, self.rid, self.group = WAITING, rid, only(groups)
        self.queue.append(self.me)  # L1
        self.step(out)

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        if isinstance(msg, Ask):
            assert src not in self.queue
            self.queue.append(src)  # L2
        elif isinstance(msg, Token):
            assert self.asked, "a token that nobody asked for"
            self.towards, self.asked = self.me, False  # L3
        self.step(out)

    def release(self, rid: int, out: Outbox) -> None:
        assert self.phase == INSIDE
        assert rid == self.rid
        self.phase, self.rid, self.group = IDLE, 0, 0  # L4
        self.step(out)

    def step(self, out: Outbox) -> None:
        """What is left to do: use the token or pass it on, and ask for it where somebody waits."""
        if self.towards == self.me and self.phase != INSIDE and self.queue:
            head = self.queue.pop(0)  # L5
            if head == self.me:
                self.phase = INSIDE  # L6
                out.granted(self.rid, self.group)
            else:
                self.towards = head
                out.send(head, Token())  # L7
        if self.towards != self.me and self.queue and not self.asked:
            self.asked = True
            out.send(self.towards, Ask())  # L8

    def tokens(self) -> int:
        return 1 if self.towards == self.me else 0

    def save(self) -> State:
        return State(self.phase, self.rid, self.group, self.towards, tuple(self.queue), self.asked)

    def load(self, state: State) -> None:
        self.phase, self.rid, self.group = state.phase, state.rid, state.group
        self.towards, self.queue, self.asked = state.towards, list(state.queue), state.asked


def make(me: int, peers: list[int], options: Options, pick: Pick | None) -> Raymond:
    return Raymond(me, peers)
