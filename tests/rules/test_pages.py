"""The rules of the pages: links lead somewhere, code runs, commands exist, versions agree."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pytest

import grouplock
from grouplock.cli.main import COMMANDS
from tests.rules import rules

PAGES = rules.pages()
TARGETS = rules.make_targets((rules.ROOT / "Makefile").read_text())


def examples(paths: list[Path]) -> list[object]:
    """Every python block, with the text block that may follow it: its output."""
    found: list[object] = []
    for path in paths:
        fences = list(rules.FENCE.finditer(path.read_text()))
        for at, fence in enumerate(fences):
            if fence[1] != "python":
                continue
            follows = fences[at + 1] if at + 1 < len(fences) else None
            prints = ""
            if follows and follows[1] == "text":
                gap = path.read_text()[fence.end() : follows.start()]
                prints = follows[2] if not gap.strip() else ""
            name = f"{path.relative_to(rules.ROOT)}:{at}"
            found.append(pytest.param(fence[2], prints, id=name))
    return found


@pytest.mark.parametrize(("code", "prints"), examples(PAGES))
def test_the_code_on_a_page_runs(code: str, prints: str) -> None:
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "page", "exec"), {"__name__": "page"})
    if prints:
        assert said.getvalue() == prints


def test_the_readme_has_code_and_its_output() -> None:
    found = examples([rules.ROOT / "README.md"])
    assert len(found) >= 1


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(rules.ROOT)))
def test_links_and_paths(page: Path) -> None:
    assert rules.dead_links(page.read_text(), page.parent) == []
    assert rules.machine_paths(page.read_text()) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda p: str(p.relative_to(rules.ROOT)))
def test_commands_exist(page: Path) -> None:
    assert rules.unknown_commands(page.read_text(), set(COMMANDS), TARGETS) == []


def test_every_command_is_in_the_readme() -> None:
    readme = (rules.ROOT / "README.md").read_text()
    assert [c for c in COMMANDS if f"`grouplock {c}" not in readme] == []


def test_every_target_is_in_the_help_of_make() -> None:
    makefile = (rules.ROOT / "Makefile").read_text()
    assert [t for t in sorted(TARGETS - {"help"}) if f"make {t}" not in makefile] == []


def test_the_changelog_has_the_version() -> None:
    assert f"## {grouplock.__version__}" in (rules.ROOT / "CHANGELOG.md").read_text()


def test_the_index_names_every_page() -> None:
    index = (rules.ROOT / "docs" / "README.md").read_text()
    docs = rules.ROOT / "docs"
    inside = [p.relative_to(docs) for p in docs.rglob("*.md") if p != docs / "README.md"]
    assert [str(p) for p in inside if f"({p})" not in index] == []
