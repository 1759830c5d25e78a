"""jiang's inner workings, in every state: what is stronger than what it promises."""

from __future__ import annotations

import pytest

from grouplock.algorithms.jiang import CS, WS, XS, State
from grouplock.catalog import find
from grouplock.check.scope import Scope
from tests.check.states import Local, every_state
from tests.errata.jiang import SINGLES, THREE
from tests.picks import ReadWrite

LEADER = -1


def sessions(state: tuple[Local, ...]) -> list[int]:
    """Who competes or leads, until its quorum is released."""
    found = []
    for site, local in enumerate(state):
        now: State = local.site
        if now.phase == WS or (now.phase in (CS, XS) and now.ref == LEADER):
            found.append(site)
    return found


@pytest.mark.parametrize(
    ("pick", "slots", "scope"),
    [
        (SINGLES, 2, Scope(groups=3, requests=1)),
        (THREE, 1, Scope(groups=2, requests=1)),
    ],
)
def test_sessions_have_disjoint_quorums_and_followers_are_known(
    pick: ReadWrite, slots: int, scope: Scope
) -> None:
    system = find("jiang").system(3, {"patience": "never"}, slots, pick=pick)
    met = quiet_waits = 0
    for state in every_state(system, scope):
        living = sessions(state)
        met = max(met, len(living))
        held = [v for site in living for v in state[site].site.got]
        assert len(held) == len({*held})
        assert len(living) <= slots
        for site in living:
            for v in state[site].site.got:
                assert state[v].site.registry.lock[0] == (state[site].site.current, site)
        for site, local in enumerate(state):
            now: State = local.site
            if now.phase == CS and now.ref != LEADER:
                assert (now.current, site) in state[now.ref].site.followers
        if all(local.quiet for local in state):
            # While its leader is inside nobody of a group waits.
            inside = {state[site].site.group for site in living if state[site].site.phase == CS}
            waiting = [local.site.group for local in state if local.wanted]
            assert not inside & {*waiting}
            quiet_waits += len(waiting)
    assert met == slots
    assert quiet_waits
