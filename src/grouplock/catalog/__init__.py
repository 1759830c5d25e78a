"""The list of algorithms: names, options, claims, tables of messages.  Nothing here runs one."""

from grouplock.catalog.entries import ALGORITHMS, UnknownAlgorithm, find
from grouplock.catalog.entry import (
    Algorithm,
    BadOption,
    Bounds,
    Option,
    evaluate,
)

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "BadOption",
    "Bounds",
    "Option",
    "UnknownAlgorithm",
    "evaluate",
    "find",
]
