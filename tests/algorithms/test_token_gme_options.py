"""TokenGME with `secondary=once` and with bounded numbers; sections are those of paper 004."""

from __future__ import annotations

import random

import pytest

from grouplock.algorithms.token_gme import State
from grouplock.catalog import BadOption, find
from grouplock.protocol.message import Message
from grouplock.protocol.system import System
from tests.schedule import Schedule

ONCE = {"secondary": "once"}


def bounded(smax: int, policy: str = "priority") -> dict[str, str]:
    return {"policy": policy, **ONCE, "numbers": "bounded", "smax": str(smax)}


def schedule(n: int, options: dict[str, str]) -> Schedule:
    return Schedule(find("token-gme").system(n, options))


# Which options go together.


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"smax": "5"}, "smax=5 needs numbers=bounded"),
        ({"numbers": "bounded"}, "numbers=bounded needs secondary=once"),
        (bounded(1), "smax=1 is not between 2 and 1073741823"),
        (bounded(1 << 30), "smax=1073741824 is not between 2 and 1073741823"),
    ],
)
def test_what_is_not_specified_is_refused(options: dict[str, str], why: str) -> None:
    with pytest.raises(BadOption, match=why):
        find("token-gme").system(3, options)


# Section 5.2.2: at most one secondary for each process in a session.


def two_of_one_session(options: dict[str, str]) -> Schedule:
    """Site 0 is inside; site 1 gives its secondary back, for site 2's sake, and asks again."""
    s = schedule(3, options)
    s.ask(0, 0)
    s.ask(1, 0)
    s.settle()
    s.ask(2, 5)
    s.settle()
    s.leave(1)
    s.ask(1, 0)
    s.settle()
    return s


def test_any_number_of_secondaries() -> None:
    s = two_of_one_session({})
    assert s.who() == [0, 1]
    assert s.sites[0].save().issued == 2


def test_one_secondary_only() -> None:
    s = two_of_one_session(ONCE)
    assert s.who() == [0]
    holder: State = s.sites[0].save()
    assert (holder.issued, holder.lent) == (1, (1,))
    assert [site for site, _, _, _ in holder.queue] == [2, 1]
    s.drain()
    assert s.granted[-2:] == [(2, 1, 5), (1, 2, 0)]


def test_the_list_travels_with_the_primary() -> None:
    """The heir does not lend again to whom the one before it lent in the heir's session."""
    s = schedule(4, ONCE)
    s.ask(0, 0)
    s.ask(1, 5)
    s.ask(2, 5)
    s.settle()
    s.leave(0)
    s.settle()
    assert s.sites[1].save().lent == (2,)
    s.ask(3, 7)
    s.settle()
    s.leave(2)
    s.ask(2, 5)
    s.settle()
    assert s.who() == [1]
    s.drain()


# Section 5.2: bounded numbers.


class Bounds(Schedule):
    """Looks at every number after every step."""

    def __init__(self, system: System, smax: int) -> None:
        super().__init__(system)
        self.smax = smax
        self.resets = 0

    def hand(self, src: int, dst: int, msg: Message) -> list[object]:  # type: ignore[override]
        self.resets += type(msg).__name__ in ("RequestsReset", "SessionsReset")
        seen = super().hand(src, dst, msg)
        self.look(self.sites[dst].save())
        return seen  # type: ignore[return-value]

    def look(self, state: State) -> None:
        n, smax = self.system.n, self.smax
        places = [number % (smax + 1) for number in (*state.asked, *state.fulfilled)]
        assert max(places, default=0) <= smax
        assert max((*state.asked, *state.fulfilled)) <= 2 * smax + 1
        assert max(state.session, state.released_session) <= smax
        assert max(state.old, state.issued, state.released) <= n - 1
        heard, _, (_, _, counted, _, expected), (earlier, _) = state.numbers
        assert max(heard) <= smax
        assert max(counted, expected, earlier + state.issued) <= (n - 1) * (smax + 1)


@pytest.mark.parametrize("smax", [2, 3, 5])
@pytest.mark.parametrize("seed", range(24))
def test_section_5_2_3_no_number_grows_beyond_its_bound(smax: int, seed: int) -> None:
    """Where the paper says n for numbers of tokens n - 1 is enough: the primary is not counted."""
    n, groups = 2 + seed % 4, 1 + seed % 3
    policy = "fifo" if seed % 2 else "priority"
    s = Bounds(find("token-gme").system(n, bounded(smax, policy)), smax)
    s.run(seed, 12, groups, fifo=seed % 5 == 0)
    assert len(s.granted) == 12 * n
    if groups > 1 and smax == 2:
        assert s.resets >= n - 1


