"""Sanders' information structures: whom a site asks, and whom it tells that it has left.

A site is in its inform set, and that is a part of its request set.  Of any two sites either the
inform sets have a site in common, or each is in the other's request set: then there is somebody
who decides between them.
"""

from __future__ import annotations

from typing import Final, final

from mypy_extensions import mypyc_attr

from grouplock.protocol.pick import Pick

Sites = tuple[int, ...]


@mypyc_attr(allow_interpreted_subclasses=True)
class Structure:
    def asks(self, site: int) -> Sites:
        """The request set."""
        raise NotImplementedError

    def tells(self, site: int) -> Sites:
        """The inform set."""
        raise NotImplementedError

    def askers(self, site: int) -> Sites:
        """Who has this site in its request set."""
        raise NotImplementedError


@final
class OfQuorums(Structure):
    """Maekawa's: both are the site's quorum, and the site."""

    def __init__(self, n: int, pick: Pick) -> None:
        self.n: Final = n
        self.pick: Final = pick

    def asks(self, site: int) -> Sites:
        quorum = self.pick.quorum(site)
        assert quorum is not None
        return quorum if site in quorum else (site, *quorum)

    def tells(self, site: int) -> Sites:
        return self.asks(site)

    def askers(self, site: int) -> Sites:
        return tuple([other for other in range(self.n) if site in self.asks(other)])


@final
class OfEverybody(Structure):
    """Ricart and Agrawala's: a site asks all and tells itself."""

    def __init__(self, n: int) -> None:
        self.everybody: Final[Sites] = tuple(range(n))

    def asks(self, site: int) -> Sites:
        return self.everybody

    def tells(self, site: int) -> Sites:
        return (site,)

    def askers(self, site: int) -> Sites:
        return self.everybody
