"""The keeper: the locks whose home this node is, and everything that happens in them."""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import Any, Final, final

from grouplock.protocol.daemon import PEERS, Deeds
from grouplock.protocol.groups import NO_SETUP, UNKNOWN_GROUP, Groups
from grouplock.protocol.site import Site
from grouplock.protocol.system import LEASES, SETUP
from grouplock.service import frames
from grouplock.service.frames import Ask, Back, Gone, Granted, Lost, Refused, Settings
from grouplock.service.homes import SHARDS, shard_of
from grouplock.service.limits import (
    BAD_NAME,
    BUSY,
    EXPIRED,
    FORCED,
    FORGOTTEN,
    MISMATCH,
    SETUP_FAILED,
    TOO_MANY,
    UNSUPPORTED,
    Limits,
)
from grouplock.service.settings import POLICIES, conflict, settled, wrong_names
from grouplock.service.table import (
    HELD,
    LEAVING,
    PREPARING,
    WAITING,
    Client,
    Lock,
    Request,
    Settled,
    Step,
)

# Makes the site of a new lock; its sessions are numbered above `first_session`.
MakeSite = Callable[[Settled, int], Site[Any]]
FENCE_BITS: Final = 40  # of a fence, its session; the epoch is above
MS: Final = 1000.0  # a site's timers count in milliseconds
FORGET_AFTER_S: Final = 60.0  # an idle lock is kept for so long beside its linger
FORGET_AT_ONCE: Final = 1000  # of them in one tick,
FORGET_ON_S: Final = 0.02  # and more of them so soon


