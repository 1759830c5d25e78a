"""The world around one site, as a value: its clients' requests, its timers, its disk.

It says which inputs may come next, and what an input and its effects make of it; an effect that
no algorithm may have, such as a grant that nobody waits for, is an answer in words.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from grouplock.check.perform import Input
from grouplock.check.scope import EXPIRE, FORCE, OVERLAP, SETUP_FAILS, WITHDRAW, Scope
from grouplock.protocol.effects import (
    CANCEL_TIMER,
    ENDED,
    GRANTED,
    LOST,
    PERSIST,
    REPORT,
    SEND,
    TIMER,
    WITHDRAWN,
    Effect,
)
from grouplock.protocol.groups import NO_SETUP, Groups
from grouplock.protocol.system import CANCEL, LEASES, RECORDS, SETUP, TIMERS, VIEWS, System
from grouplock.protocol.view import Ghost

WAITING: Final = 0
PREPARING: Final = 1  # inside, the setup is not answered yet
INSIDE: Final = 2
WITHDRAWING: Final = 3  # `withdrawn` is not here yet
FORCED: Final = 4  # still inside; `lost` is not here yet
EXPIRED: Final = 5  # no more inside; `lost` is not here yet

HELD: Final = (PREPARING, INSIDE, FORCED)
UNANSWERED: Final = (WAITING, WITHDRAWING, FORCED, EXPIRED)

EFFECT_NEEDS: Final = {
    WITHDRAWN: CANCEL,
    LOST: LEASES,
    REPORT: VIEWS,
    TIMER: TIMERS,
    CANCEL_TIMER: TIMERS,
    PERSIST: RECORDS,
}


class Call(NamedTuple):
    """A request that is not over; what does not matter any more is not kept."""

    rid: int
    phase: int
    groups: Groups = ()  # while it waits for entry
    group: int = -1  # while it is inside
    slot: int = 0
    session: int = 0


class Clients(NamedTuple):
    made: int = 0  # requests so far
    calls: tuple[Call, ...] = ()
    timers: tuple[int, ...] = ()
    unwritten: tuple[Any, ...] = ()  # records that the disk has not answered
    disk: tuple[Any, ...] = ()


class Broken(Exception):
    """An effect against the contract; the message says which."""


def rid_of(site: int, sequence: int) -> int:
    """The request's id: one client lives at each site and has the site's number."""
    return site << 32 | sequence


def place_of(rid: int) -> tuple[int, int]:
    """Site and sequence of a request, from 1."""
    return rid >> 32, rid & 0xFFFFFFFF


def inputs(me: int, clients: Clients, scope: Scope) -> list[Input]:
    """What may come next beside messages and faults."""
    found: list[Input] = []
    if clients.made < scope.requests and (not clients.calls or OVERLAP in scope.events):
        rid = rid_of(me, clients.made + 1)
        found += [("request", rid, groups) for groups in scope.choices()]
    for call in clients.calls:
        if call.phase == INSIDE:
            found.append(("release", call.rid))
            if EXPIRE in scope.events:
                found.append(("expire", call.rid))
            if FORCE in scope.events:
                found.append(("force", call.rid))
        if call.phase in (WAITING, INSIDE) and WITHDRAW in scope.events:
            found.append(("withdraw", call.rid))
        if call.phase == PREPARING:
            found.append(("setup", call.session, True))
            if SETUP_FAILS in scope.events:
                found.append(("setup", call.session, False))
    found += [("timer", tag) for tag in clients.timers]
    if clients.unwritten:
        found.append(("persisted", clients.unwritten[0]))
    return found


def ghosts_of(me: int, clients: Clients) -> tuple[Ghost, ...]:
    """The holds of a site that crashes now."""
    return tuple(
        Ghost(me, c.rid, c.group, c.slot, c.session) for c in clients.calls if c.phase in HELD
    )


def is_duty(do: Input) -> bool:
    """Whether the input surely comes in the end; others may come or not."""
    return do[0] in ("release", "timer", "persisted", "deliver", "notice", "report", "view") or (
        do[0] == "setup" and bool(do[2])
    )


def after(
    system: System, me: int, clients: Clients, do: Input, effects: tuple[Effect, ...]
) -> Clients:
    """The clients after an input and its effects, or `Broken`."""
    clients = _given(clients, do)
    for effect in effects:
        clients = _did(system, me, clients, effect)
    return clients


def _given(clients: Clients, do: Input) -> Clients:
    kind = do[0]
    if kind == "request":
        call = Call(do[1], WAITING, do[2])
        return clients._replace(made=clients.made + 1, calls=(*clients.calls, call))
    if kind == "release":
        return _without(clients, do[1])
    if kind == "withdraw":
        return _put(clients, Call(do[1], WITHDRAWING))
    if kind == "expire":
        return _put(clients, Call(do[1], EXPIRED))
    if kind == "force":
        call = next(c for c in clients.calls if c.rid == do[1])
        return _put(clients, call._replace(phase=FORCED))
    if kind == "setup":
        call = next(c for c in clients.calls if c.phase == PREPARING and c.session == do[1])
        return _put(clients, call._replace(phase=INSIDE)) if do[2] else _without(clients, call.rid)
    if kind == "timer":
        return clients._replace(timers=tuple(t for t in clients.timers if t != do[1]))
    if kind == "persisted":
        return clients._replace(
            unwritten=clients.unwritten[1:], disk=(*clients.disk, clients.unwritten[0])
        )
    if kind == "restart":
        return Clients(made=clients.made, disk=do[1])
    return clients


def _did(system: System, me: int, clients: Clients, effect: Effect) -> Clients:
    kind = effect[0]
    needs = EFFECT_NEEDS.get(kind)
    if needs is not None and needs not in system.supports:
        raise Broken(f"'{kind}' without declaring '{needs}'")
    if kind == SEND:
        if not 0 <= effect[1] < system.n:
            raise Broken(f"a message to site {effect[1]} of {system.n}")
    elif kind == GRANTED:
        return _granted(system, clients, effect)
    elif kind == WITHDRAWN:
        _expect(clients, effect[1], (WITHDRAWING,), "withdrawn")
        return _without(clients, effect[1])
    elif kind == LOST:
        _expect(clients, effect[1], (FORCED, EXPIRED), "lost")
        return _without(clients, effect[1])
    elif kind == TIMER:
        return clients._replace(timers=tuple(sorted({*clients.timers, effect[1]})))
    elif kind == CANCEL_TIMER:
        return clients._replace(timers=tuple(t for t in clients.timers if t != effect[1]))
    elif kind == PERSIST:
        return clients._replace(unwritten=(*clients.unwritten, effect[1]))
    else:
        assert kind in (ENDED, REPORT), f"no effect is called {kind}"
    return clients


def _granted(system: System, clients: Clients, effect: Effect) -> Clients:
    _, rid, group, slot, session, setup = effect
    call = _expect(clients, rid, (WAITING,), "granted")
    if group not in call.groups:
        raise Broken(f"request {named(rid)} accepts {call.groups} and was granted group {group}")
    if not 0 <= slot < system.slots:
        raise Broken(f"request {named(rid)} was granted slot {slot} of {system.slots}")
    if setup != NO_SETUP and SETUP not in system.supports:
        raise Broken(f"request {named(rid)} got a setup to run without declaring '{SETUP}'")
    phase = INSIDE if setup == NO_SETUP else PREPARING
    fresh = Call(rid, phase, (), group, slot, session)
    return _put(clients, fresh)


def _expect(clients: Clients, rid: int, phases: tuple[int, ...], what: str) -> Call:
    for call in clients.calls:
        if call.rid == rid:
            if call.phase in phases:
                return call
            raise Broken(f"request {named(rid)} was {what} and did not wait for that")
    raise Broken(f"request {named(rid)} was {what} and is over or was never made")


def _put(clients: Clients, call: Call) -> Clients:
    """In the place of what was known of the same request."""
    calls = tuple(call if c.rid == call.rid else c for c in clients.calls)
    return clients._replace(calls=calls)


def _without(clients: Clients, rid: int) -> Clients:
    return clients._replace(calls=tuple(c for c in clients.calls if c.rid != rid))


def named(rid: int) -> str:
    """A request for a person: the second of site 1 is `1.2`."""
    site, sequence = place_of(rid)
    return f"{site}.{sequence}"
