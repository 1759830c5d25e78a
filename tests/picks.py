"""Choosers of quorums for tests: any quorums that one writes down."""

from __future__ import annotations

from grouplock.lab.runs.scenes import Given

__all__ = ["Given", "everybody"]


def everybody(n: int) -> Given:
    """Every node has to ask all."""
    return Given([tuple(range(n))] * n)
