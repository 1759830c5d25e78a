"""A broken promise stops the run and is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from grouplock.catalog import find
from grouplock.measure.workload import BadWorkload, Workload
from grouplock.properties import EXCLUSION, INTEGRITY, NO_DEADLOCK, ONE_TOKEN
from grouplock.protocol.groups import Groups
from grouplock.protocol.message import COUNT, Message, Messages, Shape
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site
from grouplock.sim.run import Violation, simulate
from grouplock.sim.trouble import Trouble
from tests.sim.chatter import chatter

WORKLOAD = Workload(n=3, requests=5, think=1.0)


class Coin(Message):
    def __init__(self, number: int) -> None:
        self.number = number


class Scripted(Site[tuple[Any, ...]]):
    """Does on a request what a test tells it."""

    def __init__(self, me: int, peers: list[int], script: Callable[..., None]) -> None:
        super().__init__(me, peers)
        self.script = script
        self.held = 1 if me == 0 else 0

    def request(self, rid: int, groups: Groups, out: Outbox) -> None:
        self.script(self, rid, groups, out)

    def release(self, rid: int, out: Outbox) -> None:
        pass

    def on_message(self, src: int, msg: Message, out: Outbox) -> None:
        self.held += 1

    def tokens(self) -> int:
        return self.held


def run(script: Callable[..., None], promises: tuple[str, ...] = ()) -> Violation | None:
    system = chatter(3)._replace(
        messages=Messages(Shape(Coin, number=COUNT), token=Coin),
        promises=promises,
        make=lambda me: Scripted(me, [p for p in range(3) if p != me], script),
    )
    return simulate(system, WORKLOAD).violation


def grant(site: Scripted, rid: int, groups: Groups, out: Outbox) -> None:
    out.granted(rid, groups[0])


def test_two_groups_inside_break_exclusion() -> None:
    violation = run(grant)
    assert violation is not None
    assert violation.property == EXCLUSION
    assert "group" in violation.reason


def test_waiting_for_ever_is_a_deadlock() -> None:
    violation = run(lambda site, rid, groups, out: None)
    assert violation == Violation(
        NO_DEADLOCK, "nothing can happen any more, and site 0, 1, 2 waits"
    )


@pytest.mark.parametrize(
    ("script", "says"),
    [
        (lambda site, rid, groups, out: out.granted(rid + 1, groups[0]), "does not wait"),
        (lambda site, rid, groups, out: out.granted(rid, 99), "not asked for"),
        (lambda site, rid, groups, out: out.withdrawn(rid), "not being withdrawn"),
    ],
    ids=["another request", "another group", "withdrawn unasked"],
)
def test_an_answer_to_what_was_not_asked_breaks_integrity(
    script: Callable[..., None], says: str
) -> None:
    violation = run(script)
    assert violation is not None
    assert violation.property == INTEGRITY
    assert says in violation.reason


def test_a_second_token_is_noticed_when_it_is_made() -> None:
    def forge(site: Scripted, rid: int, groups: Groups, out: Outbox) -> None:
        out.send(site.peers[0], Coin(1))

    assert run(forge, (ONE_TOKEN,)) == Violation(ONE_TOKEN, "there are 2 tokens")


def test_an_assertion_in_a_handler_is_a_violation() -> None:
    def fail(site: Scripted, rid: int, groups: Groups, out: Outbox) -> None:
        raise AssertionError("as it happens")

    violation = run(fail)
    assert violation is not None
    assert violation.property == "assertion"
    assert "as it happens" in violation.reason


def test_an_unwatched_run_goes_on() -> None:
    system = chatter(3)
    assert simulate(system, WORKLOAD._replace(groups=2), watched=False).violation is None


@pytest.mark.parametrize(
    "trouble",
    [Trouble(patience=1.0), Trouble(lease=1.0), Trouble(crashes=((1.0, 0),)), Trouble(lost=0.1)],
    ids=["withdraw", "leases", "crashes", "lossy channels"],
)
def test_what_an_algorithm_does_not_support_is_refused(trouble: Trouble) -> None:
    with pytest.raises(BadWorkload, match="ra1"):
        simulate(find("ra1").system(3, {}), WORKLOAD, trouble)


def test_withdrawn_requests_are_answered_and_nobody_is_forgotten() -> None:
    system = find("central").system(6, {})
    workload = Workload(n=6, requests=40)
    outcome = simulate(system, workload, Trouble(patience=12.0))
    assert outcome.violation is None
    assert 0 < outcome.figures.served < 240
