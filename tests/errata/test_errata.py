"""What a paper prints is caught; what stands in its place holds where the paper's text does not.

The runs in tests/errata/traces are replayed, and drawn on docs/errata's pages.  After a change
that moves them on purpose: GROUPLOCK_REWRITE=1 pytest tests/errata
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from grouplock.check.checker import HOLDS, VIOLATED, Violation
from grouplock.check.replay import replay
from grouplock.cli.check import save
from grouplock.lab.spacetime import diagram
from grouplock.measure.trace import Header, Step, read
from tests.errata import ERRATA
from tests.errata.erratum import Erratum

TRACES = Path(__file__).parent / "traces"
DOCS = Path(__file__).parents[2] / "docs"
DRAWINGS = DOCS / "figures" / "errata"

each = pytest.mark.parametrize("erratum", ERRATA, ids=[e.name for e in ERRATA])


@each
def test_what_is_printed_breaks(erratum: Erratum) -> None:
    system = erratum.printed()
    result = erratum.found(system)
    assert result.properties[erratum.breaks] == VIOLATED
    assert result.violation is not None
    if os.environ.get("GROUPLOCK_REWRITE") == "1":
        rewrite(erratum, result.violation)
    assert list(result.violation.steps) == kept(erratum)[0]


@each
def test_what_stands_in_its_place_holds(erratum: Erratum) -> None:
    """Completely explored, or along the same run and the walks of twenty seeds."""
    system = erratum.repaired()
    if erratum.directed:
        assert erratum.found(system).violation is None
    elif erratum.walk is None:
        result = erratum.found(system)
        assert result.complete
        assert set(result.properties.values()) == {HOLDS}, result.violation
        return
    first = erratum.walk or 1
    for seed in range(first, first + 20):
        walked = erratum._replace(walk=seed, directed=False).found(system)
        assert walked.violation is None, f"seed {seed}"


@each
def test_its_run_is_replayed(erratum: Erratum) -> None:
    steps, end = kept(erratum)
    assert end["end"] == "violation"
    assert erratum.breaks in end["property"]
    assert all(r.same or r.failure for r in replay(erratum.printed(), steps))


@each
def test_it_is_told_and_drawn(erratum: Erratum) -> None:
    """A drawing that is not of the kept run, or on no page, would be a claim without evidence."""
    steps, end = kept(erratum)
    assert drawn(erratum, steps, end["property"], end["reason"]) == drawing(erratum).read_text()
    pages = [page.read_text() for page in (DOCS / "errata").glob("*.md")]
    assert any(f"figures/errata/{erratum.name}.svg" in page for page in pages)


def test_no_trace_and_no_drawing_is_kept_of_what_is_gone() -> None:
    names = {e.name for e in ERRATA}
    assert {path.stem for path in TRACES.glob("*.jsonl")} == names
    assert {path.stem for path in DRAWINGS.glob("*.svg")} == names


def kept(erratum: Erratum) -> tuple[list[Step], dict[str, Any]]:
    with (TRACES / f"{erratum.name}.jsonl").open() as file:
        rows = list(read(file))
    end = rows[-1]
    assert isinstance(end, dict)
    return [row for row in rows if isinstance(row, Step)], end


def drawing(erratum: Erratum) -> Path:
    return DRAWINGS / f"{erratum.name}.svg"


def drawn(erratum: Erratum, steps: list[Step], broken: str, reason: str) -> str:
    return diagram(steps, erratum.variant.n, erratum.printed().messages, f"{broken}: {reason}")


def rewrite(erratum: Erratum, violation: Violation) -> None:
    right, scope = erratum.repaired(), erratum.scope
    header = Header(
        "check", right.name, right.options, right.n, scope.groups, scope.sets, right.slots,
        erratum.walk or 1, right.quorum, f"paper {erratum.paper} as printed: {erratum.name}",
    )  # fmt: skip
    TRACES.mkdir(exist_ok=True)
    DRAWINGS.mkdir(exist_ok=True)
    save(TRACES / f"{erratum.name}.jsonl", header, violation)
    broken = ", ".join(violation.properties)
    drawing(erratum).write_text(drawn(erratum, list(violation.steps), broken, violation.reason))
