"""Messages, and the table in which an algorithm declares them.

A message is a small final class with final fields.  It is never changed after it was sent: one
object may be on its way to many sites.  From an algorithm's table the network builds its codec,
the simulator counts integers, the checker makes keys.

What comes from a socket is checked here, field by field (`BadMessage`): a site may rely on the
ranges that its table names.
"""

from __future__ import annotations

import itertools
from typing import Any, Final, final

from librt.vecs import vec
from mypy_extensions import i32, mypyc_attr

from grouplock.protocol.groups import Groups

# A packed message: (its place in the table, field, field, ...); fields are numbers and tuples.
Packed = tuple[Any, ...]

COUNT_LIMIT: Final = 1 << 62
CELL_LIMIT: Final = 1 << 31
LENGTH_LIMIT: Final = 1 << 20


@mypyc_attr(allow_interpreted_subclasses=True)
class Message:
    """What one site tells another."""


class BadMessage(ValueError):
    """Bytes that are no message of this algorithm; the sender's fault, not ours."""


@mypyc_attr(allow_interpreted_subclasses=True)
class Kind:
    """The type of a field: how it is packed, checked and counted."""

    def pack(self, value: Any) -> Any:
        return value

    def unpack(self, packed: Any, n: int) -> Any:
        raise NotImplementedError

    def integers(self, value: Any) -> int:
        return 1

    def fixed(self) -> bool:
        """Whether every value counts as one integer."""
        return True

    def text(self) -> str:
        """Differs where two kinds do, also in what they are made of."""
        return type(self).__name__


def _number(packed: Any, limit: int, what: str) -> int:
    if type(packed) is not int or not 0 <= packed < limit:
        raise BadMessage(f"{packed!r:.40} is not {what} (a whole number from 0 to {limit - 1})")
    return packed


def _sequence(packed: Any, what: str) -> list[Any]:
    if not isinstance(packed, (list, tuple)):
        raise BadMessage(f"{packed!r:.40} is not {what}")
    if len(packed) > LENGTH_LIMIT:
        raise BadMessage(f"{what} of {len(packed)} entries is too long")
    return list(packed)


@final
class _Count(Kind):
    """A number that grows: a clock, a sequence number, a session, a request's id."""

    def unpack(self, packed: Any, n: int) -> Any:
        return _number(packed, COUNT_LIMIT, "a count")


@final
class _Cell(Kind):
    """A count that its receiver keeps in a vector's cell."""

    def unpack(self, packed: Any, n: int) -> Any:
        return _number(packed, CELL_LIMIT, "a count")


@final
class _SiteId(Kind):
    def unpack(self, packed: Any, n: int) -> Any:
        return _number(packed, n, "a site")


@final
class _Flag(Kind):
    def unpack(self, packed: Any, n: int) -> Any:
        if type(packed) is not bool:
            raise BadMessage(f"{packed!r:.40} is not a flag")
        return packed


@final
class _Groups(Kind):
    def pack(self, value: Any) -> Any:
        return tuple(value)

    def unpack(self, packed: Any, n: int) -> Any:
        groups: Groups = tuple(
            [_number(g, COUNT_LIMIT, "a group") for g in _sequence(packed, "a set of groups")]
        )
        if not groups or any(a >= b for a, b in itertools.pairwise(groups)):
            raise BadMessage(f"{groups!r:.40} is not a sorted, non-empty set of groups")
        return groups

    def integers(self, value: Any) -> int:
        return len(value)

    def fixed(self) -> bool:
        return False


@final
class _Vector(Kind):
    """One 32-bit cell for each site."""

    def pack(self, value: Any) -> Any:
        return tuple(value)

    def unpack(self, packed: Any, n: int) -> Any:
        cells = [_number(c, CELL_LIMIT, "a cell") for c in _sequence(packed, "a vector")]
        if len(cells) != n:
            raise BadMessage(f"a vector of {len(cells)} cells among {n} sites")
        return vec[i32](cells)

    def integers(self, value: Any) -> int:
        return len(value)

    def fixed(self) -> bool:
        return False


@final
class _Sites(Kind):
    def pack(self, value: Any) -> Any:
        return tuple(value)

    def unpack(self, packed: Any, n: int) -> Any:
        return [_number(s, n, "a site") for s in _sequence(packed, "a list of sites")]

    def integers(self, value: Any) -> int:
        return len(value)

    def fixed(self) -> bool:
        return False


