"""A mutant: one edit of an algorithm's text, and the property that is named for catching it."""

from __future__ import annotations

from typing import Final, NamedTuple

from grouplock.check.scope import Scope
from tests.variants import Variant

ONCE: Final = Scope(groups=2, requests=1)


class Mutant(NamedTuple):
    variant: Variant
    caught_by: str
    scope: Scope

    @property
    def name(self) -> str:
        return self.variant.name


def mutant(
    name: str,
    algorithm: str,
    before: str,
    after: str,
    caught_by: str,
    n: int = 2,
    scope: Scope = ONCE,
    slots: int = 1,
    options: dict[str, str] | None = None,
    quorum: str | None = None,
) -> Mutant:
    edits = ((before, after),)
    groups = scope.groups
    variant = Variant(name, algorithm, edits, n, options or {}, slots, quorum, groups)
    return Mutant(variant, caught_by, scope)
