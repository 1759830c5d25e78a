"""The catalog: options settled or refused, bounds evaluated, and held by what runs."""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm, BadOption, UnknownAlgorithm, evaluate, find
from grouplock.protocol.channel import ANY_ORDER
from grouplock.protocol.system import SETS, SLOTS
from tests.schedule import Schedule

EVERY = [
    pytest.param(algorithm, options, id="-".join([algorithm.name, *options.values()]))
    for algorithm in ALGORITHMS
    for options in algorithm.settings()
]


# Bounds.


@pytest.mark.parametrize(
    ("bound", "names", "expected"),
    [
        ("n", {"n": 5}, 5),
        ("3", {}, 3),
        ("2*n-1", {"n": 5}, 9),
        ("2*(n-1)", {"n": 5}, 8),
        ("3*(n-1)/n", {"n": 4}, 2.25),
        ("n-1-1", {"n": 5}, 3),
        ("6*q+k*m", {"q": 3, "k": 2, "m": 4}, 26),
    ],
)
def test_evaluate(bound: str, names: dict[str, float], expected: float) -> None:
    assert evaluate(bound, **names) == expected


@pytest.mark.parametrize("bound", ["n()", "[1]", "'n'", "n if n else 1"])
def test_a_bound_is_arithmetic(bound: str) -> None:
    with pytest.raises(AssertionError):
        evaluate(bound, n=1)


@pytest.mark.parametrize(("algorithm", "options"), EVERY)
@pytest.mark.parametrize("n", [1, 2, 5, 9])
@pytest.mark.parametrize("groups", [1, 2, 5])
def test_the_light_bound_holds(
    algorithm: Algorithm, options: dict[str, str], n: int, groups: int
) -> None:
    """Nobody else asks meanwhile, and all sites ask equally often."""
    system = algorithm.system(n, options, groups=groups)
    schedule = Schedule(system)
    rounds = 3 * groups
    for turn in range(rounds):
        for site in range(n):
            schedule.ask(site, (turn + site) % groups)
            schedule.settle()
            schedule.leave(site)
            schedule.settle()
    assert len(schedule.granted) == rounds * n
    assert schedule.sent <= system.light * rounds * n


@pytest.mark.parametrize(("algorithm", "options"), EVERY)
@pytest.mark.parametrize("seed", range(5))
def test_the_worst_bound_holds(algorithm: Algorithm, options: dict[str, str], seed: int) -> None:
    n, requests = 6, 8
    system = algorithm.system(n, options, groups=3)
    schedule = Schedule(system)
    schedule.run(seed, requests, 3, fifo=system.channel.fifo, withdrawals=False)
    assert len(schedule.granted) == n * requests
    assert schedule.sent <= system.worst * n * requests


# Names and options.


def test_names_are_unique_and_found() -> None:
    assert [find(a.name) for a in ALGORITHMS] == list(ALGORITHMS)
    assert len({a.name for a in ALGORITHMS}) == len(ALGORITHMS)


def test_an_unknown_name_is_answered_with_the_nearest() -> None:
    with pytest.raises(UnknownAlgorithm, match=r"'token-gm'; did you mean token-gme\? \(there are"):
        find("token-gm")
    with pytest.raises(UnknownAlgorithm, match=r"no algorithm 'zzz' \(there are: central"):
        find("zzz")


def test_options_settle_to_their_defaults() -> None:
    token_gme = find("token-gme")
    rest = {"secondary": "any", "numbers": "plain", "smax": "1000"}
    assert token_gme.settle({}) == {"policy": "priority", **rest}
    assert token_gme.settle({"policy": "fifo"}) == {"policy": "fifo", **rest}


def test_options_that_are_not_there_are_refused() -> None:
    with pytest.raises(BadOption, match=r"ra2 has no option 'x' \(it has: vectors\)"):
        find("ra2").settle({"x": "1"})
    with pytest.raises(BadOption, match=r"ra1 has no option 'x' \(it has: none\)"):
        find("ra1").settle({"x": "1"})
    with pytest.raises(BadOption, match="policy=best is not one of priority, fifo"):
        find("token-gme").settle({"policy": "best"})


# Systems.


@pytest.mark.parametrize(("algorithm", "options"), EVERY)
def test_a_system_makes_its_sites(algorithm: Algorithm, options: dict[str, str]) -> None:
    system = algorithm.system(3, options)
    assert (system.name, system.options, system.n, system.slots) == (algorithm.name, options, 3, 1)
    others = [[1, 2], [0, 2], [0, 1]] if algorithm.with_options(options).peers else [[], [], []]
    assert [(s.me, s.peers) for s in system.sites()] == list(enumerate(others))
    assert system.shared == algorithm.with_options(options).shared
    assert system.promises
    if system.messages.token is not None:
        assert sum([s.tokens() for s in system.sites()]) == 1


def test_what_the_five_claim() -> None:
    claimed = {a.name: (a.family, a.channel, set(a.supports) & {SETS, SLOTS}) for a in ALGORITHMS}
    assert claimed["central"] == ("group", ANY_ORDER, {SETS, SLOTS})
    assert claimed["ricart-agrawala"] == ("mutex", ANY_ORDER, set())
    assert claimed["suzuki-kasami"] == ("mutex", ANY_ORDER, set())
    assert claimed["ra1"] == ("group", ANY_ORDER, set())
    assert claimed["token-gme"] == ("group", ANY_ORDER, {SETS})
