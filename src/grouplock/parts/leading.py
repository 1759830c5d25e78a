"""What is said where who has a quorum leads others in: about grants, registrations, followers.

Each names a request by its stamp, and by its site where that is neither end's.
"""

from __future__ import annotations

from typing import Final, final

from grouplock.protocol.message import Message


@final
class Grant(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Release(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Preempt(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Yield(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Notice(Message):
    """Who asks will be let in by this leader."""

    def __init__(self, stamp: int, leader: int) -> None:
        self.stamp: Final = stamp
        self.leader: Final = leader


@final
class Follow(Message):
    """To a registered site: let this request in."""

    def __init__(self, stamp: int, site: int) -> None:
        self.stamp: Final = stamp
        self.site: Final = site


@final
class Success(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Fail(Message):
    """Somebody is registered before you, and will let you in."""

    def __init__(self, stamp: int, leader: int) -> None:
        self.stamp: Final = stamp
        self.leader: Final = leader


@final
class RGrant(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class RRelease(Message):
    def __init__(self, stamp: int) -> None:
        self.stamp: Final = stamp


@final
class Clear(Message):
    def __init__(self, stamp: int, group: int) -> None:
        self.stamp: Final = stamp
        self.group: Final = group


@final
class Cleared(Message):
    pass
