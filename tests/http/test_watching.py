"""For who watches a node: health, metrics, the description; and who may see what."""

from __future__ import annotations

import re
import signal
import ssl
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from grouplock.http.app import ROUTES
from grouplock.service.tally import SIZES, Tally
from tests.client.test_security import certificates
from tests.http.nodes import SPEAKS, Served, serving
from tests.net.processes import WITHIN_S, grouplock

TOKENS = """
[tokens.worker-7f3a]
"gpu/*" = "hold inspect"
"bench" = "hold"
[tokens.operator-91c2]
"*" = "inspect force"
"""
WORKER, OPERATOR = "worker-7f3a", "operator-91c2"


def figures(node: Served, token: str = "") -> dict[str, float]:
    """By name and labels, as Prometheus reads them."""
    answer = node.get("/metrics", token)
    assert answer.headers["content-type"].startswith("text/plain")
    return {
        ",".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(answer.body)
        for sample in family.samples
    }


def test_metrics_say_what_happens(tmp_path: Path) -> None:
    with serving(tmp_path) as node:
        held = [node.take("gpus", "a").body["token"] for _ in range(3)]
        waits = node.take("gpus", "b").body["token"]
        now = figures(node)
        assert now["lock_held,gpus"] == 3
        assert now["lock_waiting,gpus"] == 1
        assert now["lock_queue_age_seconds,gpus"] >= 0
        assert (now["grouplock_held"], now["grouplock_waiting"]) == (3, 1)
        assert now["lock_switches_total"] == 1
        assert now["lock_wait_seconds_count"] == 3
        assert now["grouplock_epoch"] == 1
        for token in held:
            node.delete(f"/v1/holds/{token}")
        assert node.get(f"/v1/holds/{waits}?wait=20").body["state"] == "held"
        now = figures(node)
        assert now["lock_switches_total"] == 2
        assert now["lock_session_size_sum"] == 3
        assert now["lock_session_size_bucket,2"] == 0
        assert now["lock_session_size_bucket,4"] == 1
        before = now["grouplock_messages_total,in"]
        subprocess.run(
            [sys.executable, "-c", ASKS, node.at], check=True, capture_output=True, text=True
        )
        assert figures(node)["grouplock_messages_total,in"] >= before + 3


ASKS = """
import asyncio, sys, grouplock
async def main():
    async with grouplock.connect(sys.argv[1]) as cluster:
        async with cluster.lock("other").hold("x"):
            pass
asyncio.run(main())
"""


def test_sessions_are_counted_when_they_are_over() -> None:
    tally = Tally()
    for session, entries in ((1, 3), (2, 1)):
        for _ in range(entries):
            tally.granted("x", 0, session, 0.01)
    tally.granted("x", 1, 3, 1e6)
    assert tally.sizes.sum == 3
    assert tally.waits.counts[-1] == 1
    tally.forgotten("x")
    assert (tally.sizes.sum, sum(tally.sizes.counts)) == (5, 3)
    assert len(tally.sizes.counts) == len(SIZES) + 1
    assert tally.switches == 3


def test_a_node_that_crashed_is_ready_when_its_holds_have_run_out(tmp_path: Path) -> None:
    told = ("--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"))
    with subprocess.Popen(grouplock("serve", *told), stdout=subprocess.PIPE, text=True) as crashes:
        assert crashes.stdout is not None
        assert "serving" in crashes.stdout.readline()
        crashes.kill()
        assert crashes.wait() == -signal.SIGKILL
    with serving(tmp_path, "--lease", "60") as node:
        assert node.get("/healthz").body == {"ok": True, "node": "here", "epoch": 2}
        not_yet = node.get("/readyz")
        assert (not_yet.status, not_yet.cause) == (503, "not-yet")
        assert node.take("x", "a").body["state"] == "waiting"
    with serving(tmp_path / "other") as node:
        assert node.get("/readyz").status == 200


