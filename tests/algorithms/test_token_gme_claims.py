"""What paper 004 claims of TokenGME in numbers, measured; sections and theorems are its own.

Single interactions that show a claim are in test_token_gme.py.
"""

from __future__ import annotations

import random

import pytest

from grouplock.algorithms.token_gme import Primary
from grouplock.catalog import find
from grouplock.measure.workload import Workload
from grouplock.sim.run import simulate
from tests.schedule import Schedule


class Queue(Schedule):
    """Watches the primary token's queue; adversaries ask so that one group is passed over."""

    def __init__(self, n: int, policy: str = "priority") -> None:
        self.oldest = 0
        self.heaviest = 0
        self.sessions_since: dict[int, int] = {}  # of each group, since it had one
        super().__init__(find("token-gme").system(n, {"policy": policy}))
        self.session = 0

    def watch(self, n: int) -> None:
        for queue, session, group in self.tokens():
            priorities: dict[int, int] = {}
            for waiter in queue:
                self.oldest = max(self.oldest, waiter[3])
                for wanted in waiter[2]:
                    priorities[wanted] = priorities.get(wanted, 0) + 1 + waiter[3]
            if session > self.session:
                self.session = session
                for other in self.sessions_since:
                    self.sessions_since[other] += 1
                self.sessions_since[group] = 0
                for wanted, priority in priorities.items():
                    since = self.sessions_since.get(wanted, session)
                    assert priority <= (since + 1) * n  # inequality (10); now of the next choice
            self.heaviest = max(self.heaviest, *priorities.values(), 0)

    def tokens(self) -> list[tuple[tuple[tuple[int, int, tuple[int, ...], int], ...], int, int]]:
        held = [site.save() for site in self.sites if site.tokens()]
        found = [(state.queue, state.session, state.group) for state in held]
        for _, _, msg in self.flying:
            if isinstance(msg, Primary):
                queue = tuple((w.site, w.number, w.groups, w.age) for w in msg.queue)
                found.append((queue, msg.session, msg.group))
        return found


def adversary(n: int, groups: int, seed: int, policy: str = "priority") -> Queue:
    """Site n-1 asks for a group of its own; all others crowd a group each time that they can."""
    rng = random.Random(seed)
    s = Queue(n, policy)
    left = 400
    crowd = 0
    while left:
        waiting = {site for site, _ in s.waiting} | {hold[0] for hold in s.inside}
        if n - 1 not in waiting:
            s.ask(n - 1, groups - 1)
        for site in range(n - 1):
            if site not in waiting and rng.random() < 0.9:
                s.ask(site, crowd % (groups - 1))
                left = max(0, left - 1)
        crowd += rng.random() < 0.7
        s.watch(n)
        for _ in range(rng.randrange(1, 3 * n)):
            if s.flying:
                s.hand(*s.flying.pop(0))
                s.watch(n)
        if s.inside:
            s.leave(rng.choice(s.inside)[0])
            s.watch(n)
    s.drain()
    return s


@pytest.mark.parametrize(("n", "groups"), [(4, 3), (7, 3), (7, 5)])
def test_theorem_6_how_often_a_request_is_passed_over(n: int, groups: int) -> None:
    """At most m(n+1) - 1 sessions begin before one of a queued group; far fewer are seen.

    The age of a request is the number of sessions begun since it was queued.
    """
    runs = [adversary(n, groups, seed) for seed in range(10)]
    assert 1 <= max(s.oldest for s in runs) <= groups * (n + 1) - 1
    assert max(s.heaviest for s in runs) <= groups * (n + 1)  # section 5.2.3
    assert max(s.oldest for s in runs) <= n + groups  # and this is what is seen


def test_section_4_3_six_pending_requests() -> None:
    """Two of x, four of y, all at about the same time: y is picked."""
    s = Schedule(find("token-gme").system(7, {}))
    s.ask(0, 0)
    for site, group in ((1, 1), (2, 1), (3, 2), (4, 2), (5, 2), (6, 2)):
        s.ask(site, group)
    s.settle()
    s.leave(0)
    s.settle()
    assert s.who() == [3, 4, 5, 6]


def test_theorem_7_within_a_hop_of_the_end_of_the_session() -> None:
    """All want one group: all have their tokens one hop after the last exit."""
    s = Schedule(find("token-gme").system(5, {}))
    s.ask(0, 0)
    for site in range(1, 5):
        s.ask(site, 1)
    s.settle()
    s.leave(0)
    for site in range(1, 5):
        s.deliver(0, site)
    assert s.who() == [1, 2, 3, 4]


@pytest.mark.parametrize("n", [10, 25, 100])
def test_theorem_8_messages(n: int) -> None:
    """At most 2n - 1 a request, and no less than 0: a held token costs nothing."""
    figures = simulate(find("token-gme").system(n, {}), Workload(n=n, requests=20)).figures
    assert 0 < figures.messages_per_request <= 2 * n - 1


@pytest.mark.parametrize("n", [10, 25, 100])
def test_theorem_9_amortised_size(n: int) -> None:
    """n - 1 Asks of 2, n - 1 Releases of 1, one token of n + 5: under 4 on average."""
    figures = simulate(find("token-gme").system(n, {}), Workload(n=n, requests=20)).figures
    assert figures.integers_per_message < 4


@pytest.mark.parametrize("n", [5, 25])
def test_theorem_10_synchronisation_delay_of_one_hop_under_load(n: int) -> None:
    """The longest of several hops: the mean over channels is more than the mean of one."""
    workload = Workload(n=n, requests=60, think=0.5)
    figures = simulate(find("token-gme").system(n, {}), workload).figures
    assert 0.5 <= figures.sync_delay["hops"] <= 2.0


def test_theorem_11_waiting_of_two_hops_alone() -> None:
    """Delays are exponential with mean 4; a request that finds its token waits for nothing."""
    workload = Workload(n=9, requests=300, think=20_000.0, groups=9)
    figures = simulate(find("token-gme").system(9, {}), workload).figures
    assert figures.waiting["mean"] <= 2 * 4.0


def test_section_5_1_sets_cost_their_size() -> None:
    """Amortised size O(g): an Ask has 1 + g integers; within two hops where nobody conflicts."""
    n = 6
    for named in (1, 2, 4):
        s = Schedule(find("token-gme").system(n, {}))
        s.ask(2, *range(named))
        assert s.integers == (n - 1) * (1 + named)
        s.deliver(2, 0)
        s.deliver(0, 2)
        assert s.who() == [2]
