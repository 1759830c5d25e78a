"""Rights: what whoever knows a token may do with the locks that a pattern names."""

from __future__ import annotations

import fnmatch
import hashlib
from collections.abc import Mapping
from typing import Final, final

HOLD: Final = "hold"
INSPECT: Final = "inspect"
FORCE: Final = "force"
ALL: Final = (HOLD, INSPECT, FORCE)
CACHED: Final = 1000  # answers of one token


@final
class Rights:
    """Of one token: patterns as in file names, each with what it allows."""

    def __init__(self, patterns: list[tuple[str, tuple[str, ...]]]) -> None:
        self.patterns: Final = patterns
        self.known: dict[tuple[str, str], bool] = {}

    def allow(self, right: str, name: str) -> bool:
        asked = (right, name)
        known = self.known.get(asked)
        if known is None:
            if len(self.known) >= CACHED:
                self.known = {}
            known = any([right in r and fnmatch.fnmatchcase(name, p) for p, r in self.patterns])
            self.known[asked] = known
        return known


@final
class Tokens:
    """Kept by their digests; with no token at all everybody may do everything."""

    def __init__(self, given: Mapping[str, Mapping[str, str]]) -> None:
        self.rights: Final = {
            digest(token): Rights([(p, tuple(r.split())) for p, r in patterns.items()])
            for token, patterns in given.items()
        }

    def of(self, token: str) -> Rights | None:
        return self.rights.get(digest(token))


def digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def wrong_rights(given: Mapping[str, Mapping[str, str]]) -> str:
    """What is wrong with them, without a token in it; empty: nothing."""
    for patterns in given.values():
        for pattern, rights in patterns.items():
            unknown = [right for right in rights.split() if right not in ALL]
            if unknown:
                return f"'{pattern}': '{unknown[0]}' is no right (there are: {', '.join(ALL)})"
    return ""
