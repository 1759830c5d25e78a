"""What the catalog claims holds where it is measured: every algorithm, every set of claims."""

from __future__ import annotations

import json
from typing import Any

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm, find
from grouplock.cli.main import run
from grouplock.lab.measured import SITES, Pair, measure, settings
from grouplock.lab.rounds import Rounds

SETTINGS = [
    pytest.param(entry, options, id="-".join([entry.name, *options.values()]))
    for entry, options in settings()
]
STEADY = 1e-9


def at_most(pair: Pair) -> bool:
    return pair.claimed is not None and pair.measured <= pair.claimed + STEADY


@pytest.mark.parametrize(("entry", "options"), SETTINGS)
def test_nothing_costs_more_than_is_claimed(entry: Algorithm, options: dict[str, str]) -> None:
    m = measure(entry, options)
    for pair in (m.light, m.heavy, m.waiting, m.handover):
        assert at_most(pair), m
        assert pair.measured > 0
    if m.together.claimed is not None:
        # A leader of surrogate invites who waits when its locks are lent; the last of the session
        # before has hardly ever asked again by then.
        late = entry.name in ("surrogate", "sanders") and options.get("entry", "off") == "off"
        assert m.together.claimed - late <= m.together.measured <= m.together.claimed


@pytest.mark.parametrize(
    ("name", "options", "waiting", "handover"),
    [
        ("lamport", {}, 2, 1),  # paper 002, table 1
        ("ricart-agrawala", {}, 2, 1),
        ("suzuki-kasami", {}, 2, 1),
        ("singhal-heuristic", {}, 2, 1),
        ("singhal-dynamic", {}, 2, 1),
        ("maekawa", {}, 2, 2),
        ("cao-singhal", {}, 2, 1),
        ("ra1", {}, 2, 1),  # paper 004, 1.1
        ("ra2", {}, 2, 1),
        ("token-gme", {}, 2, 1),  # paper 004, theorems 10 and 11
        ("surrogate", {}, 2, 2),  # paper 000, theorem 13
        ("surrogate", {"release": "leave", "stale": "off"}, 2, 3),  # paper 000, IV.A
        ("sanders", {}, 2, 2),  # paper 000, VIII.C
        ("sanders", {"structure": "ricart-agrawala"}, 2, 2),
        ("sanders", {"structure": "ricart-agrawala", "singleton": "on"}, 2, 1),  # VIII.C.1
        ("manabe-park", {}, 2, 4),
    ],
)
def test_hops_are_those_of_the_papers(
    name: str, options: dict[str, str], waiting: int, handover: int
) -> None:
    m = measure(find(name), options)
    assert (m.waiting.measured, m.handover.measured) == (waiting, handover)


def test_every_algorithm_is_measured_with_its_defaults() -> None:
    assert [entry.name for entry, options in settings() if not options] == [
        a.name for a in ALGORITHMS
    ]


def test_as_json_and_as_a_table(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few of them, so that it is quick."""
    few = [(find("ra1"), {}), (find("maekawa-m"), {"locks": "1"})]
    monkeypatch.setattr("grouplock.cli.algorithms.lab.settings", lambda: few)
    assert run(["algorithms", "--measured", "--json"]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == [a.name for a in ALGORITHMS]
    [ra1] = next(row["measured"] for row in rows if row["name"] == "ra1")
    assert ra1["messages"]["light"] == {"claimed": 2 * (SITES - 1), "measured": 2 * (SITES - 1)}
    assert ra1["hops"]["handover"] == {"claimed": 1, "measured": 1}
    assert ra1["together"] == {"claimed": SITES, "measured": SITES}
    [locks] = next(row["measured"] for row in rows if row["name"] == "maekawa-m")
    assert (locks["options"], locks["together"]["claimed"]) == ({"locks": "1"}, None)
    assert run(["algorithms", "--measured"]) == 0
    table = capsys.readouterr().out
    assert "16/16" in table
    assert "locks=1" in table


def test_a_conversation_that_does_not_end_is_told() -> None:
    run_of = Rounds(find("ra1").system(2, {}))
    with pytest.raises(AssertionError, match="nothing is on its way"):
        run_of.hops_to_an_entry()
