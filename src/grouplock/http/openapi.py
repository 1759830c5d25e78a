"""The description of what is spoken, made of the same declarations that read and print it."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from grouplock import __version__
from grouplock.http.shapes import (
    LONGEST_WAIT_S,
    Ended,
    Failure,
    Forced,
    Health,
    Listed,
    Renewal,
    Standing,
    Wanted,
)

JSON: Final = "application/json"
SHAPES: Final = (Wanted, Renewal, Forced, Standing, Ended, Failure, Health, Listed)
TOKEN: Final = {
    "name": "token", "in": "path", "required": True, "schema": {"type": "string"},
    "description": "as the answer to the POST has it",
}  # fmt: skip
WAIT: Final = {
    "name": "wait", "in": "query", "schema": {"type": "number", "minimum": 0,
    "maximum": LONGEST_WAIT_S}, "description": "answer when it stands otherwise, or after so long",
}  # fmt: skip
STATE: Final = {
    "name": "state", "in": "query", "description": "as the caller knows it", "schema":
    {"type": "string", "enum": ["waiting", "held", "recalled"], "default": "waiting"},
}  # fmt: skip
NAME: Final = {
    "name": "name", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1},
}  # fmt: skip
REASONS: Final = {
    400: "cannot be read, or is not possible", 401: "a token is wanted", 403: "not allowed",
    404: "there is none", 408: "the body came too slowly", 409: "busy, or used with other settings",
    410: "the hold has ended", 413: "too large", 429: "a limit", 503: "not now",
}  # fmt: skip


def description(with_tokens: bool, lease: float) -> dict[str, Any]:
    _, schemas = msgspec.json.schema_components(SHAPES, ref_template="#/components/schemas/{name}")
    for shape in (Wanted, Renewal):
        [ttl, _] = schemas[shape.__name__]["properties"]["ttl"]["anyOf"]
        ttl["maximum"] = lease
    hold = "/v1/holds/{token}"
    paths = {
        "/v1/holds": {
            "post": does(
                "takeHold", "Take a hold, or a place in the queue.", Wanted,
                {201: ("it is held", Standing), 202: ("it waits", Standing)},
                (400, 401, 403, 408, 409, 413, 429, 503),
            )
        },
        hold: {
            "parameters": [TOKEN],
            "get": does(
                "getHold", "Where it stands; with `wait`, once that has changed.", None,
                {200: ("it waits, or is held", Standing)},
                (400, 401, 403, 404, 409, 410, 429, 503), [WAIT, STATE],
            ),
            "delete": does(
                "releaseHold", "Give it back, or withdraw it; again does nothing.", None,
                {200: ("it is over, and why", Standing)}, (400, 401, 404),
            ),
        },
        hold + "/renew": {
            "parameters": [TOKEN],
            "post": does(
                "renewHold", "It goes on for a ttl from now.", Renewal,
                {200: ("it goes on", Standing)},
                (400, 401, 403, 404, 408, 409, 410, 413, 429, 503),
            ),
        },
        "/v1/locks": {
            "get": does(
                "listLocks", "The locks that are in use, of all nodes.", None,
                {200: ("those that the token may see", list[Listed])}, (400, 401, 503),
            )
        },
        "/v1/locks/{name}": {
            "parameters": [NAME],
            "get": does(
                "getLock", "Its sessions, holders and queue.", None, {200: ("in use", Listed)},
                (400, 401, 403, 404, 503),
            ),
        },
        "/v1/force": {
            "post": does(
                "forceHold", "End somebody's hold or request.", Forced,
                {200: ("its holder is told", Ended)}, (400, 401, 403, 404, 408, 413, 503),
            )
        },
        "/healthz": {"get": does("health", "It lives.", None, {200: ("yes", Health)}, ())},
        "/readyz": {
            "get": does(
                "ready", "It grants.", None, {200: ("yes", Health), 503: ("not yet", Health)}, ()
            )
        },
        "/metrics": {"get": plain("metrics", "For Prometheus.", "text/plain")},
        "/openapi.json": {"get": plain("description", "This.", JSON)},
    }  # fmt: skip
    made: dict[str, Any] = {
        "openapi": "3.1.0",
        "info": {"title": "grouplock", "version": __version__, "license": {"name": "Apache-2.0"}},
        "paths": paths,
        "components": {"schemas": schemas},
    }
    if with_tokens:
        made["components"]["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
        made["security"] = [{"token": []}]
    return made


def does(
    name: str,
    about: str,
    body: type | None,
    answers: dict[int, tuple[str, Any]],
    faults: tuple[int, ...],
    parameters: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    responses = {str(s): response(said, shape) for s, (said, shape) in answers.items()}
    responses |= {str(status): response(REASONS[status], Failure) for status in faults}
    made: dict[str, Any] = {"operationId": name, "summary": about, "responses": responses}
    if body is not None:
        made["requestBody"] = {"required": body is not Renewal, "content": content(body)}
    if parameters:
        made["parameters"] = parameters
    return made


def plain(name: str, about: str, kind: str) -> dict[str, Any]:
    answers = {"200": {"description": "as it is now", "content": {kind: {}}}}
    answers["401"] = response(REASONS[401], Failure)
    return {"operationId": name, "summary": about, "responses": answers}


def response(said: str, shape: Any) -> dict[str, Any]:
    return {"description": said, "content": content(shape)}


def content(shape: Any) -> dict[str, Any]:
    if shape == list[Listed]:
        return {JSON: {"schema": {"type": "array", "items": reference(Listed)}}}
    return {JSON: {"schema": reference(shape)}}


def reference(shape: type) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{shape.__name__}"}
