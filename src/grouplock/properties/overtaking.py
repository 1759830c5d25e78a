"""Overtaking: how many sessions begin past a request that waits."""

from __future__ import annotations


def overtaken(passed: int, patience: float, others: int) -> str:
    """The empty string, or what is wrong with a request that so many sessions have passed."""
    most = patience + others
    if passed <= most:
        return ""
    return f"{passed} sessions began past a request that waits; at most {most:g} may"
