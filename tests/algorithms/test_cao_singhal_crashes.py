"""What Cao and Singhal's algorithm does about crashes: paper 002, section 6, repaired."""

from __future__ import annotations

from collections import Counter

import pytest

from grouplock.catalog import find
from grouplock.check.random_walk import walk
from grouplock.check.scope import Scope
from grouplock.protocol.effects import Effects
from grouplock.protocol.message import Message
from grouplock.protocol.system import System
from tests.crashes import Crashing

SETTINGS = [o for o in find("cao-singhal").settings() if o["faults"] == "on"]
each = pytest.mark.parametrize("options", SETTINGS, ids=["-".join(o.values()) for o in SETTINGS])
KINDS = [("majority", 5, 2), ("majority", 9, 3), ("plane", 7, 1), ("grid", 9, 1), ("tree", 7, 1)]
LARGE = [("plane", 13, 2), ("grid", 25, 2), ("tree", 15, 1), ("rst", 16, 2), ("grid-set", 16, 2)]
PAIRS = [("rst", 9), ("grid-set", 9), ("tree", 7), ("hierarchical", 9)]


def system(n: int, kind: str, **options: str) -> System:
    return find("cao-singhal").system(n, {"faults": "on", **options}, quorum=kind)


class Counting(Crashing):
    """By kind, what was sent."""

    def __init__(self, system: System) -> None:
        self.kinds: Counter[str] = Counter()
        super().__init__(system)

    def carry_out(self, site: int, out: Effects) -> list[tuple[object, ...]]:
        before = len(self.flying)
        seen = super().carry_out(site, out)
        self.kinds.update(type(msg).__name__ for _, _, msg in self.flying[before:])
        return seen


# Whatever the order of things.


@each
@pytest.mark.parametrize(("kind", "n", "faults"), KINDS)
def test_random_schedules_with_crashes(
    options: dict[str, str], kind: str, n: int, faults: int
) -> None:
    for seed in range(6):
        s = Crashing(find("cao-singhal").system(n, options, quorum=kind))
        s.run_crashing(seed, 4, 1, faults=faults, fifo=True)
        assert s.granted


@each
@pytest.mark.parametrize(("kind", "n", "faults"), KINDS)
def test_walks_with_starved_channels_and_crashes(
    options: dict[str, str], kind: str, n: int, faults: int
) -> None:
    """A crash takes any part of what is on its way, out of the middle too."""
    found = find("cao-singhal").system(n, options, quorum=kind)
    scope = Scope(groups=1, requests=3, events=("crash",), faults=faults)
    for seed in range(3):
        assert walk(found, scope.checked(found, walking=True), seed).violation is None


@pytest.mark.parametrize(("kind", "n", "faults"), LARGE)
def test_walks_with_crashes_among_many(kind: str, n: int, faults: int) -> None:
    found = system(n, kind, ahead="on", direct="on")
    scope = Scope(groups=1, requests=2, events=("crash",), faults=faults)
    for seed in range(2):
        assert walk(found, scope.checked(found, walking=True), seed).violation is None


# Section 6: masked, or formed anew.


def asked_anew(kind: str, n: int, redundant: str) -> bool:
    """Whether a site that waits for an arbiter that crashes has to make its request again."""
    s = Crashing(system(n, kind, redundant=redundant))
    site = n - 1
    s.ask(site, 0)
    stamp = s.sites[site].save().stamp
    others = [dst for src, dst, _ in s.flying if src == site]
    s.crash(others[0], tuple(range(n)))
    s.detect()
    assert s.who() == [site]
    return bool(s.sites[site].save().stamp > stamp)


@pytest.mark.parametrize(("kind", "n"), PAIRS)
def test_section_6_it_is_asking_more_that_masks_a_failure(kind: str, n: int) -> None:
    """In each of the four; the paper says that RST and grid-set mask, and tree and HQC do not.

    A quorum is minimal in all, so without one of its members it is none.
    """
    assert asked_anew(kind, n, "off")
    assert not asked_anew(kind, n, "on")


def test_section_6_what_it_takes_to_mask_one_failure() -> None:
    """How many make a quorum, and how many are asked where one of them may be missing."""
    asked = {}
    for kind, n in PAIRS:
        sizes = []
        for redundant in ("off", "on"):
            sites = system(n, kind, redundant=redundant).sites()
            sizes.append(max(len(site.arbiters()) for site in sites))  # type: ignore[attr-defined]
        asked[kind] = tuple(sizes)
    assert asked == {"rst": (6, 8), "grid-set": (4, 6), "tree": (4, 6), "hierarchical": (4, 6)}


@pytest.mark.parametrize(("kind", "n"), [("majority", 9), ("grid", 9), ("plane", 13), ("grid", 25)])
def test_a_failure_costs_probes_of_the_arbiters_that_it_had_locked(kind: str, n: int) -> None:
    """At most q arbiters probe those that wait there, n-2 others at most; each answers once.

    And who waits for the crashed arbiter asks anew: 3 for each arbiter, and one to let go of each.
    """
    s = Counting(system(n, kind))
    s.ask(0, 0)
    s.settle()
    for site in range(1, n):
        s.ask(site, 0)
    s.settle()
    members = max(len(site.arbiters()) for site in s.sites)  # type: ignore[attr-defined]
    asking = [x for x in s.sites[1:] if 0 in [seat[0] for seat in x.save().seats]]
    s.kinds.clear()
    s.crash(0)
    s.detect()
    assert 0 < s.kinds["Probe"] <= members * (n - 2)
    assert s.kinds["Probed"] == s.kinds["Probe"]
    assert s.kinds["Request"] <= members * len(asking)
    s.drain()
    assert sorted({site for site, _, _ in s.granted}) == list(range(n))


def test_a_permission_that_was_handed_on_is_found() -> None:
    """The holder leaves, its Reply arrives, it crashes and its Release is lost."""
    s = Crashing(system(5, "majority"))
    s.ask(0, 0)
    s.settle()
    s.ask(1, 0)
    s.settle()
    s.leave(0)
    s.crash(0, (2, 3, 4))
    s.detect()
    assert s.who() == [1]
    s.ask(4, 0)
    s.settle()
    assert s.who() == [1]
    s.leave(1)
    s.settle()
    assert s.who() == [4]


def test_the_fence_a_reply_of_the_dead_comes_too_late() -> None:
    """Who was probed takes nothing more from the crashed site, so two are never inside."""
    s = Crashing(system(5, "majority"))
    s.ask(0, 0)
    s.settle()
    s.ask(1, 0)
    s.settle()
    s.leave(0)
    late = [flight for flight in s.flying if flight[:2] == (0, 1)]
    assert late
    s.flying = []
    s.crash(0)
    s.detect()
    assert s.who() == [1]  # by permissions that were lost, found lost, and given anew
    messages: list[Message] = [msg for _, _, msg in late]
    for msg in messages:
        assert s.hand(0, 1, msg) == []
    s.leave(1)
    s.drain()
