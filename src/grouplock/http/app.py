"""What is answered at which path.  Each handler is one line of docs/service/http.md's table."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Final

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from grouplock.client.errors import GroupLockError
from grouplock.http.faults import NOTHING, RECALLED, HttpFault, of_client, refused
from grouplock.http.holds import IS_HELD, IS_OVER, WAITING, Holds, HttpHold
from grouplock.http.metrics import CONTENT_TYPE, Metrics
from grouplock.http.openapi import description
from grouplock.http.reading import body_of, json, one_of, wait_of
from grouplock.http.shapes import Ended, Forced, Health, Renewal, Wanted
from grouplock.net import clock
from grouplock.net.daemon import Host
from grouplock.service.limits import FORBIDDEN
from grouplock.service.rights import FORCE, HOLD, INSPECT, Rights
from grouplock.service.service import LockService

Handler = Callable[["Edge", Request, Rights | None], Awaitable[Response]]
BEARER: Final = "bearer "
ANSWERED_S: Final = 10.0  # another node says at once whether it is free, if it can be reached


class Edge:
    """The node, as those who speak HTTP see it."""

    def __init__(self, host: Host) -> None:
        daemon = host.daemon
        assert isinstance(daemon, LockService)
        self.host: Final = host
        self.daemon: Final = daemon
        self.patience: Final = host.manners.hello_within_s
        self.holds: Final = Holds(host, daemon.lease)
        self.metrics: Final = Metrics(host, daemon, self.holds)
        self.app: Final = Starlette(
            routes=[self.route(path) for path in dict.fromkeys([path for _, path, _ in ROUTES])],
            exception_handlers={HTTPException: unrouted, Exception: our_fault},
        )

    def route(self, path: str) -> Route:
        """All methods of a path in one, so that a refused one is told all that there are."""
        handlers = {method: handler for method, at, handler in ROUTES if at == path}
        return Route(path, self.answering(handlers), methods=list(handlers))

    def answering(
        self, handlers: dict[str, Handler]
    ) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        async def answer(request: Request) -> Response:
            handler = handlers["GET" if request.method == "HEAD" else request.method]
            try:
                rights = None if handler in OPEN else self.rights_of(request)
                return await handler(self, request, rights)
            except HttpFault as fault:
                return json(fault.body, fault.status, WHO if fault.status == 401 else None)
            except GroupLockError as error:
                said = of_client(error)
                return json(said.body, said.status)

        return answer

    # Who asks.

    def rights_of(self, request: Request) -> Rights | None:
        """None: everything is allowed to everybody."""
        tokens = self.daemon.tokens
        if tokens is None:
            return None
        said = request.headers.get("authorization", "")
        rights = tokens.of(said[len(BEARER) :].strip()) if is_bearer(said) else None
        if rights is None:
            raise HttpFault(
                401,
                "no-token",
                "this node wants a token, and does not know the one that was given, if any",
                NOTHING,
                "send `Authorization: Bearer TOKEN` with a token of the node's configuration",
            )
        return rights

    def holds_up(self, now: float) -> str:
        """What keeps the node from granting; empty: nothing."""
        if now < self.daemon.grants_from:
            return (
                "holds from before this node's last crash may be believed in until a lease is over"
            )
        return ""


def is_bearer(said: str) -> bool:
    return said[: len(BEARER)].lower() == BEARER


def allow(rights: Rights | None, right: str, name: str) -> None:
    if rights is not None and not rights.allow(right, name):
        said = f"the token does not allow to {right} lock '{name:.200}'"
        raise refused(FORBIDDEN, said)


# Holds.


async def take(edge: Edge, request: Request, rights: Rights | None) -> Response:
    wanted = await body_of(request, Wanted, edge.patience)
    allow(rights, HOLD, wanted.lock)
    began = clock.now()
    hold = edge.holds.take(wanted, rights)
    wait = ANSWERED_S if wanted.at_once else wanted.wait
    if wait and hold.standing == WAITING:
        there = await stays(request, waiting(edge.holds, hold, WAITING, wait))
        if not there:
            edge.holds.give_back(hold)  # nobody will ever know its token
    if hold.standing == IS_OVER:
        raise edge.holds.why_over(hold)
    where = {"location": f"/v1/holds/{hold.token}"}
    status = 201 if hold.standing == IS_HELD else 202
    return json(hold.shown(clock.now() - began), status, where)


async def waiting(holds: Holds, hold: HttpHold, known: str, wait: float) -> None:
    async with holds.asked(hold):
        await holds.change(hold, known, wait)


async def stays(request: Request, work: Coroutine[Any, Any, None]) -> bool:
    """Does the work; False: who asked has hung up meanwhile."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(hung_up(request))
    try:
        await asyncio.wait([task, gone], return_when=asyncio.FIRST_COMPLETED)
        return task.done()
    finally:
        for one in (task, gone):
            one.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await one


