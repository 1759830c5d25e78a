"""Ten thousand nodes: quorums are picked, sized and bounded without listing any large family."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grouplock.quorums import Quorum, QuorumSystem
from grouplock.quorums.availability import availability
from grouplock.quorums.composition import Composition
from grouplock.quorums.load import load
from grouplock.quorums.report import report
from grouplock.quorums.resilience import resilience
from grouplock.quorums.rows import RowSystem
from grouplock.quorums.threshold import Threshold
from grouplock.quorums.tree import Tree
from grouplock.quorums.weighted import Weighted
from tests.quorums.systems import made, tosses

N = 10_000
SIZES = {
    "grid": (199, 199),
    "grid-cover": (199, 199),
    "cyclic": (122, 122),
    "hierarchical": (288, 512),
    "triangle": (140, 141),
    "cwlog": (12, 1094),
    "wall": (140, 141),
    "tree": (13, 5000),
    "majority": (5001, 5001),
    "weighted": (5000, 5001),
    "grid-set": (168, 230),
    "rst": (229, 232),
    "k-blocks": (122, 122),
    "all": (10_000, 10_000),
    "read-one": (10_000, 10_000),
    "rw-votes": (5001, 5001),
    "rw-grid": (100, 100),
}


@pytest.fixture
def unlisted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Listing an exponential family is a failure, not a long wait. An outer grid of a composition
    has one cross per group and may be listed."""

    def refuse(self: QuorumSystem) -> Iterator[Quorum]:
        raise AssertionError(f"{self.kind} is listed")

    for exponential in (Composition, RowSystem, Threshold, Tree, Weighted):
        monkeypatch.setattr(exponential, "each", refuse)


@pytest.mark.usefixtures("unlisted")
@pytest.mark.parametrize("kind", SIZES)
def test_a_system_of_ten_thousand_nodes(kind: str) -> None:
    system = made(kind, N)
    assert system.sizes() == SIZES[kind]
    if system.count() > 100:
        assert system.quorums() is None
    preferred = system.pick(1234, 5)
    assert preferred is not None
    assert len(preferred) <= SIZES[kind][1]
    if kind not in ("read-one", "all"):
        alive = frozenset(range(N)) - {preferred[0]}
        held = frozenset(preferred[1:])
        other = system.pick(1234, 5, alive, held)
        assert other is not None
        assert alive.issuperset(other)
        again = system.pick(1234, 5, None, held)
        assert again is not None
        assert len({*again} - held) <= 1


@pytest.mark.usefixtures("unlisted")
@pytest.mark.parametrize("kind", ["grid", "cyclic", "hierarchical", "triangle", "majority", "tree"])
def test_figures_of_ten_thousand_nodes(kind: str) -> None:
    system = made(kind, N)
    busy = load(system)
    assert 0.0099 < busy.value <= 0.51
    lasting = resilience(system, busy.value)
    assert 0 < lasting.value < N
    up = availability(system, [0.01], tosses())
    assert up.value[0.01] > 0.99
    assert not up.exact


@pytest.mark.usefixtures("unlisted")
def test_every_node_of_ten_thousand_has_a_quorum_with_itself_inside() -> None:
    for kind in ("grid", "cyclic", "triangle"):
        assignment = made(kind, N).assignment()
        assert len(assignment) == N
        assert all(v in quorum for v, quorum in enumerate(assignment))


@pytest.mark.usefixtures("unlisted")
def test_an_assignment_too_large_to_be_of_use_is_left_out() -> None:
    said = report(made("majority", N), tosses())
    assert said.assignment is None
    assert said.quorums is None
    assert said.membership is None
