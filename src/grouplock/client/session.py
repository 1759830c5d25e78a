"""One client as a state machine: its requests, what it believes of its leases, what to say again.

No sockets here and no clock: what arrives is handed in, what is to be said goes through `transmit`.
A request is said until it is answered, on whichever connection there is, under the same number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, final

from mypy_extensions import mypyc_attr

from grouplock.client.errors import BY_CAUSE, GroupLockError, LockLost, Unavailable, WouldDeadlock
from grouplock.client.errors import Refused as IsRefused
from grouplock.service.frames import (
    NO_SETUP,
    Ask,
    Gone,
    Granted,
    Keep,
    Leave,
    Lost,
    Ready,
    Recall,
    Refused,
    Seen,
    Settings,
    Unseen,
)
from grouplock.service.homes import Member, homes, shard_of

# What a request does.
NEW: Final = 0
ASKED: Final = 1
HELD: Final = 2
LEAVING: Final = 3
OVER: Final = 4
DRIFT: Final = 0.998  # of a lease, as far as a clock may be trusted
AGAIN_S: Final = 0.05
FENCE_BITS: Final = 40  # of a fence, its session; its epoch is above
UNAVAILABLE: Final = "unavailable"
WARNING: Final = 0.1  # of a lease: who holds is told so long before its end


@mypyc_attr(allow_interpreted_subclasses=True)
class Request:
    """What somebody wants, and has.  What the session has no use for is its subclass's."""

    def __init__(
        self,
        session: Session,
        name: str,
        groups: tuple[str, ...],
        settings: Settings,
        timeout: float | None = None,
        run_setup: Any = None,
        on_lost: str = "cancel",
        at_once: bool = False,
    ) -> None:
        self.session: Final = session
        self.name: Final = name
        self.groups: Final = groups
        self.settings: Final = settings
        self.timeout: Final = timeout
        self.run_setup: Final = run_setup
        self.on_lost: Final = on_lost
        self.at_once: Final = at_once
        self.state = NEW
        self.error: GroupLockError | None = None
        self.wake: Callable[[], None] | None = None  # when it is no longer ASKED
        self.owner: object = None  # the task that holds it, for as long as it does
        self.task: Any = None
        self.event: Any = None  # for who waits for its loss
        self.was_cancelled = False
        self.was_ready = False  # it has set its slot up
        self.keeper = -1
        self.seq = 0
        self.place = 0  # in `groups`
        self.slot = 0
        self.fence = 0  # 0: it has not been granted
        self.switch = NO_SETUP
        self.old = ""
        self.sent_at = 0.0
        self.first_at = 0.0
        self.term = 0  # of the lease, when it was asked for

    def has_ended(self, error: LockLost) -> None:
        """Told to its owner when the hold is lost."""
        raise NotImplementedError


@final
class Lease:
    """Our lease with one keeper goes on while each renewal is answered before the last one's end.

    Else, or where the keeper is a new process, others may have what we had: a new term begins.
    """

    def __init__(self) -> None:
        self.end = 0.0
        self.unbroken_until = 0.0  # if whatever was first asked in this term is answered
        self.term = 0
        self.epoch = 0  # of the keeper's process; 0: not known


def refuse_deadlock(request: Request, has: list[str]) -> None:
    name = request.name
    if name in has:
        raise WouldDeadlock(
            f"this task holds lock '{name}' already and would wait for itself; "
            "pass the hold on instead"
        )
    if request.timeout is None and max(has) > name:
        raise WouldDeadlock(
            f"it holds '{max(has)}' and asks for '{name}', which comes before it; two tasks that "
            "do so in turn wait for ever; give a timeout, or use hold_all"
        )


@final
class Question:
    """Something that is asked until it is answered."""

    def __init__(self, keeper: int, frame: Any, answer: Callable[[Any], None]) -> None:
        self.keeper: Final = keeper
        self.frame: Final = frame
        self.answer: Final = answer


