"""What sites ask for: the same for every algorithm under one seed, and drawn as the papers say."""

from __future__ import annotations

import statistics

import pytest

from grouplock.measure.demands import BLOCK, Demands
from grouplock.measure.workload import Workload
from grouplock.protocol.groups import Groups

Drawn = tuple[float, float, Groups]


def draw(workload: Workload, site: int, count: int) -> list[Drawn]:
    demands = Demands(workload, site)
    drawn: list[Drawn] = []
    for _ in range(count):
        demands.advance()
        drawn.append((demands.think(), demands.inside(), demands.groups()))
    return drawn


def test_a_sites_requests_depend_on_seed_and_site_alone() -> None:
    few = draw(Workload(n=3, requests=10), 2, 3 * BLOCK)
    assert few == draw(Workload(n=30, requests=99, slots=2, delay=9, bandwidth=1), 2, 3 * BLOCK)
    assert few != draw(Workload(), 1, 3 * BLOCK)
    assert few != draw(Workload(seed=2), 2, 3 * BLOCK)


def test_means_scale_the_same_draws() -> None:
    plain, scaled = draw(Workload(), 0, 50), draw(Workload(think=40, inside=1), 0, 50)
    assert [t * 10 for t, _, _ in plain] == pytest.approx([t for t, _, _ in scaled])
    assert [i / 2 for _, i, _ in plain] == pytest.approx([i for _, i, _ in scaled])
    assert [g for _, _, g in plain] == [g for _, _, g in scaled]


def test_times_are_distributed_as_the_papers_say() -> None:
    drawn = draw(Workload(think=50, inside=20, seed=7), 0, 20_000)
    thinks = [t for t, _, _ in drawn]
    assert statistics.fmean(thinks) == pytest.approx(50, rel=0.03)
    assert statistics.stdev(thinks) == pytest.approx(50, rel=0.03)  # exponential: as the mean
    insides = [i for _, i, _ in drawn]
    assert statistics.fmean(insides) == pytest.approx(20, rel=0.03)
    assert statistics.stdev(insides) == pytest.approx(40 / 12**0.5, rel=0.03)  # uniform
    assert min(insides) >= 0
    assert max(insides) < 40


def test_blocks_do_not_repeat() -> None:
    thinks = [t for t, _, _ in draw(Workload(), 0, 4 * BLOCK)]
    assert len(set(thinks)) == 4 * BLOCK


@pytest.mark.parametrize("sets", [1, 2])
def test_groups_are_drawn_by_weight(sets: int) -> None:
    workload = Workload(groups=5, sets=sets, skew=(20, 80), seed=3)
    drawn = [groups for _, _, groups in draw(workload, 0, 20_000)]
    assert all([len(g) == sets and list(g) == sorted(set(g)) for g in drawn])
    firsts = [g for g in drawn if 0 in g]
    # One draw: 0.8.  Two without replacement: 0.8 first, or second after one of the others.
    expected = 0.8 if sets == 1 else 0.8 + 0.2 * 0.8 / 0.95
    assert len(firsts) / len(drawn) == pytest.approx(expected, abs=0.01)
    assert {group for g in drawn for group in g} == set(range(5))


def test_groups_that_nobody_draws() -> None:
    drawn = draw(Workload(groups=4, skew=(50, 100)), 0, 1000)
    assert {g for _, _, g in drawn} == {(0,), (1,)}


def test_all_groups_at_once() -> None:
    assert {g for _, _, g in draw(Workload(groups=3, sets=3), 0, 200)} == {(0, 1, 2)}
