"""Mutants that nothing can notice, because they do the same, each with the reason."""

from __future__ import annotations

from typing import Final

# (algorithm, "function: operator: text") -> why it makes no difference
EQUIVALENT: Final[dict[tuple[str, str], str]] = {}
