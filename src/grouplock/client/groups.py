"""What a request may name: one group, or any of several."""

from __future__ import annotations

from typing import final


@final
class AnyOf(tuple[str, ...]):
    """Acceptable groups; the cluster picks the one that is soonest."""

    __slots__ = ()


def any_of(*groups: str) -> AnyOf:
    return AnyOf(groups)


Wanted = str | AnyOf


def named(wanted: Wanted) -> tuple[str, ...]:
    if isinstance(wanted, str):
        return (wanted,)
    return tuple(wanted)
