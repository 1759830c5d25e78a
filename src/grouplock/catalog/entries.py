"""The algorithms themselves.  To add one: its file in algorithms/, one entry in its family."""

from __future__ import annotations

import difflib
from typing import Final

from grouplock.catalog import group, mutex, quorum_group, quorum_mutex, restarting, slotted
from grouplock.catalog.entry import Algorithm

ALGORITHMS: Final[tuple[Algorithm, ...]] = (
    *mutex.ALGORITHMS,
    *quorum_mutex.ALGORITHMS,
    *group.ALGORITHMS,
    *quorum_group.ALGORITHMS,
    *slotted.ALGORITHMS,
    *restarting.ALGORITHMS,
)

_BY_NAME: Final = {a.name: a for a in ALGORITHMS}


class UnknownAlgorithm(ValueError):
    """A name that the catalog does not have; the message says which it has."""


def find(name: str) -> Algorithm:
    try:
        return _BY_NAME[name]
    except KeyError:
        near = difflib.get_close_matches(name, _BY_NAME, n=1)
        hint = f"; did you mean {near[0]}?" if near else ""
        names = ", ".join(_BY_NAME)
        raise UnknownAlgorithm(f"no algorithm '{name}'{hint} (there are: {names})") from None
