"""Concurrent entry: when nobody conflicts, nobody has to wait for an exit."""

from __future__ import annotations

from grouplock.protocol.groups import Groups


def congenial(inside: list[int], wanted: list[Groups]) -> bool:
    """Whether one group is that of all who are inside and acceptable to all who wait."""
    candidates: list[int] = []
    if inside:
        candidates = [inside[0]]
    elif wanted:
        candidates = list(wanted[0])
    for group in candidates:
        fits = True
        for other in inside:
            if other != group:
                fits = False
        for groups in wanted:
            if group not in groups:
                fits = False
        if fits:
            return True
    return False
