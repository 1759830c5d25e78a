"""An algorithm that differs from the right one by edits of its text: for mutants and errata.

A compiled class cannot be subclassed, so a variant is the algorithm's source, and that of the
parts it imports where they are edited, with the edits made, run interpreted.  An edited text must
be there exactly once, so that no variant goes stale.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType
from typing import Final, NamedTuple

import grouplock
from grouplock.catalog import find
from grouplock.protocol.pick import Pick
from grouplock.protocol.system import System

PACKAGE: Final = Path(grouplock.__file__).parent
TAG: Final = re.compile("  # L[0-9]+$", re.MULTILINE)  # the lines' numbers, which may move
PART: Final = re.compile(r"^from grouplock\.parts\.(\w+) import", re.MULTILINE)

Edit = tuple[str, str]  # what stands there, what stands there instead


class Variant(NamedTuple):
    name: str
    algorithm: str
    edits: tuple[Edit, ...]
    n: int = 2
    options: dict[str, str] = {}  # noqa: RUF012  never changed
    slots: int = 1
    quorum: str | None = None
    groups: int = 1
    pick: Pick | None = None

    def right(self) -> System:
        entry = find(self.algorithm)
        return entry.system(self.n, self.options, self.slots, self.quorum, self.groups, self.pick)

    def wrong(self) -> System:
        """The algorithm with the edits made."""
        module = self.module()
        entry = find(self.algorithm)
        make = getattr(module, entry.make.__name__)
        entry = entry._replace(make=make, messages=module.MESSAGES)
        return entry.system(self.n, self.options, self.slots, self.quorum, self.groups, self.pick)

    def module(self) -> ModuleType:
        """A part that is not edited but knows of one that is, is made anew as well."""
        site = find(self.algorithm).make.__module__.rpartition(".")[2]
        main = f"algorithms/{site}.py"
        files = with_parts(main)
        texts = {file: read(file) for file in files}
        for before, after in self.edits:
            times = {file: text.count(before) for file, text in texts.items()}
            places = [file for file in files if times[file]]
            assert sum(times.values()) == 1, f"{self.name}: {before!r} stands in {times}"
            texts[places[0]] = texts[places[0]].replace(before, after)
        made: dict[str, ModuleType] = {}
        for file in files:
            for other, module in made.items():
                right = f"from grouplock.{other[:-3].replace('/', '.')} import"
                texts[file] = texts[file].replace(right, f"from {module.__name__} import")
            if file == main or texts[file] != read(file):
                made[file] = self.run(file, texts[file])
        return made[main]

    def run(self, file: str, text: str) -> ModuleType:
        place = file[:-3].replace("/", "_")
        module = ModuleType(f"tests.variants_{self.name.replace('-', '_')}_{place}")
        sys.modules[module.__name__] = module
        exec(compile(text, f"{file} as {self.name}", "exec"), module.__dict__)
        return module


def with_parts(file: str) -> list[str]:
    """The file after all parts that it imports, each after those that it imports itself."""
    found: list[str] = []
    for part in PART.findall(read(file)):
        found += [other for other in with_parts(f"parts/{part}.py") if other not in found]
    return [*found, file]


def read(file: str) -> str:
    """A file of the package without its tags."""
    return TAG.sub("", (PACKAGE / file).read_text())
