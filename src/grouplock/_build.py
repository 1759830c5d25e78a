"""Whether the pure rooms run compiled, and the switch that makes them run interpreted.

GROUPLOCK_INTERPRETED=1 in the environment prefers the sources even where compiled modules lie
beside them: for comparing the two, and for stepping through a handler with a debugger.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Sequence
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, ModuleSpec, SourceFileLoader
from types import ModuleType


class _SourceFirst:
    """Finds grouplock's modules by their sources alone."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if not name.startswith("grouplock.") or path is None:
            return None
        for folder in path:
            spec = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES)).find_spec(name, target)
            if spec is not None:
                return spec
        return None


def prefer_sources_if_asked() -> None:
    if os.environ.get("GROUPLOCK_INTERPRETED") == "1" and _SourceFirst not in sys.meta_path:
        sys.meta_path.insert(0, _SourceFirst)


def compiled() -> bool:
    """Whether the pure rooms are compiled in this process."""
    spec = importlib.util.find_spec("grouplock.protocol.site")
    assert spec is not None
    assert spec.origin is not None
    return not spec.origin.endswith(".py")


def advice() -> str:
    """What to say after an install: nothing, where all is compiled."""
    if compiled():
        return ""
    return (
        "grouplock runs interpreted: the same results, some 20 times slower; install a C\n"
        "compiler and run `make clean` to have it compiled\n"
    )
