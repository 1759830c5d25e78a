"""The numeric claims of the five papers, paper by paper, as data."""

from __future__ import annotations

from typing import Final

from grouplock.lab.claims import p000, p001, p002, p003, p004
from grouplock.lab.claims.claim import Claim

CLAIMS: Final[tuple[Claim, ...]] = (
    *p000.CLAIMS,
    *p001.CLAIMS,
    *p002.CLAIMS,
    *p003.CLAIMS,
    *p004.CLAIMS,
)
# How many lines there are of each paper; each has one entry at least.
LINES: Final = {"000": 43, "001": 8, "002": 38, "003": 16, "004": 52}
