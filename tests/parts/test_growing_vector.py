"""Differential vectors tell what whole ones tell, and no more than what changed."""

from __future__ import annotations

import random

import pytest

from grouplock.parts.growing_vector import CHANGES, WHOLE, Entry, GrowingVector
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
            news = [(entry.site, entry.number) for entry in vector.news_for(dst)]
            assert news == [(s, cells[s]) for s in range(n) if cells[s] != told[dst][s]]
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


def test_what_a_whole_vector_costs_and_refuses() -> None:
    entries = [Entry(site, site + 5) for site in range(3)]
    assert WHOLE.pack(entries) == (5, 6, 7)
    assert WHOLE.integers(entries) == 3
    assert CHANGES.integers(entries) == 6
    assert [e.number for e in WHOLE.unpack([5, 6, 7], 3)] == [5, 6, 7]
    for bad in ([5, 6], [5, 6, 7, 8], [5, 6, -1], 7, [5, 6, "x"]):
        with pytest.raises(BadMessage):
            WHOLE.unpack(bad, 3)
