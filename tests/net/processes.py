"""Which processes a process has started, and whether they are gone."""

from __future__ import annotations

import os
import select
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Final

WITHIN_S: Final = 20.0


def children_of(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


class Watched:
    """Waits for the end of processes that are not ours to wait for."""

    def __init__(self, pids: list[int]) -> None:
        self.fds: Final = [os.pidfd_open(pid) for pid in pids]

    def all_end(self) -> bool:
        return all([select.select([fd], [], [], WITHIN_S)[0] for fd in self.fds])

    def __enter__(self) -> Watched:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for fd in self.fds:
            os.close(fd)


def grouplock(*arguments: str) -> list[str]:
    return [sys.executable, "-c", "from grouplock.cli.main import main; main()", *arguments]


def started(*arguments: str) -> subprocess.Popen[str]:
    """The command in a process group of its own, as a terminal's job is."""
    return subprocess.Popen(
        grouplock(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def ran(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        grouplock(*arguments), capture_output=True, text=True, timeout=60, check=False
    )
