"""The simulator's figures against what the papers' formulas and plain sense say."""

from __future__ import annotations

import pytest

from grouplock.catalog import find
from grouplock.measure.figures import Figures
from grouplock.measure.workload import Workload
from grouplock.sim.kernel import Kernel
from grouplock.sim.run import simulate
from grouplock.sim.trouble import NO_TROUBLE


def figures(name: str, **workload: float) -> Figures:
    w = Workload(**workload)  # type: ignore[arg-type]
    outcome = simulate(find(name).system(w.n, {}, w.slots), w)
    assert outcome.violation is None
    return outcome.figures


def test_permission_algorithms_send_two_messages_to_each_other_site() -> None:
    for name in ("ricart-agrawala", "ra1"):
        for n in (2, 5, 9):
            assert figures(name, n=n, requests=20).messages_per_request == 2 * (n - 1)


def test_a_coordinator_costs_three_messages_but_for_its_own_clients() -> None:
    assert figures("central", n=6, requests=30).messages == 3 * 5 * 30


def test_one_site_alone_sends_nothing_and_waits_for_nothing() -> None:
    for name in ("central", "suzuki-kasami", "ricart-agrawala", "ra1", "token-gme"):
        alone = figures(name, n=1, requests=50)
        assert (alone.messages, alone.waiting["max"], alone.served) == (0, 0.0, 50)


def test_light_load_waits_two_hops_and_heavy_load_hands_over_in_one() -> None:
    # Of exponential delays the mean of a hop is the channel's, the mean of n-1 answers is not.
    light = figures("suzuki-kasami", n=5, requests=2000, think=1e5)
    assert light.waiting["mean"] / 4.0 == pytest.approx(2.0 * 4 / 5, rel=0.05)  # a fifth holds it
    heavy = figures("suzuki-kasami", n=25, requests=400)
    assert heavy.sync_delay["hops"] == pytest.approx(1.0, abs=0.03)
    assert heavy.messages_per_request == pytest.approx(25, abs=0.1)


def test_throughput_is_what_hand_over_and_stay_leave() -> None:
    # Under load a mutex serves one request each hop plus mean stay.
    heavy = figures("suzuki-kasami", n=25, requests=400)
    assert heavy.throughput == pytest.approx(1 / (4.0 + 2.0), rel=0.03)


def test_groups_share_and_a_mutex_does_not() -> None:
    assert figures("token-gme", n=9, groups=1).concurrency["max"] > 5
    assert figures("suzuki-kasami", n=9, groups=1).concurrency["max"] == 1


def test_bandwidth_delays_by_size() -> None:
    fast = figures("suzuki-kasami", n=25, requests=100)
    slow = figures("suzuki-kasami", n=25, requests=100, bandwidth=10)
    # A token of 25 cells and some waiters, with its header, at ten integers a unit.
    assert slow.sync_delay["mean"] > fast.sync_delay["mean"] + 25 / 10


def test_memory_grows_with_what_is_in_flight_and_not_with_the_run() -> None:
    def flights(requests: int) -> int:
        w = Workload(n=10, requests=requests)
        kernel = Kernel(find("ra1").system(10, {}), w, NO_TROUBLE, True, True)
        while kernel.run(10_000):
            pass
        return max(len(kernel.flights), int(kernel.last.capacity))

    # A table is doubled while a quarter of it is in use, and there are 90 channels.
    assert flights(1000) <= 512
