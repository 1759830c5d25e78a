"""A message of one algorithm inside a message of another, among the sites that are left.

A parcel says how many of the n sites have gone; what is inside is checked among the others.
"""

from __future__ import annotations

from typing import Any, Final, final

from grouplock.protocol.message import COUNT, BadMessage, Kind, Message, Messages, Shape


@final
class Parcel:
    def __init__(self, gone: int, msg: Message) -> None:
        self.gone: Final = gone
        self.msg: Final = msg


@final
class Inner(Kind):
    """A parcel with a message of that table."""

    def __init__(self, table: Messages) -> None:
        self.table: Final = table

    def pack(self, value: Any) -> Any:
        parcel: Parcel = value
        return (parcel.gone, *self.table.pack(parcel.msg))

    def unpack(self, packed: Any, n: int) -> Any:
        if not isinstance(packed, (list, tuple)) or not packed:
            raise BadMessage(f"{packed!r:.40} is not a message inside a message")
        values = list(packed)
        gone: int = COUNT.unpack(values[0], n)
        if gone >= n:
            raise BadMessage(f"{gone} of {n} sites have gone, and somebody sent this")
        return Parcel(gone, self.table.unpack(values[1:], n - gone))

    def integers(self, value: Any) -> int:
        parcel: Parcel = value
        return 1 + self.table.integers(parcel.msg)

    def fixed(self) -> bool:
        return False

    def text(self) -> str:
        return f"<{self.table.text()}>"


def carrying(outer: Messages, inner: Messages) -> Messages:
    """The outer table, whose parcels have messages of the inner one."""
    shapes = []
    for shape in outer.shapes:
        fields: dict[str, Kind] = {}
        for name, kind in shape.fields:
            fields[name] = Inner(inner) if isinstance(kind, Inner) else kind
        shapes.append(Shape(shape.cls, **fields))
    return Messages(*shapes)
