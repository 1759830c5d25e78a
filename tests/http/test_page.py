"""docs/service/http.md: what it shows in a shell is what happens."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from tests.http.nodes import Served, serving
from tests.net.processes import WITHIN_S
from tests.rules import rules

PAGE: Final = rules.ROOT / "docs" / "service" / "http.md"
VARIES: Final = ("token", "waited", "expires_in", "hold", "client", "age")  # by their kind alone


def alike(shown: Any, happened: Any, key: str = "") -> bool:
    if key in VARIES:
        return type(shown) is type(happened)
    if isinstance(shown, dict):
        return list(shown) == list(happened) and all(
            [alike(shown[k], happened[k], k) for k in shown]
        )
    if isinstance(shown, list):
        return len(shown) == len(happened) and all(
            [alike(a, b) for a, b in zip(shown, happened, strict=True)]
        )
    return bool(shown == happened)


def blocks() -> list[tuple[str, str]]:
    """What is run, and what that prints."""
    fences = [(f[1], f[2]) for f in rules.FENCE.finditer(PAGE.read_text())]
    found = []
    for at, (kind, text) in enumerate(fences):
        if kind == "sh":
            following = fences[at + 1] if at + 1 < len(fences) else ("", "")
            found.append((text, following[1] if following[0] == "json" else ""))
    return found


def test_the_page(tmp_path: Path) -> None:
    with serving(tmp_path) as node:
        ran = run(node, tmp_path, [code for code, _ in blocks()])
    shown = [said for _, said in blocks()]
    assert len([said for said in shown if said]) >= 9
    for happened, said in zip(ran, shown, strict=True):
        if said:
            assert alike(json.loads(said), json.loads(happened)), f"{said}\n{happened}"


def run(node: Served, folder: Path, blocks: list[str]) -> list[str]:
    """In one shell, as a reader would; what each of them prints."""
    mark = "\n-- next --\n"
    script = "\n".join([block + "\nprintf '\\n-- next --\\n'" for block in blocks])
    done = subprocess.run(
        ["sh", "-eu", "-c", script],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "NODE": node.url},
        timeout=3 * WITHIN_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(mark)[:-1]


def test_the_comparison_can_fail() -> None:
    assert alike({"token": "a", "x": [1]}, {"token": "b", "x": [1]})
    assert not alike({"token": "a"}, {"token": 7})
    assert not alike({"x": 1}, {"x": 2})
    assert not alike({"x": 1}, {"x": 1, "y": 1})
