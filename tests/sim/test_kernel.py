"""The fast kernel makes the same steps as the dumb one, at the same times."""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS, find
from grouplock.measure.workload import Workload
from grouplock.protocol.system import System
from tests.sim.chatter import chatter
from tests.sim.dumb import Dumb
from tests.sim.recording import record

CHANNELS = [
    (a.name, fifo) for a in ALGORITHMS for fifo in (True, False) if fifo or not a.channel.fifo
]


def assert_same_steps(system: System, workload: Workload, fifo: bool, watched: bool) -> None:
    expected = Dumb(system, workload, fifo).run()
    outcome, steps = record(system, workload, fifo=fifo, watched=watched)
    assert outcome.violation is None
    assert len(steps) == len(expected)
    for fast, (at, site, what, detail) in zip(steps, expected, strict=True):
        do = fast["do"]
        seen = do[1] if what != "deliver" else (do[1], _tuples(do[2]))
        assert (fast["site"], do[0], seen) == (site, what, detail)
        assert fast["at"] == pytest.approx(at, rel=1e-9)


def _tuples(value: object) -> object:
    return tuple([_tuples(v) for v in value]) if isinstance(value, list) else value


@pytest.mark.parametrize(("name", "fifo"), CHANNELS)
def test_every_algorithm_makes_the_same_steps(name: str, fifo: bool) -> None:
    for n, seed, bandwidth in ((1, 1, 0.0), (2, 2, 0.0), (5, 3, 10.0), (9, 4, 0.0)):
        workload = Workload(n=n, requests=12, seed=seed, bandwidth=bandwidth)
        system = find(name).system(n, {}, groups=workload.groups)
        assert_same_steps(system, workload, fifo, watched=True)


@pytest.mark.parametrize("fifo", [True, False], ids=["fifo", "any"])
@pytest.mark.parametrize("n", [3, 4, 8])
def test_every_way_of_sending_makes_the_same_steps(n: int, fifo: bool) -> None:
    for seed in range(5):
        workload = Workload(n=n, requests=4, think=3.0, delay=9.0, seed=seed)
        assert_same_steps(chatter(n), workload, fifo, watched=False)


@pytest.mark.parametrize("n", [3, 6])
def test_no_message_overtakes_another_on_its_channel(n: int) -> None:
    assert overtakings(n, fifo=True) == 0
    assert overtakings(n, fifo=False) > 0


def overtakings(n: int, fifo: bool) -> int:
    workload = Workload(n=n, requests=20, think=1.0, delay=20.0)
    _, steps = record(chatter(n), workload, fifo=fifo, watched=False)
    newest: dict[tuple[int, int], int] = {}
    found = 0
    for step in steps:
        if step["do"][0] == "deliver":
            _, src, (_, number) = step["do"]
            channel = (src, step["site"])
            found += number < newest.get(channel, 0)
            newest[channel] = max(number, newest.get(channel, 0))
    return found


def test_without_delay_messages_still_keep_their_order() -> None:
    workload = Workload(n=4, requests=30, think=0.0, inside=0.0, delay=0.0)
    _, steps = record(chatter(4), workload, watched=False)
    newest: dict[tuple[int, int], int] = {}
    for step in steps:
        if step["do"][0] == "deliver":
            _, src, (_, number) = step["do"]
            assert number > newest.get((src, step["site"]), 0)
            newest[src, step["site"]] = number


def test_the_same_seed_gives_the_same_run_and_another_seed_another() -> None:
    system = find("token-gme").system(7, {})
    runs = [record(system, Workload(n=7, requests=20, seed=seed)) for seed in (5, 5, 6)]
    assert runs[0][1] == runs[1][1]
    assert runs[0][1] != runs[2][1]