async def hung_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def stands(edge: Edge, request: Request, rights: Rights | None) -> Response:
    wait = wait_of(request)
    known = one_of(request, "state", (WAITING, IS_HELD, RECALLED), WAITING)
    hold = edge.holds.find(request.path_params["token"], rights)
    began = clock.now()
    async with edge.holds.asked(hold):
        if wait and hold.standing == known:
            await stays(request, edge.holds.change(hold, known, wait))
    if hold.standing == IS_OVER:
        raise edge.holds.why_over(hold)
    return json(hold.shown(clock.now() - began))


async def renew(edge: Edge, request: Request, rights: Rights | None) -> Response:
    told = await body_of(request, Renewal, edge.patience, Renewal())
    hold = edge.holds.find(request.path_params["token"], rights)
    edge.holds.renew(hold, told.ttl)
    return json(hold.shown(0.0))


async def give_back(edge: Edge, request: Request, rights: Rights | None) -> Response:
    hold = edge.holds.find(request.path_params["token"], rights)
    edge.holds.give_back(hold)
    return json(hold.shown(0.0))


# Looking, and ending what others hold.


async def locks(edge: Edge, request: Request, rights: Rights | None) -> Response:
    seen = await edge.holds.inside.inspect()
    return json([s for s in seen if rights is None or rights.allow(INSPECT, s["lock"])])


async def lock(edge: Edge, request: Request, rights: Rights | None) -> Response:
    name = request.path_params["name"]
    allow(rights, INSPECT, name)
    inside = edge.holds.inside
    seen = await inside.look(inside.keeper_of(name), name)
    if not seen:
        said = f"lock '{name:.200}' is not in use"
        raise HttpFault(404, "not-in-use", said, NOTHING, "take it, and it is")
    return json(seen[0])


async def force(edge: Edge, request: Request, rights: Rights | None) -> Response:
    wanted = await body_of(request, Forced, edge.patience)
    allow(rights, FORCE, wanted.lock)
    hold = int(wanted.hold)
    if hold >= 1 << 62 or not await edge.holds.inside.force(wanted.lock, hold, now=wanted.now):
        said = f"lock '{wanted.lock}' has no hold {wanted.hold}"
        do = "GET /v1/locks/NAME has the numbers of its holds"
        raise HttpFault(404, "no-such-hold", said, NOTHING, do)
    return json(Ended(wanted.lock, wanted.hold, wanted.now))


# For whoever watches the node.


async def healthz(edge: Edge, request: Request, rights: Rights | None) -> Response:
    """The process is there, and its loop turns."""
    return json(Health(True, edge.metrics.name, edge.daemon.keeper.epoch))


async def readyz(edge: Edge, request: Request, rights: Rights | None) -> Response:
    """It grants."""
    why = edge.holds_up(clock.now())
    if not why:
        return json(Health(True, edge.metrics.name, edge.daemon.keeper.epoch))
    fault = HttpFault(503, "not-yet", why, "requests wait and are granted then", "wait for a lease")
    return json(Health(False, edge.metrics.name, edge.daemon.keeper.epoch, fault.fault), 503)


async def metrics(edge: Edge, request: Request, rights: Rights | None) -> Response:
    return Response(edge.metrics.text(rights), media_type=CONTENT_TYPE)


async def openapi(edge: Edge, request: Request, rights: Rights | None) -> Response:
    return json(description(edge.daemon.tokens is not None, edge.daemon.lease))


async def unrouted(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    cause = {404: "no-such-path", 405: "no-such-method"}.get(error.status_code, "bad-request")
    said = f"{request.method} {request.url.path:.200}: {error.detail}"
    fault = HttpFault(
        error.status_code, cause, said, NOTHING, "see /openapi.json for what there is"
    )
    return json(fault.body, fault.status, dict(error.headers or {}))


async def our_fault(request: Request, error: Exception) -> Response:
    """Told as any other of the loop's: a traceback, without what was sent; where a table may be
    wrong, `grouplock serve` ends."""
    told = {"message": "a bug in what is spoken over HTTP", "exception": error}
    asyncio.get_running_loop().call_exception_handler(told)
    said = f"the node failed at {request.method} {request.url.path:.40}"
    now = "not known: look before you go on as if it had happened, or had not"
    fault = HttpFault(500, "internal", said, now, "report it, with the node's standard error")
    return json(fault.body, fault.status)


WHO: Final = {"www-authenticate": "Bearer"}
OPEN: Final = (healthz, readyz, openapi)  # to everybody
ROUTES: Final[list[tuple[str, str, Handler]]] = [
    ("POST", "/v1/holds", take),
    ("GET", "/v1/holds/{token}", stands),
    ("POST", "/v1/holds/{token}/renew", renew),
    ("DELETE", "/v1/holds/{token}", give_back),
    ("GET", "/v1/locks", locks),
    ("GET", "/v1/locks/{name:path}", lock),
    ("POST", "/v1/force", force),
    ("GET", "/healthz", healthz),
    ("GET", "/readyz", readyz),
    ("GET", "/metrics", metrics),
    ("GET", "/openapi.json", openapi),
]
