"""A failing scenario made smaller for as long as the same property fails: fewer of everything."""

from __future__ import annotations

from collections.abc import Iterator

from grouplock.twin.scenario import Scenario
from grouplock.twin.world import SHIPPED, Parts, run

TRIES = 400


def minimised(scenario: Scenario, parts: Parts = SHIPPED) -> Scenario:
    """Of every smaller one that still fails the first is taken, until none does."""
    name = run(scenario, parts).violated
    assert name, "a scenario that fails"
    tries = 0
    found = True
    while found:
        found = False
        for smaller in smaller_ones(scenario):
            tries += 1
            if tries > TRIES:
                return scenario
            if run(smaller, parts).violated == name:
                scenario, found = smaller, True
                break
    return scenario


def smaller_ones(s: Scenario) -> Iterator[Scenario]:
    """Large steps first."""
    size = len(s.faults)
    step = max(1, size // 2)
    while size:
        for at in range(0, size, step):
            yield s._replace(faults=s.faults[:at] + s.faults[at + step :])
        if step == 1:
            break
        step //= 2
    for field in ("tasks", "requests", "locks", "groups", "slots"):
        value = getattr(s, field)
        for less in dict.fromkeys((1, value // 2, value - 1)):
            if 0 < less < value:
                yield s._replace(**{field: less})
    used = max([place for f in s.faults for place in (*f.who, *f.others)], default=0)
    if s.clients > 1 and used < s.nodes + s.clients - 1:
        yield s._replace(clients=s.clients - 1)
