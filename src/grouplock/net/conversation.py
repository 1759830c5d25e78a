"""One connection between two sites, without a socket: bytes go in at `receive`, out at `write`.

Who was called sends a challenge; the caller's hello answers it with a proof and challenges back;
the hello of the called answers that.  From then on both send numbered messages.  A fault is
raised as a `NetError`; what arrived before it in the same bytes has been delivered.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from msgspec import structs

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
        write: Callable[[bytes], None],
        met: Callable[[Link], None],
        decode: Callable[[bytes], Any],
        deliver: Callable[[int, Any], None],
    ) -> None:
        self.me: Final = me
        self.links: Final = links
        self.calling: Final = calling
        self.nonce: Final = nonce
        self.write: Final = write
        self.met: Final = met
        self.decode: Final = decode
        self.deliver: Final = deliver
        self.frames: Final = Frames(GREETING_LIMIT)
        self.challenge = b""  # the other end's
        self.link: Link | None = None  # once the greetings are over

    def begin(self) -> None:
        if not self.calling:
            self.write(frame(greeting(Challenge(self.nonce))))

    def receive(self, data: bytes) -> None:
        self.frames.feed(data)
        while (body := self.frames.take()) is not None:
            if self.link is None:
                self.greet(body)
            else:
                self.listen(self.link, body)

    # Greetings.

    def greet(self, body: bytes) -> None:
        said = read_greeting(body)
        if isinstance(said, Refusal):
            raise Refused(f"the peer refused us: {said.cause}: {said.said}")
        if isinstance(said, Challenge):
            if not self.calling or self.challenge:
                raise BadFrame("a challenge out of turn")
            self.challenge = said.nonce
            self.say_hello(next(iter(self.links.values())))  # whom we called
            return
        if self.calling and not self.challenge:
            raise BadFrame("a hello out of turn")
        link = self.check(said)
        link.greeted(said.life, said.taken if said.of == self.me.life else 0)
        if not self.calling:
            self.challenge = said.nonce
            self.say_hello(link)
        self.link = link
        self.frames.limit = self.me.frame_limit
        for data in link.again():
            self.write(frame(talk(data)))
        self.met(link)  # before anything is delivered, so that answers find this connection

    def say_hello(self, link: Link) -> None:
        me = self.me
        taken, of = link.tell(), link.life or 0
        bare = Hello(me.run, me.site, me.n, me.table, me.life, taken, self.nonce, NO_PROOF, of)
        shown = proof(me.secret, self.challenge, bare, self.calling)
        self.write(frame(greeting(structs.replace(bare, proof=shown))))

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

    def refuse(self, fault: NetError) -> None:
        """Says why the connection is about to be closed, where the greetings are not over."""
        if self.link is None and not isinstance(fault, Refused):
            self.write(frame(greeting(Refusal(fault.cause, str(fault)[:256]))))

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
