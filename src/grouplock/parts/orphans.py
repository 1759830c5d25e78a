"""Who may still be inside because a dead site let it in: asked of every survivor.

What a dead site holds elsewhere is free when nobody is.  A survivor that has answered knows that
the site is dead, and is not let in by it any more, whatever is still on its way.  Who dies before
it has answered is asked about as well: it may have let in others.
"""

from __future__ import annotations

from bisect import insort
from typing import Final, NamedTuple, final

from grouplock.protocol.message import SITE, Message, Shape


@final
class Crashed(Message):
    """The leader that you named has crashed."""

    def __init__(self, site: int) -> None:
        self.site: Final = site


@final
class Orphans(Message):
    """A site has crashed: are you inside because it let you in?"""

    def __init__(self, site: int) -> None:
        self.site: Final = site


@final
class Calm(Message):
    """No, or not any more, and never again."""

    def __init__(self, site: int) -> None:
        self.site: Final = site


SHAPES: Final = (Shape(Crashed, site=SITE), Shape(Orphans, site=SITE), Shape(Calm, site=SITE))


class OrphansState(NamedTuple):
    dead: tuple[int, ...]
    asked: tuple[tuple[int, tuple[int, ...]], ...]
    owed: tuple[int, ...]


@final
class Survivor:
    """What a site knows of the dead."""

    def __init__(self, sites: list[int]) -> None:
        self.sites: Final = sites
        self.dead: list[int] = []
        self.asked: dict[int, list[int]] = {}  # by dead site: who has not said Calm yet
        self.owed: list[int] = []  # to whom we say it when we leave

    def living(self, sites: list[int]) -> list[int]:
        return [site for site in sites if site not in self.dead]

    def everybody(self) -> list[int]:
        return self.living(self.sites)

    def bury(self, site: int) -> bool:
        """Whether it died before it had answered."""
        insort(self.dead, site)
        self.owed = self.living(self.owed)
        silent = False
        for waiting in self.asked.values():
            if site in waiting:
                waiting.remove(site)
                silent = True  # then it is asked about as well, and all wait for those answers
        self.asked = {dead: waiting for dead, waiting in self.asked.items() if waiting}
        return silent

    def calm(self, site: int, src: int) -> bool:
        """Whether that was the last answer that we wait for."""
        self.asked[site].remove(src)
        if not self.asked[site]:
            del self.asked[site]
        return not self.asked

    def save(self) -> OrphansState:
        asked = [(site, tuple(waiting)) for site, waiting in sorted(self.asked.items())]
        return OrphansState(tuple(self.dead), tuple(asked), tuple(self.owed))

    def load(self, state: OrphansState) -> None:
        self.dead, self.owed = list(state.dead), list(state.owed)
        self.asked = {site: list(waiting) for site, waiting in state.asked}
