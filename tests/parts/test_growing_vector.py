"""Differential vectors tell what whole ones tell, and no more than what changed."""

from __future__ import annotations

import random

import pytest

from grouplock.parts.growing_vector import CHANGES, WHOLE, GrowingVector
from grouplock.protocol.message import BadMessage


@pytest.mark.parametrize("seed", range(10))
def test_against_a_dumb_one(seed: int) -> None:
    """Which keeps for each site what it was told last, and walks over everything."""
    rng = random.Random(seed)
    n, me = 6, 2
    vector = GrowingVector(me, n, differential=True)
    cells = [0] * n
    told = [[0] * n for _ in range(n)]
    for _ in range(300):
        if rng.random() < 0.6:
            site, number = rng.randrange(n), rng.randrange(40)
            vector.grow(site, number)
            cells[site] = max(cells[site], number)
        elif rng.random() < 0.1:
            saved = vector.save()
            vector = GrowingVector(me, n, differential=True)
            vector.load(saved)
            assert vector.save() == saved
        else:
            dst = rng.choice([site for site in range(n) if site != me])
            assert list(CHANGES.pack(vector.news_for(dst))) == [
                (s, cells[s]) for s in range(n) if cells[s] != told[dst][s]
            ]
            told[dst] = list(cells)
    assert [vector.at(site) for site in range(n)] == cells


@pytest.mark.parametrize("differential", [True, False])
def test_over_fifo_channels_everybody_learns_everything(differential: bool) -> None:
    n = 4
    vectors = [GrowingVector(site, n, differential) for site in range(n)]
    rng = random.Random(1)
    for _ in range(200):
        a, b = rng.sample(range(n), 2)
        vectors[a].grow(a, vectors[a].at(a) + 1)
        vectors[b].learn(vectors[a].news_for(b))
        assert all(vectors[b].at(s) >= vectors[a].at(s) for s in range(n))


def test_what_is_told_costs_two_integers_an_entry_or_one() -> None:
    vector = GrowingVector(0, 3, differential=True)
    vector.grow(2, 7)
    vector.grow(1, 5)
    news = vector.news_for(1)
    assert CHANGES.pack(news) == ((1, 5), (2, 7))
    assert CHANGES.integers(news) == 4
    assert CHANGES.pack(CHANGES.unpack([[1, 5], [2, 7]], 3)) == ((1, 5), (2, 7))
    assert CHANGES.integers(vector.news_for(1)) == 0
    assert WHOLE.integers(vector.cells) == 3


@pytest.mark.parametrize("bad", [[[3, 1]], [[0, -1]], [[0]], [0], 7, [[0, "x"]]])
def test_what_is_no_change_is_refused(bad: object) -> None:
    with pytest.raises(BadMessage):
        CHANGES.unpack(bad, 3)
