"""Results that are kept: one line for each run, by its arguments, under a digest of the code.

A line is written whole and at once, so that an interrupt loses what was under way and no more.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import IO, Final

import grouplock
from grouplock.lab.runs import Task, Values

FORMAT: Final = 1
NAME: Final = "runs.jsonl"
# What a result depends on: every room that a run passes through.
ROOMS: Final = (
    "protocol", "parts", "quorums", "algorithms", "properties", "measure", "sim", "check",
    "catalog", "lab/runs",
)  # fmt: skip


class OtherCode(ValueError):
    """Results that other code made, or that are none; the message says what would do."""


def digest() -> str:
    """Of the sources that results depend on."""
    package = Path(grouplock.__file__).parent
    found = hashlib.sha256()
    for room in ROOMS:
        for path in sorted((package / room).rglob("*.py")):
            found.update(str(path.relative_to(package)).encode())
            found.update(path.read_bytes())
    return found.hexdigest()[:16]


class Store:
    """The results in a folder, which is made if need be."""

    def __init__(self, folder: Path, code: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.path: Final = folder / NAME
        self.code: Final = code
        self.kept: Final[dict[Task, Values]] = {}
        whole = self.read() if self.path.exists() else 0
        self.file: IO[str] = self.path.open("a")
        if whole == 0:
            self.file.truncate(0)
            self.write({"grouplock-runs": FORMAT, "code": code})
        else:
            self.file.truncate(whole)  # without the line that an interrupt cut off

    def read(self) -> int:
        """Take in what is there; how long the whole lines are."""
        length = 0
        with self.path.open("rb") as file:
            for number, line in enumerate(file):
                if not line.endswith(b"\n"):
                    break
                try:
                    row = json.loads(line)
                    if number:
                        self.kept[Task(row["run"], row["given"])] = row["values"]
                    elif row["grouplock-runs"] != FORMAT or row["code"] != self.code:
                        raise OtherCode(
                            f"{self.path} has runs of other code ({row['code']}, this is "
                            f"{self.code}); take another folder, or remove that file"
                        )
                except (KeyError, TypeError, json.JSONDecodeError, UnicodeDecodeError):
                    raise OtherCode(
                        f"{self.path} is no file of runs (line {number + 1}); take another "
                        f"folder, or remove that file"
                    ) from None
                length += len(line)
        return length

    def keep(self, task: Task, values: Values) -> None:
        self.kept[task] = values
        self.write({"run": task.run, "given": task.given, "values": values})

    def write(self, row: dict[str, object]) -> None:
        self.file.write(json.dumps(row, separators=(",", ":")) + "\n")
        self.file.flush()

    def close(self) -> None:
        self.file.close()
