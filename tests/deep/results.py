"""What a deep run finds is kept, one file a test, until report.py writes docs/checked.md of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

FOLDER: Final = Path(__file__).parents[2] / "build" / "deep"

Row = dict[str, Any]


def keep(kind: str, name: str, result: Row) -> None:
    file = FOLDER / kind / f"{name}.json"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(result, indent=1))


def kept(kind: str) -> dict[str, Row]:
    """By name."""
    return {
        file.stem: json.loads(file.read_text()) for file in sorted((FOLDER / kind).glob("*.json"))
    }
