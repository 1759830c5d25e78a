"""Packed messages of any table in the catalog, as hypothesis draws them, and their integers."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import strategies as st

from grouplock.catalog import ALGORITHMS
from grouplock.net.codec import digest
from grouplock.parts.bounded_numbers import TALLY
from grouplock.parts.growing_vector import CHANGES, ENTRIES
from grouplock.parts.inner import Inner
from grouplock.protocol.message import (
    CELL,
    CELL_LIMIT,
    COUNT,
    COUNT_LIMIT,
    COUNTS,
    FLAG,
    GROUPS,
    SITE,
    SITES,
    VECTOR,
    Kind,
    Messages,
    Records,
)

LONGEST: Final = 4  # of a list


def _tables() -> dict[str, Messages]:
    """Every table there is, each once: what an algorithm says may depend on its options."""
    found: dict[bytes, tuple[str, Messages]] = {}
    for algorithm in ALGORITHMS:
        for settled in algorithm.settings():
            table = algorithm.with_options(settled).messages
            name = " ".join([algorithm.name, *[f"{k}={v}" for k, v in settled.items()]])
            found.setdefault(digest(table), (name, table))
    return dict(found.values())


TABLES: Final = _tables()


def packed(table: Messages, n: int) -> st.SearchStrategy[tuple[Any, ...]]:
    shapes = [st.tuples(*[value(k, n) for _, k in shape.fields]) for shape in table.shapes]
    drawn = [st.tuples(st.just(i), fields) for i, fields in enumerate(shapes)]
    return st.one_of(drawn).map(lambda row: (row[0], *row[1]))


def value(kind: Kind, n: int) -> st.SearchStrategy[Any]:
    """Packed values that the kind takes among n sites."""
    if isinstance(kind, Inner):
        return st.integers(0, n - 1).flatmap(
            lambda gone: packed(kind.table, n - gone).map(lambda inside: (gone, *inside))
        )
    if isinstance(kind, Records):
        fields = st.tuples(*[value(k, n) for _, k in kind.shape.fields])
        return st.lists(fields, max_size=LONGEST).map(tuple)
    count = st.integers(0, COUNT_LIMIT - 1)
    site = st.integers(0, n - 1)
    kinds: dict[Kind, st.SearchStrategy[Any]] = {
        COUNT: count,
        TALLY: count,
        CELL: st.integers(0, CELL_LIMIT - 1),
        SITE: site,
        FLAG: st.booleans(),
        GROUPS: st.sets(st.integers(0, 9), min_size=1).map(sorted).map(tuple),
        VECTOR: st.tuples(*[st.integers(0, CELL_LIMIT - 1)] * n),
        SITES: st.lists(site, max_size=LONGEST).map(tuple),
        COUNTS: st.lists(count, max_size=LONGEST).map(tuple),
        CHANGES: value(ENTRIES, n) if kind is CHANGES else st.nothing(),
    }
    return kinds[kind]


def integers(table: Messages, message: tuple[Any, ...]) -> int:
    """What stands in a packed message beside its kind."""
    fields = table.shapes[message[0]].fields
    return sum([_integers(k, v) for (_, k), v in zip(fields, message[1:], strict=True)])


def _integers(kind: Kind, field: Any) -> int:
    if isinstance(kind, Inner):
        return 1 + integers(kind.table, field[1:])
    if kind is TALLY:
        return 1 if field else 0
    return _numbers(field)


def _numbers(field: Any) -> int:
    return sum([_numbers(v) for v in field]) if isinstance(field, tuple) else 1