@final
class Session:
    def __init__(
        self,
        number: int,
        key: bytes,
        transmit: Callable[[int, Any], None],
        now: Callable[[], float],
        later: Callable[[float, Callable[[], None]], None],
        patience: float,
    ) -> None:
        self.number, self.key = number, key
        self.transmit = transmit  # (keeper, frame)
        self.say: Callable[[Any], list[Any]] | None = None  # to a node of this very process
        self.now: Final = now
        self.later: Final = later  # (seconds, what to do then)
        self.patience: Final = patience  # so long what is unavailable is asked for again
        self.attachment = 0
        self.seq = 0
        self.requests: Final[dict[int, Request]] = {}
        self.lease = 0.0
        self.leases: Final[dict[int, Lease]] = {}  # by keeper
        self.here = -1  # the keeper that lives and dies with us, where we are in a node's process
        self.epoch = 0
        self.members: tuple[Member, ...] = ()
        self.home: list[int] = []
        self.only = -1  # the node, where there is one alone
        self.owners: Final[dict[object, list[Request]]] = {}  # what a task holds
        self.questions: Final[dict[int, Question]] = {}  # by ref

    def knows(self, members: Sequence[tuple[int, str, str]], lease: float, epoch: int) -> None:
        self.lease, self.epoch = lease, epoch
        now = tuple([Member(*m) for m in members])
        if now != self.members:
            self.members = now
            self.home = homes(now)
            self.only = now[0].node if len(now) == 1 else -1

    def keeper_of(self, name: str) -> int:
        return self.only if self.only >= 0 else self.home[shard_of(name)]

    # What the application wants.

    def enter(self, request: Request, owner: object) -> bool:
        """Asks for it on behalf of `owner`; True: it is inside, with nothing to set up."""
        if request.state != NEW:
            raise GroupLockError("a hold is used once; call hold() anew for each `with`")
        holds = self.owners.get(owner)
        if holds is not None and not request.at_once:
            refuse_deadlock(request, [held.name for held in holds])
        self.ask(request)
        if request.state != HELD or request.switch != NO_SETUP:
            return False
        self.own(request, owner)
        return True

    def leaves(self, request: Request) -> bool:
        """Gives it back; False: it was not held any more."""
        if request.state != HELD:
            return False
        self.leave(request)
        return True

    def ask(self, request: Request) -> None:
        self.seq = seq = self.seq + 1
        request.seq = seq
        request.state = ASKED
        request.keeper = keeper = self.keeper_of(request.name)
        self.requests[seq] = request
        if keeper != self.here:
            request.sent_at = self.now()
            request.term = self.term_for(keeper, request.sent_at)
            if not request.first_at:
                request.first_at = request.sent_at
        self.tell(keeper, self.said(request))

    def tell(self, keeper: int, frame: Any) -> None:
        if self.say is None:
            self.transmit(keeper, frame)
        else:
            for answer in self.say(frame):
                self.receive(answer)

    def said(self, r: Request) -> Any:
        """The frame that says where the request stands."""
        if r.state == ASKED:
            return Ask(r.seq, r.name, r.groups, r.settings, r.run_setup is not None, r.at_once)
        return (Keep if r.state == HELD else Leave)(r.seq, r.name)

    def leave(self, request: Request) -> None:
        """Gives it back or takes it back; nothing that arrives later brings it to life."""
        if request.state == ASKED or request.state == HELD:
            request.state = LEAVING
            if request.owner is not None:
                self.disown(request)
            self.tell(request.keeper, Leave(request.seq, request.name))

    def own(self, request: Request, owner: object) -> None:
        """Who holds it, and must not wait for it."""
        request.owner = owner
        holds = self.owners.get(owner)
        if holds is None:
            self.owners[owner] = [request]
        else:
            holds.append(request)

    def disown(self, request: Request) -> None:
        owner, request.owner = request.owner, None
        holds = self.owners[owner]
        if len(holds) == 1:
            del self.owners[owner]
        else:
            holds.remove(request)

    def ready(self, request: Request, ok: bool) -> None:
        request.switch = NO_SETUP
        if request.state == HELD:
            request.was_ready = ok
            if not ok:
                request.state = LEAVING
            self.tell(request.keeper, Ready(request.seq, request.name, ok))
            if not ok:
                self.tell(request.keeper, Leave(request.seq, request.name))

    def end_all(self) -> None:
        for request in list(self.requests.values()):
            self.leave(request)

    # What the nodes say.

    def receive(self, frame: Any) -> None:
        kind = type(frame)
        if kind is Granted:
            request = self.requests.get(frame.seq)
            if request is not None and request.state == ASKED:
                if request.keeper != self.here and not self.is_sure(request, frame):
                    return
                request.state = HELD
                request.place, request.slot, request.fence = frame.place, frame.slot, frame.fence
                request.switch, request.old = frame.setup, frame.old
                if request.wake is not None:
                    request.wake()
        elif kind is Gone:
            request = self.requests.pop(frame.seq, None)
            if request is not None:
                request.state = OVER
        elif kind is Refused:
            if frame.cause == UNAVAILABLE:
                if not self.asks_again(frame.seq):
                    self.give_up(frame.seq, Unavailable(frame.said))
                return
            error = BY_CAUSE.get(frame.cause, IsRefused)
            self.fail(frame.seq, error(frame.said))
        elif kind is Lost:
            self.on_lost(frame.seq, frame.said)
        elif kind is Recall:
            self.recalled(frame.seq, frame.said)
        elif kind is Unseen:
            question = self.questions.pop(frame.ref, None)
            if question is not None:
                question.answer(BY_CAUSE.get(frame.cause, IsRefused)(frame.said))
        elif kind is Seen:
            question = self.questions.pop(frame.ref, None)
            if question is not None:
                question.answer(frame.what)

    def is_sure(self, request: Request, granted: Any) -> bool:
        """Whether what was granted cannot have been given to others since."""
        epoch = granted.fence >> FENCE_BITS
        lease = self.leases[request.keeper]
        if epoch < lease.epoch:
            return False  # the word of a process that is dead; the new one is asked
        self.renewed(request.keeper, request.sent_at, epoch)
        if request.term == lease.term:
            return True
        older = Request(self, request.name, request.groups, request.settings)
        older.seq, older.keeper = request.seq, request.keeper
        self.ask(request)
        self.take_back(older)
        return False

    def asks_again(self, seq: int) -> bool:
        """What cannot be reached now may be in a moment."""
        request = self.requests.get(seq)
        if request is None or request.state != ASKED or request.at_once:
            return False
        if self.now() - request.first_at >= self.patience:
            return False

        def again() -> None:
            if request.state == ASKED and request.seq == seq:
                # Under its old number: an earlier copy of it may have got through.
                self.tell(request.keeper, self.said(request))

        self.later(AGAIN_S, again)
        return True

    def fail(self, seq: int, error: GroupLockError) -> None:
        request = self.requests.pop(seq, None)
        if request is not None and request.state != OVER:
            waits = request.state == ASKED
            request.state, request.error = OVER, error
            if waits and request.wake is not None:
                request.wake()

    def give_up(self, seq: int, error: GroupLockError) -> None:
        """Nobody knows what became of it: it is taken back, until its keeper has said so."""
        request = self.requests.get(seq)
        if request is not None and request.state == ASKED:
            self.fail(seq, error)
            self.take_back(request)

    def take_back(self, request: Request) -> None:
        """It is over for whoever had it, and its keeper may not know: said until answered."""
        request.state = LEAVING
        self.requests[request.seq] = request
        self.tell(request.keeper, Leave(request.seq, request.name))

    def on_lost(self, seq: int, said: str) -> None:
        request = self.requests.pop(seq, None)
        if request is None:
            return
        if request.state == ASKED:
            self.ask(request)  # it has lost its place in the queue and nothing else
        elif request.state == HELD:
            self.lose(request, said)
        else:
            request.state = OVER

    def lose(self, request: Request, said: str) -> None:
        request.state = OVER
        request.error = error = LockLost(
            f"{said}; stop what you do with it, and take the lock anew to go on"
        )
        if request.owner is not None:
            self.disown(request)
            request.has_ended(error)

    def recalled(self, seq: int, said: str) -> None:
        """Whoever holds it is told as if it were lost; it is ours until it is given back."""
        request = self.requests.get(seq)
        if request is not None and request.state == HELD and request.error is None:
            request.error = error = LockLost(f"{said}; stop what you do with it")
            if request.owner is not None:
                request.has_ended(error)

    # Leases.

    def lease_with(self, keeper: int) -> Lease:
        lease = self.leases.get(keeper)
        if lease is None:
            lease = self.leases[keeper] = Lease()
        return lease

    def term_for(self, keeper: int, now: float) -> int:
        """For what is asked for now."""
        lease = self.lease_with(keeper)
        if now >= lease.unbroken_until:
            lease.term += 1
            lease.unbroken_until = now + DRIFT * self.lease
        return lease.term

    def renewed(self, keeper: int, sent_at: float, epoch: int) -> None:
        """The keeper, in this epoch of its own, has answered what we said then."""
        lease = self.lease_with(keeper)
        if epoch < lease.epoch:
            return
        if self.now() >= lease.unbroken_until or (lease.epoch and epoch > lease.epoch):
            lease.term += 1
            lease.unbroken_until = lease.end = 0.0
        lease.epoch = epoch
        end = sent_at + DRIFT * self.lease
        lease.end = max(lease.end, end)
        lease.unbroken_until = max(lease.unbroken_until, end)

    def believes(self, request: Request) -> bool:
        """Whether the hold is ours at this very moment, by the clock and not by what was told."""
        if request.state != HELD:
            return False
        return request.keeper == self.here or self.now() < self.ends(request)

    def ends(self, request: Request) -> float:
        """When its lease does, as far as we know."""
        lease = self.leases.get(request.keeper)
        return 0.0 if lease is None or lease.term != request.term else lease.end

    def left(self, request: Request) -> float:
        """For how long the hold is ours, whatever happens to the nodes."""
        if request.state == HELD and request.keeper == self.here:
            return self.lease
        return self.ends(request) - self.now()

    def in_use(self) -> list[int]:
        """Keepers with requests of ours, but the one that needs no renewal.  Any thread asks."""
        return [k for k in {r.keeper: 0 for r in list(self.requests.values())} if k != self.here]

    def asks(self, keeper: int) -> bool:
        return any([question.keeper == keeper for question in self.questions.values()])

    def warns_at(self, keeper: int) -> float:
        """When whoever holds something of this keeper has to be told that it is about to end."""
        return self.lease_with(keeper).end - WARNING * self.lease

    def next_beat(self, parts: int) -> float:
        """In how many seconds the renewals are looked at again."""
        wait = self.lease / parts
        now = self.now()
        for keeper in self.in_use():
            if self.warns_at(keeper) > now:
                wait = min(wait, self.warns_at(keeper) - now)
        return max(wait, 0.001)

    def about_to_lapse(self, keeper: int) -> bool:
        """Whether somebody who holds something there has to be told so.  Any thread asks."""
        if self.now() >= self.warns_at(keeper):
            return True
        term = self.lease_with(keeper).term
        held = [r for r in list(self.requests.values()) if r.keeper == keeper and r.state == HELD]
        return any([r.term != term for r in held])

    def lapse(self, keeper: int) -> None:
        """No renewal was answered in time: who holds is told before the lease is over."""
        term, over = self.lease_with(keeper).term, self.now() >= self.warns_at(keeper)
        for request in list(self.requests.values()):
            if request.keeper != keeper or request.state != HELD:
                continue
            if over or request.term != term:
                said = f"lock '{request.name}': its node has not answered for most of a lease"
                self.lose(request, said)
                self.take_back(request)

    # Connections.

    def again(self, keeper: int) -> list[Any]:
        """What a new connection has to say first: where each request stands, oldest first."""
        now = self.now()
        said: list[Any] = []
        term = self.term_for(keeper, now)
        for request in list(self.requests.values()):
            if request.keeper != keeper:
                continue
            if request.state == HELD and not self.believes(request):
                self.lose(
                    request, f"lock '{request.name}': its lease ended while its node was away"
                )
                request.state = LEAVING
            if request.state == ASKED:
                request.sent_at, request.term = now, term
            if request.was_ready and request.state == HELD:
                said.append(Ready(request.seq, request.name, True))
            said.append(self.said(request))
        said += [q.frame for q in self.questions.values() if q.keeper == keeper]
        return said

    def moved(self) -> None:
        """Other homes: what waits asks there."""
        for request in list(self.requests.values()):
            home = self.keeper_of(request.name)
            if home != request.keeper and request.state == ASKED:
                del self.requests[request.seq]
                self.ask(request)

    def unreachable(self, keeper: int, why: str) -> None:
        for request in list(self.requests.values()):
            if request.keeper == keeper and request.state == ASKED:
                self.give_up(request.seq, Unavailable(f"lock '{request.name}': {why}"))
        for ref, question in list(self.questions.items()):
            if question.keeper == keeper:
                del self.questions[ref]
                question.answer(Unavailable(why))
