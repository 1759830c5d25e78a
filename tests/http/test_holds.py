"""Holds over HTTP: what a program in another language may rely on."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator

import pytest

from tests.http.nodes import Served, serving

LEASE_S = 10.0


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("node"), "--lease", str(LEASE_S)) as served:
        yield served


def at(token: str) -> str:
    return f"/v1/holds/{token}"


def test_held_renewed_given_back_and_again(node: Served) -> None:
    taken = node.take("simple", "a")
    assert taken.status == 201
    assert taken.headers["location"] == at(taken.body["token"])
    assert taken.body["group"] == "a"
    assert isinstance(taken.body["fence"], str)
    assert 0 < taken.body["expires_in"] <= LEASE_S
    renewed = node.post(at(taken.body["token"]) + "/renew", {"ttl": 3})
    assert renewed.status == 200
    assert renewed.body["fence"] == taken.body["fence"]
    assert renewed.body["expires_in"] <= 3
    assert node.delete(at(taken.body["token"])).body["cause"] == "given-back"
    assert node.delete(at(taken.body["token"])).status == 200
    assert node.post(at(taken.body["token"]) + "/renew").cause == "given-back"


def test_several_groups_and_slots(node: Served) -> None:
    first = node.take("jukebox", "a", slots=2)
    second = node.take("jukebox", "b", slots=2)
    assert {first.body["slot"], second.body["slot"]} == {0, 1}
    third = node.post("/v1/holds", {"lock": "jukebox", "groups": ["c", "b"]})
    assert third.body["group"] == "b"
    assert third.body["fence"] == second.body["fence"]
    waits = node.take("jukebox", "c")
    assert (waits.status, waits.body["state"]) == (202, "waiting")
    for answer in (first, second, third, waits):
        node.delete(at(answer.body["token"]))


def test_what_waits_is_granted_when_its_turn_comes(node: Served) -> None:
    first = node.take("queue", "a")
    second = node.take("queue", "b")
    assert node.get(at(second.body["token"])).body["state"] == "waiting"
    node.delete(at(first.body["token"]))
    granted = node.get(at(second.body["token"]) + "?wait=20")
    assert granted.body["state"] == "held"
    assert int(granted.body["fence"]) > int(first.body["fence"])
    node.delete(at(second.body["token"]))


def test_a_hold_ends_with_its_ttl_and_the_next_has_a_higher_fence(node: Served) -> None:
    first = node.take("brief", "a", ttl=1)
    second = node.take("brief", "b", wait=20)
    assert second.status == 201
    assert second.body["waited"] > 0
    assert int(second.body["fence"]) > int(first.body["fence"])
    ended = node.get(at(first.body["token"]))
    assert (ended.status, ended.cause) == (410, "expired")
    assert node.post(at(first.body["token"]) + "/renew").status == 410
    assert node.delete(at(first.body["token"])).body["cause"] == "expired"
    node.delete(at(second.body["token"]))


def test_what_nobody_asks_for_leaves_the_queue(node: Served) -> None:
    held = node.take("forgotten", "a")
    waits = node.take("forgotten", "b", ttl=1)
    while node.get("/v1/locks/forgotten").body["queue"]:
        node.post(at(held.body["token"]) + "/renew")
    ended = node.get(at(waits.body["token"]))
    assert (ended.status, ended.cause) == (410, "not-asked-for")
    node.delete(at(held.body["token"]))


def test_who_hangs_up_within_the_question_leaves_nothing(node: Served) -> None:
    held = node.take("gone", "a")
    body = json.dumps({"lock": "gone", "groups": ["b"], "wait": 60}).encode()
    with socket.create_connection(("127.0.0.1", node.port)) as caller:
        head = f"POST /v1/holds HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        caller.sendall(head.encode() + body)
        while not node.get("/v1/locks/gone").body["queue"]:
            node.post(at(held.body["token"]) + "/renew")
    while node.get("/v1/locks/gone").body["queue"]:
        node.post(at(held.body["token"]) + "/renew")
    assert node.delete(at(held.body["token"])).body["cause"] == "given-back"


def test_an_operator_ends_a_hold_and_its_holder_hears_at_once(node: Served) -> None:
    taken = node.take("forced", "a")
    hold = node.get("/v1/locks/forced").body["sessions"][0]["holders"][0]["hold"]
    assert node.post("/v1/force", {"lock": "forced", "hold": "7"}).cause == "no-such-hold"
    assert node.post("/v1/force", {"lock": "forced", "hold": hold}).body["now"] is False
    heard = node.get(at(taken.body["token"]) + "?wait=20&state=held")
    assert (heard.body["state"], heard.body["cause"]) == ("recalled", "recalled")
    assert heard.body["fence"] == taken.body["fence"]
    assert 0 < heard.body["expires_in"] <= LEASE_S
    refused = node.post(at(taken.body["token"]) + "/renew")
    assert (refused.status, refused.cause) == (409, "recalled")
    assert node.take("forced", "b", at_once=True).cause == "busy"
    assert node.post("/v1/force", {"lock": "forced", "hold": hold, "now": True}).status == 200
    heard = node.get(at(taken.body["token"]) + "?wait=20&state=recalled")
    assert (heard.status, heard.cause) == (410, "forced")
    again = node.take("forced", "b")
    assert int(again.body["fence"]) > int(taken.body["fence"])
    node.delete(at(again.body["token"]))


def test_what_is_in_use_is_listed(node: Served) -> None:
    taken = node.take("team/a b", "ä")
    assert "team/a b" in [lock["lock"] for lock in node.get("/v1/locks").body]
    seen = node.get("/v1/locks/team/a%20b")
    assert seen.body["sessions"][0]["group"] == "ä"
    node.delete(at(taken.body["token"]))
    assert node.get("/v1/locks/nobody").cause == "not-in-use"


REFUSED = [
    ({"lock": "x", "groups": []}, 400, "bad-request"),
    ({"lock": "x"}, 400, "bad-request"),
    ({"lock": "x", "groups": ["a", "a"]}, 400, "bad-name"),
    ({"lock": "x", "groups": ["a"], "surprise": 1}, 400, "bad-request"),
    ({"lock": "x", "groups": ["a"], "ttl": 11}, 400, "bad-ttl"),
    ({"lock": "x", "groups": ["a"], "ttl": 0.5}, 400, "bad-request"),
    ({"lock": "x", "groups": ["a"], "wait": 61}, 400, "bad-request"),
    ({"lock": "x" * 201, "groups": ["a"]}, 400, "bad-request"),
    ({"lock": "x", "groups": ["a"], "policy": "mine"}, 400, "bad-request"),
    (b"", 400, "bad-request"),
    (b"\xff\xfe", 400, "bad-request"),
    (b"[" * 20_000, 400, "bad-request"),
    (b" " * 65_537, 413, "too-large"),
]


@pytest.mark.parametrize(("body", "status", "cause"), REFUSED)
def test_what_cannot_be(node: Served, body: object, status: int, cause: str) -> None:
    answer = node.post("/v1/holds", body)
    assert (answer.status, answer.cause) == (status, cause)
    assert all([answer.body["error"][key] for key in ("what", "now", "do")])
    assert node.get("/v1/locks/x").cause == "not-in-use"


@pytest.mark.parametrize("query", ["wait=x", "wait=nan", "wait=-1", "wait=61", "state=over"])
def test_a_question_that_is_none(node: Served, query: str) -> None:
    assert node.get(at("t") + "?" + query).cause == "bad-request"


def test_busy_and_other_settings(node: Served) -> None:
    taken = node.take("busy", "a", slots=1)
    assert node.take("busy", "b", at_once=True).cause == "busy"
    mismatch = node.take("busy", "a", slots=2)
    assert (mismatch.status, mismatch.cause) == (409, "config-mismatch")
    assert node.get("/v1/locks/busy").body["queue"] == []
    node.delete(at(taken.body["token"]))


def test_what_is_not_there(node: Served) -> None:
    assert node.get(at("unknown")).cause == "unknown-hold"
    assert node.get("/v2").cause == "no-such-path"
    assert node.ask("PUT", "/v1/holds").cause == "no-such-method"
    allowed = node.ask("PUT", at("unknown")).headers["allow"]
    assert set(allowed.split(", ")) == {"GET", "HEAD", "DELETE"}
