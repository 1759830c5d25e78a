"""One node of the lock service: who is connected, who is attached where, who keeps what.

A client may be connected to any node.  What it wants of a lock goes to the lock's home, straight
or relayed; the home answers on the way on which the client was last seen.
"""

from __future__ import annotations

import heapq
from typing import Any, Final, NamedTuple, final

from grouplock.protocol.daemon import GONE, LOCALS, NEAR, PEERS, RENEWED, Daemon, Deeds
from grouplock.service.frames import (
    VERSION,
    Ask,
    Back,
    Bye,
    Force,
    Hello,
    Keep,
    Leave,
    Look,
    Parting,
    Ready,
    Refused,
    Relay,
    Renew,
    Renewed,
    Seen,
    Unseen,
    Welcome,
)
from grouplock.service.homes import Member, homes, shard_of
from grouplock.service.inspect import look
from grouplock.service.keeper import Keeper, MakeSite
from grouplock.service.limits import (
    FORBIDDEN,
    HOME_RENEWED,
    OUT_OF_TURN,
    SUPERSEDED,
    TOO_MANY,
    UNAVAILABLE,
    WRONG_KEY,
    WRONG_VERSION,
    Limits,
)
from grouplock.service.rights import FORCE, HOLD, INSPECT, Rights, Tokens
from grouplock.service.table import Client

FOR_EVER: Final = 1e18
EPOCH: Final = "epoch"  # records: (EPOCH, number), and (CLEAN, number) when nothing was held
CLEAN: Final = "clean"
RENEWALS: Final = 4  # of what is guarded, in a lease
TICK_S: Final = 5.0  # idle locks are looked at so often


class Plan(NamedTuple):
    """What a node is told about itself and the others."""

    me: int
    members: tuple[Member, ...]
    make_site: MakeSite
    supports: tuple[str, ...]  # of the sites that it makes
    lease: float = 10.0
    limits: Limits = Limits()
    tokens: Tokens | None = None  # None: everybody may do everything


@final
class Entry:
    """A client's connection; `client` once it has said hello."""

    def __init__(self, conn: int, local: bool) -> None:
        self.conn: Final = conn
        self.local: Final = local
        self.client: Client | None = None
        self.attachment = 0
        self.since = 0  # the first attachment that was said here: later ones are this way as well
        self.pulse = False
        self.guards = False  # open, it proves that its client or the client's command is alive
        self.guarded: list[int] = []  # the homes that are told so
        self.rights: Rights | None = None  # None: all
        self.relayed: list[int] = []  # homes that have had something of it through us


