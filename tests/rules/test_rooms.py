"""Every room has a docstring, a place in the layers, and a line in ARCHITECTURE.md."""

from __future__ import annotations

import tomllib

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm
from tests.rules import rules

FOLDERS = sorted({p.parent.relative_to(rules.PACKAGE) for p in rules.PACKAGE.rglob("*.py")})
ROOMS = [folder.name for folder in FOLDERS if len(folder.parts) == 1]
WITHIN = [str(folder) for folder in FOLDERS if len(folder.parts) > 1]
LISTED = sorted({rules.file_of(a) for a in ALGORITHMS})


def layers() -> list[str]:
    config = tomllib.loads((rules.ROOT / "pyproject.toml").read_text())
    contracts = config["tool"]["importlinter"]["contracts"]
    [layered] = [c for c in contracts if c["type"] == "layers"]
    assert layered["exhaustive"], "a room without a place must fail the build"
    return [name.strip() for layer in layered["layers"] for name in layer.split("|")]


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_has_its_place(room: str) -> None:
    init = rules.PACKAGE / room / "__init__.py"
    assert init.exists(), f"{room} is no package: it would not be installed"
    assert rules.no_docstring(init.read_text()) == []
    assert room in layers()
    assert f"`{room}/`" in (rules.ROOT / "ARCHITECTURE.md").read_text()


@pytest.mark.parametrize("folder", WITHIN)
def test_a_folder_of_a_room_is_a_package_and_is_told_of(folder: str) -> None:
    init = rules.PACKAGE / folder / "__init__.py"
    assert init.exists(), f"{folder} is no package: it would not be installed"
    assert rules.no_docstring(init.read_text()) == []
    assert f"`{folder}/`" in (rules.ROOT / "ARCHITECTURE.md").read_text()


def test_the_layers_name_what_exists() -> None:
    present = {*ROOMS, *[p.stem for p in rules.PACKAGE.glob("*.py")]}
    assert [name for name in layers() if name not in present] == []


# Algorithms.


@pytest.mark.parametrize("module", LISTED)
def test_an_algorithm_opens_with_its_header(module: str) -> None:
    source = (rules.PACKAGE / "algorithms" / f"{module}.py").read_text()
    assert rules.header(source) == []


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=lambda a: a.name)
def test_an_algorithm_has_a_page_that_the_indices_name(algorithm: Algorithm) -> None:
    name = algorithm.name
    page = rules.ROOT / "docs" / "algorithms" / f"{name}.md"
    assert page.exists()
    assert page.read_text().startswith(f"# {name}\n")
    assert f"(algorithms/{name}.md)" in (rules.ROOT / "docs" / "README.md").read_text()
    assert f"(docs/algorithms/{name}.md)" in (rules.ROOT / "README.md").read_text()


def test_every_algorithm_file_is_in_the_catalog() -> None:
    files = {p.stem for p in (rules.PACKAGE / "algorithms").glob("*.py")} - {"__init__"}
    assert files == set(LISTED)


def test_every_page_is_of_an_algorithm() -> None:
    written = {p.stem for p in (rules.ROOT / "docs" / "algorithms").glob("*.md")}
    assert written == {a.name for a in ALGORITHMS}
