"""The service is a function of frames and times: it has neither clock nor socket, and no chance."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from grouplock.service.frames import Ask, Settings
from tests.rules import rules
from tests.service.desk import Desk

FILES = rules.source_files("service")


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
@pytest.mark.parametrize("module", ["asyncio", "time", "socket", "threading", "random", "os"])
def test_it_imports_no_world(module: str, path: Path) -> None:
    assert rules.banned_calls(f"import {module}\n", "service"), "the rule can fail"
    assert [n for _, n in rules.names_used(path.read_text()) if n.split(".")[0] == module] == []


def test_not_even_by_way_of_others() -> None:
    """But for the catalog, which only `algorithm.py` asks, and the network need not be there."""
    worlds = ("asyncio", "socket", "threading", "selectors")
    said = (
        f"import sys, grouplock.service.service; print([m for m in {worlds} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_the_same_frames_and_times_have_the_same_deeds() -> None:
    def story() -> list[Any]:
        desk = Desk(n=3)
        callers = [desk.client(i + 1, node=i % 3) for i in range(9)]
        said: list[Any] = []
        for turn in range(60):
            caller = callers[turn * 7 % 9]
            name = f"lock {turn % 4}"
            caller.seq += 1
            groups = (f"g{turn % 3}", f"h{turn % 2}") if turn % 5 == 0 else (f"g{turn % 3}",)
            said.append(caller.say(Ask(caller.seq, name, groups, Settings(slots=2))))
            if turn % 3:
                said.append(caller.leave(caller.seq - turn % 2 or 1, name))
            if turn % 10 == 9:
                desk.tick(1.5)
            said.append([c.heard() for c in callers])
        return said

    assert story() == story()
