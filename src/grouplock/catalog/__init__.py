"""The list of algorithms: names, options, claims, tables of messages.  Nothing here runs one."""

from grouplock.catalog.entries import ALGORITHMS, UnknownAlgorithm, find
from grouplock.catalog.entry import (
    Algorithm,
    BadOption,
    Bounds,
    Option,
    Options,
    evaluate,
)

__all__ = [
    "ALGORITHMS",
    "Algorithm",
    "BadOption",
    "Bounds",
    "Option",
    "Options",
    "UnknownAlgorithm",
    "evaluate",
    "find",
]
