"""One connection between two sites, without a socket: bytes in, bytes out.

Who was called sends a challenge; the caller's hello answers it with a proof and challenges back;
the hello of the called answers that.  From then on both send numbered messages.  A fault is
raised as a `NetError`; what arrived before it in the same bytes has been delivered.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from grouplock.net.errors import (
    BadFrame,
    NetError,
    Refused,
    UnknownPeer,
    WrongRun,
    WrongSecret,
    WrongTable,
)
from grouplock.net.frames import FRAME_LIMIT, Frames, frame
from grouplock.net.link import Link
from grouplock.net.wire import (
    GREETING_LIMIT,
    Challenge,
    Data,
    Hello,
    Refusal,
    greeting,
    proof,
    read_greeting,
    read_talk,
    talk,
)
from grouplock.protocol.message import Message


class Identity(NamedTuple):
    """Who we are to those who call us and whom we call."""

    run: str
    secret: bytes
    site: int
    n: int
    table: bytes
    life: int
    frame_limit: int = FRAME_LIMIT


NO_PROOF: Final = bytes(32)


class Conversation:
    """`links` are the sites that the other end may turn out to be."""

    def __init__(
        self,
        me: Identity,
        links: Mapping[int, Link],
        calling: bool,
        nonce: bytes,
        decode: Callable[[bytes], Message],
        deliver: Callable[[int, Message], None],
    ) -> None:
        self.me: Final = me
        self.links: Final = links
        self.calling: Final = calling
        self.nonce: Final = nonce
        self.decode: Final = decode
        self.deliver: Final = deliver
        self.frames: Final = Frames(GREETING_LIMIT)
        self.challenge = b""  # the other end's
        self.link: Link | None = None  # once the greetings are over

    def begin(self) -> bytes:
        return b"" if self.calling else frame(greeting(Challenge(self.nonce)))

    def receive(self, data: bytes) -> bytes:
        """What to answer; messages go to `deliver` on the way."""
        answer = b""
        self.frames.feed(data)
        while (body := self.frames.take()) is not None:
            if self.link is None:
                answer += self.greet(body)
            else:
                self.listen(self.link, body)
        return answer

    # Greetings.

    def greet(self, body: bytes) -> bytes:
        said = read_greeting(body)
        if isinstance(said, Refusal):
            raise Refused(f"the peer refused us: {said.cause}: {said.said}")
        if isinstance(said, Challenge):
            if not self.calling or self.challenge:
                raise BadFrame("a challenge out of turn")
            self.challenge = said.nonce
            link = next(iter(self.links.values()))  # whom we called
            return frame(greeting(self.hello(link)))
        if self.calling and not self.challenge:
            raise BadFrame("a hello out of turn")
        link = self.check(said)
        link.greeted(said.life, said.taken)
        if not self.calling:
            self.challenge = said.nonce
        answer = b"" if self.calling else frame(greeting(self.hello(link)))
        self.link = link
        self.frames.limit = self.me.frame_limit
        return answer + b"".join([frame(talk(data)) for data in link.again()])

    def hello(self, link: Link) -> Hello:
        me = self.me
        bare = Hello(me.run, me.site, me.n, me.table, me.life, link.taken, self.nonce, NO_PROOF)
        shown = proof(me.secret, self.challenge, bare, self.calling)
        return Hello(me.run, me.site, me.n, me.table, me.life, link.taken, self.nonce, shown)

    def check(self, hello: Hello) -> Link:
        me = self.me
        if hello.run != me.run:
            raise WrongRun(f"a hello for run '{hello.run}'; this is run '{me.run}'")
        expected = proof(me.secret, self.nonce, hello, not self.calling)
        if not hmac.compare_digest(expected, hello.proof):
            raise WrongSecret(f"whoever says to be site {hello.site} does not know the secret")
        if hello.n != me.n:
            raise WrongTable(f"site {hello.site} is one of {hello.n} sites, we are {me.n}")
        if hello.table != me.table:
            raise WrongTable(f"site {hello.site} has another table of messages")
        if hello.site not in self.links:
            raise UnknownPeer(f"site {hello.site} has no business on this connection")
        return self.links[hello.site]

    def refusal(self, fault: NetError) -> bytes:
        """What to say before closing; nothing once the greetings are over."""
        if self.link is not None or isinstance(fault, Refused):
            return b""
        return frame(greeting(Refusal(fault.cause, str(fault)[:256])))

    # Messages.

    def listen(self, link: Link, body: bytes) -> None:
        said = read_talk(body)
        if isinstance(said, Data):
            if link.is_new(said):
                msg = self.decode(said.payload)  # before it counts as arrived
                link.accept(said)
                self.deliver(link.peer, msg)
        else:
            link.acknowledged(said.taken)
