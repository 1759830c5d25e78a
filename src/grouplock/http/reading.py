"""Bytes become what is wanted; what cannot be read is the sender's fault, and that is said."""

from __future__ import annotations

import asyncio
import math
from typing import Any, Final, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from grouplock.http.faults import NOTHING, HttpFault, bad_request
from grouplock.http.shapes import LONGEST_WAIT_S

BODY_LIMIT: Final = 64 * 1024
T = TypeVar("T")
_encode: Final = msgspec.json.Encoder().encode


async def body_of(request: Request, shape: type[T], within: float, empty: T | None = None) -> T:
    """`empty`: what no body at all means."""
    body = b""
    try:
        async with asyncio.timeout(within):
            async for piece in request.stream():
                body += piece
                if len(body) > BODY_LIMIT:
                    raise HttpFault(
                        413, "too-large", f"the body has more than {BODY_LIMIT} bytes", NOTHING,
                        "say less in one request",
                    )  # fmt: skip
    except TimeoutError as e:
        said = f"the body has not come within {within:g} s"
        raise HttpFault(408, "too-slow", said, NOTHING, "send it at once") from e
    except ClientDisconnect as e:
        raise bad_request("the connection was closed within the body") from e
    if not body and empty is not None:
        return empty
    try:
        return msgspec.json.decode(body, type=shape)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as e:
        raise bad_request(f"the body: {e}") from e


def wait_of(request: Request) -> float:
    said = request.query_params.get("wait", "0")
    try:
        wait = float(said)
    except ValueError:
        wait = math.nan
    if not 0 <= wait <= LONGEST_WAIT_S:
        raise bad_request(f"wait is a number of seconds from 0 to {LONGEST_WAIT_S:g}")
    return wait


def one_of(request: Request, key: str, values: tuple[str, ...], default: str) -> str:
    said = request.query_params.get(key, default)
    if said not in values:
        raise bad_request(f"{key} is one of {', '.join(values)}")
    return said


def json(what: Any, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return Response(_encode(what), status, headers, "application/json")
