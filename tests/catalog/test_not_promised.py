"""What an algorithm does not promise it does not have: the catalog leaves nothing out.

Joung's concurrent entry is the promise that some sharing algorithms make and others do not.
"""

from __future__ import annotations

import pytest

from grouplock.catalog import ALGORITHMS, Algorithm
from grouplock.check.checker import VIOLATED, check
from grouplock.check.scope import Scope
from grouplock.properties import CONCURRENT_ENTRY
from grouplock.protocol.system import CRASH

WITHOUT = [
    pytest.param(entry, options, id="-".join([entry.name, *options.values()]))
    for entry in ALGORITHMS
    for options in entry.settings()
    for settled in [entry.with_options(options)]
    if settled.shared and CONCURRENT_ENTRY not in settled.promises
]


@pytest.mark.parametrize(("entry", "options"), WITHOUT)
def test_without_the_promise_somebody_waits_though_nobody_conflicts(
    entry: Algorithm, options: dict[str, str]
) -> None:
    """All want the same group, two or three sites; who recovers from crashes needs one for that."""
    events = ("crash",) if CRASH in entry.supports and not entry.quorums else ()
    found = []
    for n in (2, 3):
        system = entry.system(n, options, groups=2)
        claiming = system._replace(promises=(*system.promises, CONCURRENT_ENTRY))
        result = check(claiming, Scope(groups=1, requests=1, events=events))
        found.append(result.properties[CONCURRENT_ENTRY])
    assert VIOLATED in found


def test_there_are_such_algorithms() -> None:
    names = {str(case.id).split("-")[0] for case in WITHOUT}
    assert {"surrogate", "sanders", "manabe", "maekawa", "restart"} <= names
