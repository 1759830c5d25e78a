"""The rules of the source: what is called, what is walked over, what is compiled and why."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from tests.rules import rules

SOURCES = rules.source_files()
TESTS = sorted((rules.ROOT / "tests").rglob("*.py"))

# Rooms of which modules are compiled, or could be.
COMPILABLE = (*rules.PURE, "measure", "sim", "check")


def named(paths: list[Path]) -> list[object]:
    return [pytest.param(p, id=str(p.relative_to(rules.ROOT))) for p in paths]


@pytest.mark.parametrize("path", named(SOURCES))
@pytest.mark.parametrize("rule", [rules.bare_excepts, rules.unfinished, rules.machine_paths])
def test_source(rule: Callable[[str], list[str]], path: Path) -> None:
    assert rule(path.read_text()) == []


@pytest.mark.parametrize("path", named(SOURCES))
def test_nothing_banned_is_called(path: Path) -> None:
    assert rules.banned_calls(path.read_text(), rules.room_of(path)) == []


@pytest.mark.parametrize("path", named([*SOURCES, *TESTS]))
def test_files_are_short(path: Path) -> None:
    place = path.relative_to(rules.ROOT)
    limit = rules.LONG_SUBJECTS.get(str(place), rules.LONGEST[place.parts[0]])
    assert rules.too_long(path.read_text(), limit) == []


@pytest.mark.parametrize("path", named([p for p in SOURCES if p.name != "__init__.py"]))
def test_a_file_says_what_may_live_in_it(path: Path) -> None:
    assert rules.no_docstring(path.read_text()) == []


@pytest.mark.parametrize("path", named(rules.source_files(*rules.PURE)))
def test_no_walk_over_a_set(path: Path) -> None:
    assert rules.walks_over_sets(path.read_text()) == []


@pytest.mark.parametrize("path", named([p for p in TESTS if p.parent.name != "rules"]))
@pytest.mark.parametrize("rule", [rules.skipped_tests, rules.sleeps, rules.machine_paths])
def test_tests(rule: Callable[[str], list[str]], path: Path) -> None:
    assert rule(path.read_text()) == []


# Compiled or not: setup.py says which, and why not.


@cache
def setup_value(name: str) -> object:
    for node in ast.parse((rules.ROOT / "setup.py").read_text()).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            value: object = ast.literal_eval(node.value)
            return value
    raise AssertionError(f"setup.py has no {name}")


def compiled() -> list[str]:
    listed = setup_value("COMPILED")
    assert isinstance(listed, list)
    return listed


def interpreted() -> dict[str, str]:
    listed = setup_value("INTERPRETED")
    assert isinstance(listed, dict)
    return listed


def test_what_is_listed_exists() -> None:
    gone = [
        entry
        for entry in (*compiled(), *interpreted())
        if not (rules.PACKAGE / entry).exists() and not rules.is_bare(entry.partition("/")[0])
    ]
    assert gone == []


@pytest.mark.parametrize("path", named(rules.source_files(*COMPILABLE)))
def test_a_module_is_compiled_or_says_why_not(path: Path) -> None:
    places = [str(path.relative_to(rules.PACKAGE)), rules.room_of(path)]
    is_compiled = [place in compiled() for place in places]
    why_not = [interpreted().get(place, "") for place in places]
    assert any(is_compiled) or any(why_not), f"{places[0]}: list it in setup.py"
    assert not (is_compiled[0] and why_not[0]), f"{places[0]}: compiled, or not?"
    if any(is_compiled) and not why_not[0]:
        assert rules.class_keywords(path.read_text()) == []
