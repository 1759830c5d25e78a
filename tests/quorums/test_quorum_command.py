"""grouplock quorum: what it prints, and how it says what does not exist."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from grouplock.cli.main import run
from grouplock.quorums import KINDS

KEYS = {
    "kind", "n", "k", "quorums", "assignment", "size", "load", "resilience", "availability",
    "properties",
}  # fmt: skip
PROPERTIES = [
    "intersection", "minimality", "k_intersection", "extension", "write_read", "cross_group",
]  # fmt: skip


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["quorum", *arguments]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def test_a_system_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(said(capsys, "plane", "--n", "7", "--json"))
    assert {*shown} >= KEYS
    assert (shown["kind"], shown["n"], shown["k"]) == ("plane", 7, 1)
    assert len(shown["quorums"]) == len(shown["assignment"]) == 7
    assert all(v in quorum for v, quorum in enumerate(shown["assignment"]))
    assert shown["size"] == {"min": 3, "max": 3}
    assert shown["load"] == pytest.approx(3 / 7)
    assert shown["resilience"] == 2
    assert [*shown["availability"]] == ["0.01", "0.05", "0.1", "0.2", "0.3"]
    assert [*shown["properties"]] == PROPERTIES
    assert shown["properties"]["intersection"] is True
    assert shown["properties"]["cross_group"] is None
    assert shown["how"]["availability"] == "exact"


def test_quorums_that_are_too_many_are_null(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(said(capsys, "majority", "--n", "40", "--json"))
    assert shown["quorums"] is None
    assert len(shown["assignment"]) == 40
    assert shown["how"]["availability"].startswith("sampled")


def test_all_kinds_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    shown = json.loads(said(capsys, "list", "--n", "13", "--k", "2", "--json"))
    assert [row["kind"] for row in shown] == [*KINDS]
    for row in shown:
        assert KEYS - {"quorums"} <= {*row}
        assert "quorums" not in row
        assert False not in row["properties"].values()
        assert row["k"] == (2 if "k" in KINDS[row["kind"]].takes else 1)


def test_kinds_that_do_not_exist_are_left_out_of_the_json(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shown = json.loads(said(capsys, "list", "--n", "10", "--k", "3", "--json"))
    assert {*KINDS} - {row["kind"] for row in shown} == {"plane", "torus"}


def test_a_table_of_all_kinds(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "list", "--n", "12", "--k", "2")
    assert all(kind in shown for kind in KINDS)
    assert "plane: no projective plane for n=12" in " ".join(shown.split())
    assert "NOT" not in shown


def test_a_system_on_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "torus", "--n", "8", "--k", "2", "--rows", "4")
    assert "minimality, k intersection, extension, write read" in shown
    assert "(checked)" in shown
    assert "  0 1 2" in shown
    assert "too many to list" in said(capsys, "majority", "--n", "30")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ("grid --n 0", "n=0: a quorum system needs at least one node"),
        ("list --n 0", "n=0: a quorum system needs at least one node"),
        ("cyclic --n -3", "n=-3: a quorum system needs at least one node"),
        ("k-majority --n 3 --k 5", "k=5: 3 nodes have room for 1 to 3 disjoint quorums"),
        ("k-blocks --n 9 --k 0", "k=0: 9 nodes have room for 1 to 9 disjoint quorums"),
        ("k-majority --n 8 --k 3", "take n=7 or n=9, or k-blocks"),
        ("torus --n 10 --k 3", "no torus of n=10 nodes is a 3-coterie: take n=9 or n=11"),
        ("torus --n 8 --k 3 --rows 8", "a torus of 8 rows is no 3-coterie: take rows=7 or"),
        ("torus --n 8 --rows 3", "a torus of n=8 nodes has no 3 rows: take a divisor of 8"),
        ("majority --k 2", "majority takes no k; k-majority, k-blocks, torus do"),
        ("plane --n 8", "take n=7 or n=13, or cyclic for any n"),
        ("weighted --n 3 --weights 0,0,0", "cannot form a majority"),
        ("weighted --n 3 --weights 1,-1,5", "none may be negative"),
        ("weighted --n 3 --weights 1,1", "2 weights for n=3 nodes: give one for each node"),
        ("weighted --n 3 --weights 1,x,1", "--weights is whole numbers, as in 3,1,1"),
        ("weighted --n 3 --threshold 1", "1 is no majority of 3 votes: take 2 to 3"),
        ("weighted --n 3 --threshold 4", "cannot be reached with 3 votes: take 2 to 3"),
        ("rw-votes --n 4 --threshold 2", "can miss each other: take a threshold of 3 to 4"),
        ("wall --n 4 --widths 1,2,1", "row 3 of 1,2,1 has one node"),
        ("wall --n 4 --widths 1,2", "the rows 1,2 hold 3 nodes, not n=4"),
        ("wall --n 2 --widths 0,2", "a wall needs rows of at least one node each"),
        ("rst --n 6 --parts 9", "9 groups of n=6 nodes: take 1 to 6 groups"),
        ("surficial --groups 0", "at least one group"),
        ("surficial --virtual halved", "folded, kept, shared"),
        ("gird --n 9", "no quorum system is called 'gird': did you mean grid?"),
        ("nonsense", "the kinds are majority, weighted"),
        ("list --weights 1,2", "list takes --n, --k and --groups"),
        ("grid --n many", "--n"),
        ("", "KIND"),
    ],
)
def test_what_does_not_exist_is_one_line(
    arguments: str, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["quorum", *arguments.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("grouplock: ")
    assert len(err.splitlines()) == 1
    assert line in err


def test_more_slots_than_nodes_is_wrong_use_of_the_list_too(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for k in ("0", "5"):
        assert run(["quorum", "list", "--n", "3", "--k", k]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert err == f"grouplock: k={k}: 3 nodes have room for 1 to 3 disjoint quorums\n"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n", ["1", "2", "3"])
def test_one_to_three_nodes_are_a_system_or_one_line(
    kind: str, n: str, capsys: pytest.CaptureFixture[str]
) -> None:
    status = run(["quorum", kind, "--n", n, "--json"])
    out, err = capsys.readouterr()
    if kind == "plane":
        assert (status, out) == (2, "")
        assert err.startswith(f"grouplock: no projective plane for n={n}: ")
        assert err.endswith("take n=7, or cyclic for any n\n")
    else:
        assert (status, err) == (0, "")
        shown = json.loads(out)
        assert len(shown["assignment"]) == int(n)
        assert False not in shown["properties"].values()
        assert 0 <= shown["resilience"] < int(n)
        assert 1 / int(n) - 1e-9 <= shown["load"] <= 1 + 1e-9


def test_reads_and_groups_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    grid = json.loads(said(capsys, "rw-grid", "--n", "4", "--json"))
    assert grid["quorums"] == [[0, 1], [2, 3]]
    assert grid["reads"]["quorums"] == [[0, 2], [0, 3], [1, 2], [1, 3]]
    assert (grid["reads"]["load"], grid["reads"]["resilience"]) == (0.5, 1)
    assert (grid["degree"], grid["membership"]) == (2, {"min": 2, "max": 2})
    assert (grid["dominated"], grid["groups"]) == (False, None)
    surficial = json.loads(said(capsys, "surficial", "--n", "12", "--json"))
    assert surficial["groups"] == [0, 0, 1, 1, 2, 2]
    assert (surficial["degree"], surficial["reads"]) == (2, None)


def test_the_whole_of_the_reads_and_whose_a_quorum_is(capsys: pytest.CaptureFixture[str]) -> None:
    shown = said(capsys, "k-majority", "--n", "5", "--k", "2")
    assert "reads: size" in shown
    assert "read quorums:\n  0 1 2 3\n" in shown
    assert "  group 2: 4 6 8 10\n" in said(capsys, "surficial", "--n", "12")


@pytest.mark.parametrize("columns", [40, 60, 80, 140])
def test_no_figure_is_cut_off_however_narrow_the_terminal(
    columns: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for arguments in (("list", "--n", "40", "--k", "3"), ("torus", "--n", "8", "--k", "2")):
        shown = said(capsys, *arguments)
        assert "…" not in shown
        assert max(map(len, shown.splitlines())) <= columns
    if columns >= 80:
        lines = [line.split() for line in said(capsys, "list", "--n", "9").splitlines()]
        assert ["tree", "3-5", "0.4706", "2", "0.9954", "no", "checked"] in lines


def test_as_a_process() -> None:
    command = str(Path(sys.executable).with_name("grouplock"))
    good = subprocess.run(
        [command, "quorum", "cyclic", "--n", "31", "--json"], capture_output=True, check=False
    )
    assert (good.returncode, good.stderr) == (0, b"")
    assert json.loads(good.stdout)["size"] == {"min": 6, "max": 6}
    bad = subprocess.run([command, "quorum", "grid", "--n", "0"], capture_output=True, check=False)
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert bad.stderr == b"grouplock: n=0: a quorum system needs at least one node\n"