def test_a_token_allows_what_its_patterns_say(tmp_path: Path) -> None:
    (tmp_path / "node.toml").write_text(TOKENS)
    with serving(tmp_path, "--config", str(tmp_path / "node.toml")) as node:
        for path in ("/v1/locks", "/v1/locks/x", "/metrics", "/v1/holds/x"):
            answer = node.get(path)
            assert (answer.status, answer.cause) == (401, "no-token")
            assert answer.headers["www-authenticate"] == "Bearer"
            assert node.get(path, "worker").status == 401
        assert node.take("gpu/1", "a").cause == "no-token"
        assert node.take("store", "a", WORKER).cause == "forbidden"
        assert node.take("gpu/1", "a", OPERATOR).cause == "forbidden"
        gpu, bench = node.take("gpu/1", "a", WORKER).body, node.take("bench", "a", WORKER).body
        assert node.get(f"/v1/holds/{gpu['token']}", OPERATOR).cause == "unknown-hold"
        assert node.delete(f"/v1/holds/{gpu['token']}", OPERATOR).cause == "unknown-hold"
        assert [lock["lock"] for lock in node.get("/v1/locks", WORKER).body] == ["gpu/1"]
        assert node.get("/v1/locks/bench", WORKER).cause == "forbidden"
        seen = figures(node, WORKER)
        assert "lock_held,gpu/1" in seen
        assert "lock_held,bench" not in seen
        assert seen["grouplock_held"] == 2
        hold = node.get("/v1/locks/bench", OPERATOR).body["sessions"][0]["holders"][0]["hold"]
        wanted = {"lock": "bench", "hold": hold, "now": True}
        assert node.post("/v1/force", wanted, WORKER).cause == "forbidden"
        assert node.post("/v1/force", wanted, OPERATOR).status == 200
        assert node.get(f"/v1/holds/{bench['token']}", WORKER).cause == "forced"
        refused = node.take("gpu/1", "a", "sesame-1")
        assert not [s for s in ("sesame-1", WORKER, OPERATOR) if s in str(refused)]
        for path in ("/healthz", "/readyz", "/openapi.json"):
            assert node.get(path).status == 200


def test_the_description_names_every_path_and_no_other(tmp_path: Path) -> None:
    with serving(tmp_path) as node:
        described = node.get("/openapi.json").body
    assert described["openapi"].startswith("3.")
    told = {
        (method.upper(), path)
        for path, item in described["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert told == {(method, path.replace(":path", "")) for method, path, _ in ROUTES}
    names = set(re.findall(r"#/components/schemas/(\w+)", str(described)))
    assert names == set(described["components"]["schemas"])
    [ttl, _] = described["components"]["schemas"]["Wanted"]["properties"]["ttl"]["anyOf"]
    assert ttl == {"type": "number", "minimum": 1.0, "maximum": 10.0}


def test_with_a_certificate_it_is_https(tmp_path: Path) -> None:
    cert, key, ca = certificates(tmp_path / "good")
    told = ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", str(tmp_path / "data"))
    (tmp_path / "node.toml").write_text(f'tls_cert = "{cert}"\ntls_key = "{key}"\n')
    with subprocess.Popen(
        grouplock("serve", *told, "--config", str(tmp_path / "node.toml")),
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        speaks = SPEAKS.search(process.stdout.readline())
        assert speaks is not None
        url = f"https://127.0.0.1:{speaks[1]}/healthz"
        trusts = ssl.create_default_context(cafile=ca)
        with urllib.request.urlopen(url, context=trusts, timeout=WITHIN_S) as answer:
            assert answer.status == 200
        with pytest.raises(OSError, match=r"(?i)certificate"):
            urllib.request.urlopen(url, timeout=WITHIN_S)
        process.terminate()
        assert process.wait() == 0


def test_nothing_of_it_is_imported_where_nobody_asked() -> None:
    asked = (
        "import sys, grouplock, grouplock.sync, grouplock.client.node, grouplock.cli.main\n"
        "heavy = {'starlette', 'uvicorn', 'prometheus_client', 'grouplock.http'}\n"
        "print(sorted(heavy & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_an_address_that_is_none_is_one_line(tmp_path: Path) -> None:
    told = ("serve", "--check", "--data", str(tmp_path), "--http", "nowhere:x")
    done = subprocess.run(grouplock(*told), capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "grouplock: 'nowhere:x' is no address: say HOST:PORT or unix:PATH\n"


def test_an_address_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with serving(tmp_path) as node:
        told = ("--listen", "127.0.0.1:0", "--data", str(tmp_path / "more"))
        done = subprocess.run(
            grouplock("serve", *told, "--http", f"127.0.0.1:{node.port}"),
            capture_output=True,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert re.fullmatch(r"grouplock: http: 127\.0\.0\.1:\d+: .*in use\n", done.stderr)


def test_a_node_that_ends_with_holds_waits_when_it_is_back(tmp_path: Path) -> None:
    with serving(tmp_path) as node:
        assert node.take("x", "a").status == 201
    with serving(tmp_path) as node:
        assert node.get("/readyz").cause == "not-yet"
        assert node.take("x", "b").body["state"] == "waiting"
