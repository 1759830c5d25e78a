"""A daemon that speaks HTTP, and somebody who asks it."""

from __future__ import annotations

import contextlib
import json
import re
import subprocess
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.net.processes import WITHIN_S, grouplock

SPEAKS: Final = re.compile(r"https?://127\.0\.0\.1:(\d+) speaks HTTP")


class Answer(NamedTuple):
    status: int
    headers: dict[str, str]
    body: Any  # as JSON, where it is

    @property
    def cause(self) -> str:
        cause: str = self.body["error"]["cause"]
        return cause


class Served:
    def __init__(self, port: int, at: str) -> None:
        self.port: Final = port
        self.at: Final = at  # where its own clients call
        self.url: Final = f"http://127.0.0.1:{port}"

    def ask(
        self, method: str, path: str, body: Any = None, token: str = "", **headers: str
    ) -> Answer:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=WITHIN_S)
        with contextlib.closing(connection):
            if token:
                headers["Authorization"] = f"Bearer {token}"
            told = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, told, headers)
            answer = connection.getresponse()
            said = answer.read()
            kind = answer.headers.get("content-type", "")
            shown = json.loads(said) if said and kind == "application/json" else said.decode()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, shown)

    def get(self, path: str, token: str = "") -> Answer:
        return self.ask("GET", path, token=token)

    def post(self, path: str, body: Any = None, token: str = "") -> Answer:
        return self.ask("POST", path, body, token)

    def delete(self, path: str, token: str = "") -> Answer:
        return self.ask("DELETE", path, token=token)

    def take(self, lock: str, group: str, token: str = "", **more: Any) -> Answer:
        return self.post("/v1/holds", {"lock": lock, "groups": [group], **more}, token)


@contextlib.contextmanager
def serving(folder: Path, *options: str) -> Iterator[Served]:
    """It ends well, and says nothing on standard error."""
    told = ("--listen", "127.0.0.1:0", "--http", "127.0.0.1:0", "--data", str(folder / "data"))
    with subprocess.Popen(
        grouplock("serve", *told, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        try:
            speaks = SPEAKS.search(process.stdout.readline())
            serves = re.search(r"serving on (\S+),", process.stdout.readline())
            assert speaks is not None, process.stderr.read()
            assert serves is not None
            yield Served(int(speaks[1]), serves[1])
        finally:
            process.terminate()
            said = process.stderr.read()
            assert process.wait() == 0, said
    assert "Traceback" not in said