@pytest.mark.parametrize("smax", [2, 1000])
def test_both_keep_what_the_algorithm_does_without_bounds(smax: int) -> None:
    """One request after the other: the same grants, and resets beside what it costs anyway."""
    plain, with_bounds = schedule(4, ONCE), schedule(4, bounded(smax))
    rng = random.Random(3)
    for _ in range(40):
        site, group = rng.randrange(4), rng.randrange(3)
        for s in (plain, with_bounds):
            s.ask(site, group)
            s.settle()
            s.leave(site)
            s.settle()
    assert plain.granted == with_bounds.granted
    assert with_bounds.sent >= plain.sent
    assert (with_bounds.sent == plain.sent) == (smax == 1000)


def alternate(s: Schedule, *turns: tuple[int, int]) -> None:
    """Requests (site, group), one after the other."""
    for site, group in turns:
        s.ask(site, group)
        s.settle()
        s.leave(site)
        s.settle()


def kinds(s: Schedule) -> list[str]:
    return sorted([type(msg).__name__ for _, _, msg in s.flying])


def test_a_request_waits_for_the_reset_of_its_site_s_numbers() -> None:
    s = schedule(2, bounded(2))
    alternate(s, (1, 5), (0, 6))
    s.ask(1, 5)
    s.settle()
    s.leave(1)
    assert kinds(s) == ["ResetRequests"]
    s.ask(0, 6)
    s.deliver(0, 1, "Ask")
    s.deliver(1, 0, "Primary")
    s.leave(0)
    s.ask(1, 5)
    assert kinds(s) == ["ResetRequests", "ResetRequests"]  # also that of site 0; and no Ask
    s.drain()
    assert [site for site, _, _ in s.granted] == [1, 0, 1, 0, 1]


def test_a_held_token_is_used_without_a_number_meanwhile() -> None:
    s = schedule(2, bounded(2))
    alternate(s, (1, 5), (0, 6))
    s.ask(1, 5)
    s.settle()
    s.leave(1)
    s.ask(1, 5)
    assert s.who() == [1]
    s.leave(1)
    assert kinds(s) == ["ResetRequests"]  # once
    s.drain()


def test_a_reset_that_overtakes_an_ask_waits_for_it() -> None:
    """Section 5.2.1: the receiver waits until it has all of the smax Asks."""
    s = schedule(3, bounded(2))
    s.ask(1, 5)
    s.deliver(1, 0)
    s.deliver(0, 1)
    s.leave(1)
    s.ask(0, 0)
    s.deliver(0, 1)
    s.deliver(1, 0, "Primary")
    s.leave(0)
    s.ask(1, 5)
    s.deliver(1, 0)
    for site in (1, 2):
        s.deliver(0, site, "ResetSessions")
        s.deliver(site, 0, "SessionsReset")
    s.deliver(0, 1, "Primary")
    s.leave(1)  # its second and last number: both Asks to site 2 are on their way still
    before = s.sent
    s.deliver(1, 2, "ResetRequests")
    s.deliver(1, 2, "Ask", newest=True)
    assert s.sent == before
    s.deliver(1, 2, "Ask")
    assert s.sent == before + 1
    assert s.sites[2].save().asked[1] == 3  # place 0 of the other cycle
    s.drain()


def test_nothing_is_lent_while_sessions_begin_anew() -> None:
    s = schedule(3, bounded(2))
    alternate(s, (1, 5), (0, 6))  # sessions 1 and 2
    s.ask(1, 5)
    s.deliver(1, 0)
    assert kinds(s) == ["Ask", "ResetSessions", "ResetSessions"]
    s.ask(2, 6)
    s.deliver(2, 0, "Ask")
    s.ask(0, 6)
    assert s.who() == []  # though all of them want the group of site 0's token
    assert s.sites[0].save().issued == 0
    s.settle()
    assert (s.who(), s.sites[1].save().session) == ([1], 1)
    s.drain()


def test_sessions_begin_anew_when_all_secondaries_were_given_back() -> None:
    s = schedule(3, bounded(2))
    alternate(s, (1, 5), (0, 6))
    s.ask(2, 6)
    s.settle()
    s.ask(1, 5)
    s.settle()
    assert s.who() == [2]
    assert s.sites[0].tokens() == 1
    s.leave(2)
    s.deliver(2, 1, "Release")
    s.deliver(1, 0, "SessionsReset")
    assert s.sites[0].tokens() == 1  # it has not counted that Release itself
    s.deliver(2, 0, "Release")
    assert s.sites[0].tokens() == 1  # site 2 has answered, and that is on its way
    s.settle()
    assert s.who() == [1]


@pytest.mark.parametrize("smax", [2, 3, 5, 10])
def test_section_5_2_what_bounded_numbers_cost(smax: int) -> None:
    """2(n-1) messages after smax requests of a site, and after smax sessions; none else."""
    n, requests = 5, 60
    s, plain = schedule(n, bounded(smax)), schedule(n, ONCE)
    for turn in range(requests):
        site, group = turn % n, turn % 3
        for run in (s, plain):
            run.ask(site, group)
            run.settle()
            run.leave(site)
            run.settle()
    assert s.sent - plain.sent <= 4 * (n - 1) * requests / smax
    assert s.sent - plain.sent >= 2 * (n - 1) * (requests // n // smax) * n
