"""Whatever is said over HTTP is answered: never by a 5xx, and nothing is left behind."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.client import HTTPException
from typing import Any, Final
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.http.nodes import Served, serving
from tests.net.processes import WITHIN_S

OFTEN: Final = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)

text = st.text(max_size=12) | st.sampled_from(["x", "a", "", "\ud7ff", "x" * 201, "a/b", "*"])
number = st.integers() | st.floats() | st.sampled_from([0, 1, 2, 1e9, -1, 1 << 62, 1 << 64])
anything = st.recursive(
    st.none() | st.booleans() | number | text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=8,
)
# Mostly what could be meant, so that much of it gets past the parser.
wanted = st.fixed_dictionaries(
    {"lock": st.sampled_from(["x", "y", "a/b"]) | text, "groups": st.lists(text, max_size=3)},
    optional={
        "ttl": st.floats(1, 10) | anything,
        "at_once": st.booleans() | anything,
        "slots": st.integers(0, 3) | anything,
        "policy": st.sampled_from(["priority", "fifo", "mine"]) | anything,
        "linger": st.floats(0, 1) | anything,
        "max_session": st.floats(0, 1) | anything,
        "max_wait": st.floats(0, 1e10) | anything,
        "more": anything,
    },
)
forced = st.fixed_dictionaries({"lock": text, "hold": st.from_regex(r"\A[0-9]{0,21}\Z") | text})
bodies = (wanted | forced | anything).map(json.dumps).map(str.encode) | st.binary(max_size=40)
METHODS: Final = ("GET", "POST", "DELETE", "PUT", "HEAD", "PATCH", "OPTIONS")
PATHS: Final = (
    "/v1/holds", "/v1/holds/{}", "/v1/holds/{}/renew", "/v1/locks", "/v1/locks/{}", "/v1/force",
    "/healthz", "/readyz", "/metrics", "/openapi.json", "/{}",
)  # fmt: skip
queries = st.just("") | st.builds("?wait={}&state={}".format, st.floats(0, 0.01), text.map(quote))


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("node")) as served:
        yield served
        left = served.get("/healthz")
        assert left.status == 200


def give_back(node: Served, answer: Any) -> None:
    if answer.status in (201, 202):
        assert node.delete(answer.headers["location"]).status == 200


@OFTEN
@given(wanted)
def test_any_wish_is_held_or_waits_or_is_refused(node: Served, wish: dict[str, Any]) -> None:
    answer = node.post("/v1/holds", json.dumps(wish).encode())
    assert answer.status in (201, 202, 400, 409)
    if answer.status >= 400:
        assert set(answer.body["error"]) == {"cause", "what", "now", "do"}
    give_back(node, answer)


@OFTEN
@given(st.sampled_from(METHODS), st.sampled_from(PATHS), text, queries, bodies)
def test_any_request_has_an_answer(
    node: Served, method: str, path: str, name: str, query: str, body: bytes
) -> None:
    answer = node.ask(method, path.format(quote(name, safe="")) + query, body)
    assert answer.status < 500
    give_back(node, answer)


@OFTEN
@given(st.binary(max_size=200), st.booleans())
def test_any_bytes_are_answered_or_hung_up_on(node: Served, said: bytes, ends: bool) -> None:
    begin = b"POST /v1/holds HTTP/1.1\r\nHost: x\r\n" if ends else b""
    with socket.create_connection(("127.0.0.1", node.port), timeout=WITHIN_S) as caller:
        try:
            caller.sendall(begin + said + b"\r\n\r\n")
            caller.shutdown(socket.SHUT_WR)
            answer = caller.recv(65_536)
        except (ConnectionError, HTTPException):
            return
    assert not answer.startswith(b"HTTP/1.1 5")


def test_after_all_of_that_nobody_holds_anything(node: Served) -> None:
    used = [lock for lock in node.get("/v1/locks").body if lock["sessions"] or lock["queue"]]
    assert used == []
