"""Numbers that start again: what a site of TokenGME counts so that all its numbers are bounded.

Paper 004, section 5.2, sets a number back to zero once it has reached `smax` and everybody has
said that nothing with an older number can be on its way.  Two things are mended.  A request's
number says also in which of two cycles it was made, because vectors that travel in tokens are
not set back: a number is (parity of the cycle, place in it), in one cell.  And while sessions
are numbered anew the primary token is frozen.
"""

from __future__ import annotations

from typing import Any, Final, final

from mypy_extensions import i32

from grouplock.parts.vectors import freeze, thaw, zeros
from grouplock.protocol.message import COUNT, Kind, Message, Shape

NOBODY: Final = -1

Saved = tuple[tuple[int, ...], ...]


@final
class _Tally(Kind):
    """A count that takes no room while it is zero, as it always is where nothing is bounded."""

    def unpack(self, packed: Any, n: int) -> Any:
        return COUNT.unpack(packed, n)

    def integers(self, value: Any) -> int:
        return 1 if value else 0

    def fixed(self) -> bool:
        return False


TALLY: Final[Kind] = _Tally()


@final
class ResetRequests(Message):
    """The sender's requests are numbered anew; it has made `smax` of them."""


@final
class RequestsReset(Message):
    """All those requests are here."""


@final
class ResetSessions(Message):
    """Sessions are numbered anew; so many secondaries were given out since they last were."""

    def __init__(self, secondaries: int) -> None:
        self.secondaries: Final = secondaries


@final
class SessionsReset(Message):
    """All those secondaries were given back."""


RESETS: Final = (
    Shape(ResetRequests),
    Shape(RequestsReset),
    Shape(ResetSessions, secondaries=COUNT),
    Shape(SessionsReset),
)


@final
class BoundedNumbers:
    def __init__(self, n: int, smax: int) -> None:
        self.n: Final = n
        self.smax: Final = smax
        self.cycle: Final = smax + 1  # places 0 to smax; 0 is nobody's request
        # Requests.
        self.heard = zeros(n)  # of each site, in its present cycle
        self.ending: list[int] = []  # whose cycle is over, though Asks of it are on their way
        self.acks = 0  # that the end of our own cycle still needs
        self.held = False  # our request waits until we may number it
        # Sessions, as everybody counts them: secondaries given back since they began anew.
        self.counted = 0
        self.resetter = NOBODY  # who begins anew, and how many were lent until then
        self.expected = 0
        # What the primary token's holder has besides: secondaries lent in earlier sessions, and
        # how many sites have not said yet that they counted them all.
        self.earlier = 0
        self.uncounted = 0

    # Requests.

    def is_new(self, asked: int, fulfilled: int) -> bool:
        """Whether a request is later than one that was answered, one cycle apart at most."""
        if asked % self.cycle == 0:
            return False
        return asked // self.cycle != fulfilled // self.cycle or asked > fulfilled

    def is_last(self, asked: int) -> bool:
        return asked % self.cycle == self.smax

    def restarted(self, asked: int) -> int:
        """The number before the first of the other cycle."""
        return 0 if asked >= self.cycle else self.cycle

    def hear(self, src: int) -> None:
        self.heard[src] += 1

    def all_heard(self, src: int) -> bool:
        return src in self.ending and self.heard[src] == self.smax

    def forget_cycle(self, src: int) -> None:
        self.ending.remove(src)
        self.heard[src] = i32(0)

    # Sessions.

    def frozen(self) -> bool:
        return self.uncounted > 0

    def expect(self, resetter: int, secondaries: int) -> None:
        self.resetter, self.expected = resetter, secondaries

    def all_counted(self) -> bool:
        assert self.resetter == NOBODY or self.counted <= self.expected
        return self.resetter != NOBODY and self.counted == self.expected

    def forget_sessions(self) -> int:
        """Who is to be told."""
        resetter = self.resetter
        self.resetter, self.expected, self.counted = NOBODY, 0, 0
        return resetter

    def save(self) -> Saved:
        return (
            freeze(self.heard),
            tuple(self.ending),
            (self.acks, int(self.held), self.counted, self.resetter, self.expected),
            (self.earlier, self.uncounted),
        )

    def load(self, saved: Saved) -> None:
        self.heard, self.ending = thaw(saved[0]), list(saved[1])
        self.acks, held, self.counted, self.resetter, self.expected = saved[2]
        self.held = held != 0
        self.earlier, self.uncounted = saved[3]