@final
class Keeper:
    def __init__(
        self, make_site: MakeSite, supports: tuple[str, ...], limits: Limits, lease: float
    ) -> None:
        self.make_site: Final = make_site
        self.can_set_up: Final = SETUP in supports
        self.can_expire: Final = LEASES in supports
        self.limits: Final = limits
        self.most_of_client: Final = limits.requests_per_client
        self.most_of_lock: Final = limits.waiting_per_lock
        self.lease: Final = lease
        self.epoch = 0
        self.locks: Final[dict[str, Lock]] = {}
        self.first_session: Final[list[int]] = [0] * SHARDS  # above all of forgotten locks
        self.idle: Final[dict[str, float]] = {}  # locks without requests, and since when
        self.alarms: Final[list[tuple[float, str, int]]] = []  # (when, lock, tag)
        self.step: Final = Step()
        self.grants = 0
        self.losses = 0

    # What a client wants.

    def ask(self, client: Client, frame: Ask, now: float, out: Deeds) -> None:
        lock = self.locks.get(frame.name)
        settings: Any = frame.settings
        if lock is None or (lock.agreed is not settings and lock.agreed != settings):
            lock = self.lock_for(client, frame, lock, now, out)
            if lock is None:
                return
        seq: int = frame.seq
        known = client.requests.get(seq)
        if known is not None:
            self.tell_again(known, out)
            return
        groups: tuple[str, ...] = frame.groups
        why = self.objection(client, lock, frame)
        if why is not None:
            self.answer(client, why, out)
            return
        if not lock.requests:
            self.idle.pop(lock.name, None)
        numbers: Groups
        if len(groups) == 1:
            numbers = (lock.number_of(groups[0]),)
        else:
            numbers = tuple(sorted([lock.number_of(group) for group in groups]))
        request = Request(seq, client, lock, groups, numbers, frame.setup, now)
        client.requests[seq] = request
        lock.requests[request.rid] = request
        lock.site.request(request.rid, numbers, self.step)
        self.settle(lock, now, out)
        if frame.at_once and request.phase == WAITING:
            self.leave(client, seq, now, out, silently=True)
            said = f"lock '{lock.name}' is not free for {_listed(groups)} at this moment"
            self.answer(client, Refused(seq, BUSY, said), out)

    def lock_for(
        self, client: Client, frame: Ask, lock: Lock | None, now: float, out: Deeds
    ) -> Lock | None:
        """The lock with these settings, made if need be; None: refused."""
        name: str = frame.name
        wanted: Settings = frame.settings
        if lock is not None:
            said = conflict(name, wanted, lock.settled)
            if said:
                self.answer(client, Refused(frame.seq, MISMATCH, said), out)
                return None
            lock.agreed = wanted
            return lock
        said = wrong_names(name, frame.groups)
        if said:
            self.answer(client, Refused(frame.seq, BAD_NAME, said), out)
            return None
        has = settled(wanted)
        if has.policy not in POLICIES:
            said = f"a policy is one of {', '.join(POLICIES)}, not '{has.policy:.40}'"
            self.answer(client, Refused(frame.seq, UNSUPPORTED, said), out)
            return None
        if len(self.locks) >= self.limits.locks:
            said = f"this node keeps {len(self.locks)} locks, its limit; raise it, or add a node"
            self.answer(client, Refused(frame.seq, TOO_MANY, said), out)
            return None
        shard = shard_of(name)
        made = Lock(name, shard, has, self.make_site(has, self.first_session[shard]))
        made.agreed = wanted
        self.locks[name] = made
        self.idle[name] = now
        return made

    def objection(self, client: Client, lock: Lock, frame: Ask) -> Refused | None:
        if len(client.requests) >= self.most_of_client:
            said = f"a client may have {self.most_of_client} requests at once"
            return Refused(frame.seq, TOO_MANY, said)
        if len(lock.requests) >= self.most_of_lock:
            said = f"lock '{lock.name}' has {len(lock.requests)} requests already, its limit"
            return Refused(frame.seq, TOO_MANY, said)
        if frame.setup and not self.can_set_up:
            said = "this cluster's algorithm runs no setup; leave setup= out"
            return Refused(frame.seq, UNSUPPORTED, said)
        groups: tuple[str, ...] = frame.groups
        if len(groups) != 1 or groups[0] not in lock.numbers:
            said = wrong_names(lock.name, groups)
            if said:
                return Refused(frame.seq, BAD_NAME, said)
        return None

    def leave(
        self, client: Client, seq: int, now: float, out: Deeds, silently: bool = False
    ) -> None:
        """Gives back what it has, or takes back what it wants; harmless when repeated."""
        request = client.requests.get(seq)
        if request is None:
            if not silently:
                self.answer(client, Gone(seq), out)
            return
        lock = request.lock
        if request.phase == HELD:
            self.remove(request, now)
            if not silently:
                self.answer(client, Gone(seq), out)
            lock.site.release(request.rid, self.step)
        elif request.phase == PREPARING:
            self.ready(client, seq, False, now, out)
            if not silently:
                self.answer(client, Gone(seq), out)
            return
        elif request.phase != LEAVING:
            # The answer follows from the site; where it is wanted by nobody, the entry is gone now.
            request.phase = LEAVING
            if silently:
                self.remove(request, now)
            lock.site.withdraw(request.rid, self.step)
        self.settle(lock, now, out)

    def keep(self, client: Client, seq: int, name: str, out: Deeds) -> None:
        """A client that has come back says what it holds."""
        request = client.requests.get(seq)
        if request is None or request.phase == WAITING:
            said = f"the hold of lock '{name}' is not known here any more; take the lock anew"
            self.answer(client, Lost(seq, FORGOTTEN, said), out)
        else:
            self.tell_again(request, out)

    def ready(self, client: Client, seq: int, ok: bool, now: float, out: Deeds) -> None:
        """The entrant that was to set its slot up has done so, or has failed."""
        request = client.requests.get(seq)
        if request is None or request.phase != PREPARING:
            return
        lock = request.lock
        if ok:
            request.phase = HELD
            request.switch, request.old = frames.NO_SETUP, ""
        else:
            self.remove(request, now)
            lock.last[request.slot] = UNKNOWN_GROUP
            said = f"the setup of lock '{lock.name}' failed at this client"
            self.answer(client, Refused(seq, SETUP_FAILED, said), out)
        lock.site.setup_done(request.session, ok, self.step)
        self.settle(lock, now, out)

    # What time and operators want.

    def end(self, request: Request, cause: str, said: str, now: float, out: Deeds) -> None:
        """Ends a request without its client."""
        lock, client = request.lock, request.client
        self.losses += 1
        phase = request.phase
        self.remove(request, now)
        self.answer(client, Lost(request.seq, cause, said), out)
        if phase == WAITING:
            lock.site.withdraw(request.rid, self.step)
        elif phase in (HELD, PREPARING) and self.can_expire:
            if cause == FORCED:
                lock.site.force(request.rid, self.step)
            else:
                lock.site.expire(request.rid, self.step)
        elif phase == HELD:
            lock.site.release(request.rid, self.step)
        self.settle(lock, now, out)

    def expire(self, client: Client, now: float, out: Deeds) -> None:
        """Nothing was heard of the client for a lease: whatever it has is over."""
        for request in list(client.requests.values()):
            said = f"lock '{request.lock.name}': nothing was heard of its client for {self.lease} s"
            self.end(request, EXPIRED, said, now, out)

    def force(self, name: str, rid: int, now: float, out: Deeds) -> bool:
        lock = self.locks.get(name)
        request = None if lock is None else lock.requests.get(rid)
        if request is None:
            return False
        self.end(request, FORCED, f"lock '{name}': an operator ended this hold", now, out)
        return True

    def tick(self, now: float, out: Deeds) -> None:
        while self.alarms and self.alarms[0][0] <= now:
            at, name, tag = heapq.heappop(self.alarms)
            lock = self.locks.get(name)
            if lock is not None and lock.timers.get(tag) == at:
                del lock.timers[tag]
                lock.site.on_timer(tag, self.step)
                self.settle(lock, now, out)
        self.forget(now, out)

    def forget(self, now: float, out: Deeds) -> None:
        """Idle locks, the longest idle first; their shard remembers how far sessions had come."""
        gone: list[str] = []
        for name, since in self.idle.items():
            if now - since < FORGET_AFTER_S or len(gone) >= FORGET_AT_ONCE:
                break
            lock = self.locks[name]
            if now - since >= FORGET_AFTER_S + 2 * lock.settled.linger:
                gone.append(name)
        for name in gone:
            lock = self.locks.pop(name)
            del self.idle[name]
            self.first_session[lock.shard] = max(self.first_session[lock.shard], lock.session)
        if len(gone) >= FORGET_AT_ONCE:
            out.wake(now + FORGET_ON_S)

    # A step of a lock's site, and what follows.

    def settle(self, lock: Lock, now: float, out: Deeds) -> None:
        step = self.step
        site = lock.site
        while True:
            at = 0
            while at < len(step.own):
                site.on_message(0, step.own[at], step)
                at += 1
            if at:
                step.own = []
            if step.timers:
                timers, step.timers = step.timers, []
                for tag, after in timers:
                    self.set_timer(lock, tag, after, now, out)
            if step.answers:
                answers, step.answers = step.answers, []
                for rid, _ in answers:
                    self.answered(lock, rid, now, out)
            if step.grants:
                grants, step.grants = step.grants, []
                for rid, group, slot, session, setup in grants:
                    self.granted(lock, rid, group, slot, session, setup, now, out)
            if not step.own and not step.grants:
                return

    def granted(
        self,
        lock: Lock,
        rid: int,
        group: int,
        slot: int,
        session: int,
        setup: int,
        now: float,
        out: Deeds,
    ) -> None:
        request = lock.requests[rid]
        assert request.phase == WAITING, f"a grant for a request that is {request.phase}"
        if len(request.groups) > 1:
            request.place = request.groups.index(lock.names[group])
        request.slot, request.session, request.since = slot, session, now
        if session > lock.session:
            lock.session = session
            lock.switches += 1
        request.phase = HELD
        if setup != NO_SETUP:
            old = lock.names.get(setup, "")
            if request.setup:
                request.phase = PREPARING
                request.switch = frames.SWITCH if old else frames.UNKNOWN
                request.old = old
            else:  # this client has nothing to do for a switch
                lock.site.setup_done(session, True, self.step)
        lock.last[slot] = group
        self.grants += 1
        self.tell_again(request, out)

    def answered(self, lock: Lock, rid: int, now: float, out: Deeds) -> None:
        """The site has let go of a request that was withdrawn."""
        request = lock.requests.get(rid)
        if request is not None:
            self.remove(request, now)
            self.answer(request.client, Gone(request.seq), out)

    def remove(self, request: Request, now: float) -> None:
        lock = request.lock
        del lock.requests[request.rid]
        del request.client.requests[request.seq]
        if not lock.requests:
            self.idle[lock.name] = now

    def set_timer(self, lock: Lock, tag: int, after: float, now: float, out: Deeds) -> None:
        if after < 0:
            lock.timers.pop(tag, None)
            return
        at = now + after / MS
        lock.timers[tag] = at
        heapq.heappush(self.alarms, (at, lock.name, tag))
        out.wake(at)

    # Answers.

    def tell_again(self, request: Request, out: Deeds) -> None:
        if request.phase == HELD or request.phase == PREPARING:
            fence = self.epoch << FENCE_BITS | request.session
            granted = Granted(
                request.seq, request.place, request.slot, fence, request.switch, request.old
            )
            self.answer(request.client, granted, out)

    def answer(self, client: Client, frame: Any, out: Deeds) -> None:
        """On the way on which the client was last seen; without one it will come back and ask."""
        conn = client.conn
        if conn >= PEERS:
            out.send(conn, frame)
        elif conn >= 0:
            out.send(conn, Back(client.number, client.attachment, False, frame))


def _listed(groups: tuple[str, ...]) -> str:
    return " or ".join([f"'{group}'" for group in groups])