@final
class LockService(Daemon):
    def __init__(self, plan: Plan) -> None:
        self.plan: Final = plan
        self.me: Final = plan.me
        self.lease: Final = plan.lease
        self.limits: Final = plan.limits
        self.tokens: Final = plan.tokens
        self.keeper: Final = Keeper(plan.make_site, plan.supports, plan.limits, plan.lease)
        self.home: Final = homes(plan.members)
        self.entries: Final[dict[int, Entry]] = {}
        self.clients: Final[dict[int, Client]] = {}
        self.pulses: Final[dict[int, int]] = {}  # a client's second connection
        self.leases: Final[list[tuple[float, int, Client]]] = []  # when to look at which client
        self.watches = 0
        self.up: Final[dict[int, bool]] = {}  # links by node
        self.guards: Final[dict[int, Entry]] = {}  # by connection
        self.guards_at = 0.0  # when they are next renewed
        self.parked: list[tuple[Client, Ask]] = []  # until we may grant
        self.grants_from = FOR_EVER
        self.now = 0.0

    # The process.

    def on_start(self, records: list[tuple[Any, ...]], now: float, out: Deeds) -> None:
        """A new epoch above all of ours; what an older one granted may still be believed in."""
        epochs = [number for _, number in records]
        clean = bool(records) and records[-1][0] == CLEAN
        self.keeper.epoch = max(epochs, default=0) + 1
        self.grants_from = now if clean or not records else now + self.lease
        out.persist((EPOCH, self.keeper.epoch))

    def on_persisted(self, record: tuple[Any, ...], now: float, out: Deeds) -> None:
        out.wake(max(now + TICK_S, self.grants_from))

    def ends_clean(self) -> tuple[Any, ...] | None:
        """What to persist last: nobody has a hold of ours, so the next process need not wait."""
        held = [c for c in self.clients.values() if c.requests and not c.local]
        waits = self.now < self.grants_from
        return None if held or waits else (CLEAN, self.keeper.epoch)

    # Connections.

    def on_open(self, conn: int, now: float, out: Deeds) -> None:
        if conn >= PEERS:
            self.entries[conn] = Entry(conn, conn >= LOCALS)
        else:
            self.up[conn] = True

    def on_close(self, conn: int, proves: int, now: float, out: Deeds) -> None:
        """By itself it ends no hold; the lease does."""
        self.now = now
        if conn < PEERS:
            self.on_link_closed(conn, proves, out)
            return
        entry = self.entries.pop(conn, None)
        if entry is None:
            return
        if entry.guards and proves == GONE:
            self.on_guard_gone(entry, now, out)
        self.detach(entry, now, out)

    def detach(self, entry: Entry, now: float, out: Deeds) -> None:
        """The connection is no way to its client any more."""
        self.guards.pop(entry.conn, None)
        client = entry.client
        if client is None:
            return
        if entry.pulse:
            if self.pulses.get(client.number) == entry.conn:
                del self.pulses[client.number]
        elif client.conn == entry.conn:
            client.conn = -1
            if entry.local:
                self.drop(client, now, out)
            elif not client.requests and self.clients.get(client.number) is client:
                del self.clients[client.number]

    def on_link_closed(self, peer: int, proves: int, out: Deeds) -> None:
        """Whoever has something with a home that is a new process has to tell it again."""
        self.up[peer] = proves == RENEWED
        if proves == RENEWED:
            for entry in list(self.entries.values()):
                if peer in entry.relayed:
                    self.part(entry, HOME_RENEWED, f"node {peer} is a new process; tell again", out)

    def on_frame(self, conn: int, frame: Any, now: float, out: Deeds) -> None:
        self.now = now
        if conn < PEERS:
            self.on_link(conn, frame, now, out)
            return
        entry = self.entries.get(conn)
        if entry is None:
            return  # hung up already
        client = entry.client
        if client is None or type(frame) is Hello:
            self.greet(entry, frame, now, out)
        elif entry.rights is not None and self.is_forbidden(entry, entry.rights, frame, out):
            return
        elif type(frame) is Ask:
            lock = self.keeper.locks.get(frame.name)
            if lock is not None and now >= self.grants_from:  # then we are its home
                self.touch(client, now, out)
                self.keeper.ask(client, frame, now, out)
            else:
                self.route(entry, client, self.home[shard_of(frame.name)], frame, now, out)
        elif type(frame) is Leave:
            if frame.seq in client.requests:  # the same
                self.touch(client, now, out)
                self.keeper.leave(client, frame.seq, now, out)
            else:
                self.route(entry, client, self.home[shard_of(frame.name)], frame, now, out)
        elif type(frame) is Renew or type(frame) is Look:
            if entry.guards and frame.keeper not in entry.guarded:
                entry.guarded.append(frame.keeper)
                out.wake(now + self.lease / RENEWALS)
            self.route(entry, client, frame.keeper, frame, now, out)
        elif type(frame) is Keep or type(frame) is Ready or type(frame) is Force:
            self.route(entry, client, self.home[shard_of(frame.name)], frame, now, out)
        elif type(frame) is Bye:
            self.on_bye(entry, client, now, out)
        else:
            self.part(entry, OUT_OF_TURN, "no client says that", out)

    def greet(self, entry: Entry, frame: Any, now: float, out: Deeds) -> None:
        if type(frame) is not Hello:
            self.part(entry, OUT_OF_TURN, "a client says hello first", out)
            return
        if frame.version != VERSION:
            said = f"the client speaks version {frame.version}, this node {VERSION}: update one"
            self.part(entry, WRONG_VERSION, said, out)
            return
        if frame.guard and not NEAR <= entry.conn < LOCALS:
            said = "only a Unix socket can be inherited as a guard; connect to the node's own"
            self.part(entry, OUT_OF_TURN, said, out)
            return
        if self.tokens is not None and not entry.local:
            entry.rights = self.tokens.of(frame.token)
            if entry.rights is None:
                said = "this cluster wants a token, and does not know the one that was given"
                self.part(entry, FORBIDDEN, said, out)
                return
        client = self.client_of(frame.client, frame.key)
        if client is None:
            known = frame.client in self.clients
            cause = WRONG_KEY if known else TOO_MANY
            said = (
                "another client has this number: draw another"
                if known
                else f"this node has {len(self.clients)} clients, its limit"
            )
            self.part(entry, cause, said, out)
            return
        if entry.client is None:
            entry.since = frame.attachment
        entry.client, entry.attachment = client, frame.attachment
        entry.pulse = frame.pulse or frame.guard
        if frame.pulse:
            self.pulses[client.number] = entry.conn
        elif frame.guard:
            entry.guards = True
            self.guards[entry.conn] = entry
        else:
            if frame.attachment < client.attachment:
                self.part(entry, SUPERSEDED, "the client has come back elsewhere", out)
                return
            self.attach(client, entry.conn, frame.attachment, out)
            client.local = entry.local
        self.touch(client, now, out)
        members = tuple([(m.node, m.name, m.address) for m in self.plan.members])
        out.send(entry.conn, Welcome(self.me, self.lease, self.keeper.epoch, members))

    def is_forbidden(self, entry: Entry, rights: Rights, frame: Any, out: Deeds) -> bool:
        """Whether the token does not allow it; then that has been said."""
        kind = type(frame)
        if kind is Ask:
            if rights.allow(HOLD, frame.name):
                return False
            said = f"the token does not allow to hold lock '{frame.name:.200}'"
            out.send(entry.conn, Refused(frame.seq, FORBIDDEN, said))
            return True
        if kind is Look or kind is Force:
            right = INSPECT if kind is Look else FORCE
            if rights.allow(right, frame.name):
                return False
            said = f"the token does not allow to {right} '{frame.name:.200}'"
            out.send(entry.conn, Unseen(frame.ref, FORBIDDEN, said))
            return True
        return False

    def attach(self, client: Client, conn: int, attachment: int, out: Deeds) -> None:
        """The highest attachment is the way to the client; what it replaces is closed."""
        older = self.entries.get(client.conn)
        client.conn, client.attachment = conn, attachment
        if older is not None and older.conn != conn:
            self.part(older, SUPERSEDED, "the client has come back on another connection", out)

    def part(self, entry: Entry, cause: str, said: str, out: Deeds) -> None:
        self.entries.pop(entry.conn, None)
        out.send(entry.conn, Parting(cause, said))
        out.hang_up(entry.conn)
        self.detach(entry, self.now, out)

    def client_of(self, number: int, key: bytes) -> Client | None:
        """The client of this number and key; None: it is another's, or we have too many."""
        client = self.clients.get(number)
        if client is None:
            if len(self.clients) >= self.limits.clients:
                return None
            client = self.clients[number] = Client(number, key)
        return client if client.key == key else None

    # To the home of a lock, and back.

    def route(
        self, entry: Entry, client: Client, home: int, frame: Any, now: float, out: Deeds
    ) -> None:
        if home == self.me:
            self.touch(client, now, out)
            self.handle(client, frame, entry.conn, entry.attachment, entry.pulse, now, out)
        elif not self.up.get(home, False) and type(frame) is Ask:
            said = f"node {home}, which keeps lock '{frame.name:.200}', cannot be reached from here"
            out.send(entry.conn, Refused(frame.seq, UNAVAILABLE, said))
        elif 0 <= home < len(self.plan.members):
            if home not in entry.relayed:
                entry.relayed.append(home)
            number, at = client.number, entry.attachment
            out.send(home, Relay(number, client.key, at, entry.pulse, frame))

    def on_link(self, peer: int, frame: Any, now: float, out: Deeds) -> None:
        if type(frame) is Relay:
            client = self.client_of(frame.client, frame.key)
            if client is None:
                said = "the home of this lock has another client of this number, or too many"
                answer = Parting(WRONG_KEY, said)
                out.send(peer, Back(frame.client, frame.attachment, frame.pulse, answer))
                return
            if not frame.pulse:
                if frame.attachment < client.attachment:
                    return  # from before it came back elsewhere
                if frame.attachment > client.attachment or client.conn < 0:
                    self.attach(client, peer, frame.attachment, out)
            self.touch(client, now, out)
            self.handle(client, frame.frame, peer, frame.attachment, frame.pulse, now, out)
        elif type(frame) is Back:
            self.hand_on(frame, out)

    def hand_on(self, back: Back, out: Deeds) -> None:
        """A home's answer, to the connection from which the question came."""
        if not back.pulse:
            client = self.clients.get(back.client)
            entry = None if client is None else self.entries.get(client.conn)
            if entry is None or back.attachment < entry.since:
                return  # it is elsewhere by now
            out.send(entry.conn, back.frame)
            return
        conn = self.pulses.get(back.client, -1)
        if conn >= 0:
            out.send(conn, back.frame)

    def handle(
        self,
        client: Client,
        frame: Any,
        conn: int,
        attachment: int,
        pulse: bool,
        now: float,
        out: Deeds,
    ) -> None:
        """What a client wants of us as the home; `conn` is the way that the frame came."""
        keeper = self.keeper
        if type(frame) is Leave:
            if self.parked:
                self.parked = [
                    p for p in self.parked if p[0] is not client or p[1].seq != frame.seq
                ]
            keeper.leave(client, frame.seq, now, out)
        elif type(frame) is Ask:
            if self.home[shard_of(frame.name)] != self.me:
                said = f"lock '{frame.name:.200}' has another home now; ask again"
                keeper.answer(client, Refused(frame.seq, UNAVAILABLE, said), out)
            elif now < self.grants_from and frame.at_once:
                said = (
                    f"lock '{frame.name:.200}': holds from before its node's restart may be alive"
                )
                keeper.answer(client, Refused(frame.seq, UNAVAILABLE, said), out)
            elif now < self.grants_from:
                self.parked.append((client, frame))
            else:
                keeper.ask(client, frame, now, out)
        elif type(frame) is Renew:
            renewed = Renewed(frame.number, self.me, self.lease, keeper.epoch)
            self.reply(client, renewed, conn, attachment, pulse, out)
        elif type(frame) is Keep:
            keeper.keep(client, frame.seq, frame.name, out)
        elif type(frame) is Ready:
            keeper.ready(client, frame.seq, frame.ok, now, out)
        elif type(frame) is Look:
            self.reply(
                client, Seen(frame.ref, self.see(frame.name, now)), conn, attachment, pulse, out
            )
        elif type(frame) is Force:
            done = keeper.force(frame.name, frame.hold, frame.now, now, out)
            self.reply(client, Seen(frame.ref, done), conn, attachment, pulse, out)
        elif type(frame) is Bye:
            self.drop(client, now, out)

    def reply(
        self, client: Client, frame: Any, conn: int, attachment: int, pulse: bool, out: Deeds
    ) -> None:
        """The way that the question came; a pulse's has its own."""
        if conn >= PEERS:
            out.send(conn, frame)
        else:
            out.send(conn, Back(client.number, attachment, pulse, frame))

    def see(self, name: str, now: float) -> list[dict[str, Any]]:
        locks = self.keeper.locks
        if name:
            return [look(self.keeper, locks[name], self.me, now)] if name in locks else []
        seen = []
        for lock in locks.values():
            if lock.requests:
                seen.append(look(self.keeper, lock, self.me, now))
                if len(seen) == self.limits.looked_at:
                    break
        return seen

    # Leases.

    def touch(self, client: Client, now: float, out: Deeds) -> None:
        """Anything that a client says renews its lease with us."""
        if client.local:
            return
        client = self.present(client)
        client.lease_end = now + self.lease
        if not client.watched:
            client.watched = True
            self.watches += 1
            heapq.heappush(self.leases, (client.lease_end, self.watches, client))
            out.wake(client.lease_end)

    def present(self, client: Client) -> Client:
        """As we know it now: a pulse or a guard outlives what we knew when it came."""
        known = self.clients.get(client.number)
        return known if known is not None and known.key == client.key else client

    # Guards: a connection of this machine that a client's command inherited.  While it is open
    # one of them is alive, and its end, which the kernel tells, proves that none is.

    def renew_guarded(self, now: float, out: Deeds) -> None:
        if now < self.guards_at or not self.guards:
            return
        self.guards_at = now + self.lease / RENEWALS
        for entry in self.guards.values():
            assert entry.client is not None
            for home in entry.guarded:
                self.route(entry, entry.client, home, Renew(0, home), now, out)

    def on_guard_gone(self, entry: Entry, now: float, out: Deeds) -> None:
        assert entry.client is not None
        for home in entry.guarded:
            self.route(entry, self.present(entry.client), home, Bye(), now, out)

    def on_tick(self, now: float, out: Deeds) -> None:
        self.now = now
        self.renew_guarded(now, out)
        if now >= self.grants_from and self.parked:
            parked, self.parked = self.parked, []
            for client, frame in parked:
                if self.clients.get(client.number) is client:
                    self.keeper.ask(client, frame, now, out)
        while self.leases and self.leases[0][0] <= now:
            _, watch, client = heapq.heappop(self.leases)
            if self.clients.get(client.number) is not client:
                continue
            if client.lease_end > now:
                heapq.heappush(self.leases, (client.lease_end, watch, client))
                continue
            client.watched = False
            self.keeper.expire(client, now, out)
            if client.conn < PEERS:
                self.clients.pop(client.number, None)
        self.keeper.tick(now, out)
        next_at = now + TICK_S
        if self.leases:
            next_at = min(next_at, self.leases[0][0])
        if self.keeper.alarms:
            next_at = min(next_at, self.keeper.alarms[0][0])
        if now < self.grants_from:
            next_at = min(next_at, self.grants_from)
        if self.guards:
            next_at = min(next_at, self.guards_at)
        out.wake(next_at)

    # The end of a client.

    def on_bye(self, entry: Entry, client: Client, now: float, out: Deeds) -> None:
        """What it has with others it has told them to end; what it has with us ends here."""
        if not entry.pulse:
            self.drop(client, now, out)
        self.entries.pop(entry.conn, None)
        self.detach(entry, now, out)
        out.hang_up(entry.conn)

    def drop(self, client: Client, now: float, out: Deeds) -> None:
        client.conn = -1  # nobody is there to be told
        self.parked = [(c, frame) for c, frame in self.parked if c is not client]
        for seq in list(client.requests):
            self.keeper.leave(client, seq, now, out, silently=True)
        self.clients.pop(client.number, None)
