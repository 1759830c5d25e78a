"""Lamport stamps: a clock value and a site make a total order of requests."""

from __future__ import annotations


def precedes(stamp: int, site: int, other_stamp: int, other_site: int) -> bool:
    """Whether the first request is the older one; equal clocks are decided by the site."""
    return stamp < other_stamp or (stamp == other_stamp and site < other_site)
