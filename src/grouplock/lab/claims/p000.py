"""Paper 000: what it claims."""

from __future__ import annotations

from typing import Final

from grouplock.lab.claims.claim import Claim

CLAIMS: Final[tuple[Claim, ...]] = ()