@final
class _Counts(Kind):
    """A list of numbers, which may be empty."""

    def pack(self, value: Any) -> Any:
        return tuple(value)

    def unpack(self, packed: Any, n: int) -> Any:
        return [_number(c, COUNT_LIMIT, "a count") for c in _sequence(packed, "a list of counts")]

    def integers(self, value: Any) -> int:
        return len(value)

    def fixed(self) -> bool:
        return False


COUNT: Final[Kind] = _Count()
CELL: Final[Kind] = _Cell()
SITE: Final[Kind] = _SiteId()
FLAG: Final[Kind] = _Flag()
GROUPS: Final[Kind] = _Groups()
VECTOR: Final[Kind] = _Vector()
SITES: Final[Kind] = _Sites()
COUNTS: Final[Kind] = _Counts()


@final
class Shape:
    """A class and its fields, in the order of its constructor's parameters."""

    def __init__(self, cls: type[Any], /, **fields: Kind) -> None:
        self.cls: Final = cls
        self.name: Final[str] = cls.__name__
        self.fields: Final[tuple[tuple[str, Kind], ...]] = tuple(fields.items())
        self.fixed: Final[bool] = all([kind.fixed() for _, kind in self.fields])

    def text(self) -> str:
        fields = ",".join([f"{name}:{kind.text()}" for name, kind in self.fields])
        return f"{self.name}({fields})"

    def pack(self, value: Any) -> Packed:
        return tuple([kind.pack(getattr(value, name)) for name, kind in self.fields])

    def unpack(self, packed: Any, n: int) -> Any:
        values = _sequence(packed, self.name)
        if len(values) != len(self.fields):
            raise BadMessage(f"{self.name} has {len(self.fields)} fields, {len(values)} were sent")
        return self.cls(
            *[kind.unpack(v, n) for (_, kind), v in zip(self.fields, values, strict=True)]
        )

    def integers(self, value: Any) -> int:
        if self.fixed:
            return len(self.fields)
        total = 0
        for name, kind in self.fields:
            total += kind.integers(getattr(value, name))
        return total


@final
class Records(Kind):
    """A list of records: what a queue inside a token looks like."""

    def __init__(self, shape: Shape) -> None:
        self.shape: Final = shape

    def pack(self, value: Any) -> Any:
        return tuple([self.shape.pack(record) for record in value])

    def unpack(self, packed: Any, n: int) -> Any:
        return [self.shape.unpack(p, n) for p in _sequence(packed, "a list of records")]

    def integers(self, value: Any) -> int:
        total = 0
        for record in value:
            total += self.shape.integers(record)
        return total

    def fixed(self) -> bool:
        return False

    def text(self) -> str:
        return f"[{self.shape.text()}]"


@final
class Messages:
    """An algorithm's table of messages; `token` is the one that must exist exactly once."""

    def __init__(self, *shapes: Shape, token: type[Any] | None = None) -> None:
        self.shapes: Final[tuple[Shape, ...]] = shapes
        self.token: Final = token
        self.place: Final[dict[type[Any], int]] = {s.cls: i for i, s in enumerate(shapes)}

    def text(self) -> str:
        """Equal for two tables with the same messages, fields and kinds in the same order."""
        return ";".join([shape.text() for shape in self.shapes])

    def shape_of(self, msg: Message) -> Shape:
        return self.shapes[self.place[type(msg)]]

    def integers(self, msg: Message) -> int:
        """What the message carries beside its kind and its sender."""
        return self.shapes[self.place[type(msg)]].integers(msg)

    def pack(self, msg: Message) -> Packed:
        place = self.place[type(msg)]
        return (place, *self.shapes[place].pack(msg))

    def unpack(self, packed: Any, n: int) -> Message:
        """The message among n sites, or `BadMessage`."""
        values = _sequence(packed, "a message")
        if not values:
            raise BadMessage("an empty message")
        place = _number(values[0], len(self.shapes), "a kind of message")
        msg: Message = self.shapes[place].unpack(values[1:], n)
        return msg

    def describe(self, packed: Packed) -> str:
        """A packed message for a person: `Ask(stamp=3, group=1)`."""
        shape = self.shapes[packed[0]]
        names = [name for name, _ in shape.fields]
        inner = ", ".join([f"{k}={v}" for k, v in zip(names, packed[1:], strict=True)])
        return f"{shape.name}({inner})"
