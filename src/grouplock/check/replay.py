"""Run a trace again, step by step: the inputs decide everything, the effects must be the same.

Works for the traces of all drivers.  It also follows who is inside, so that a violation of
exclusion shows at the step that makes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple, final

from grouplock.check.perform import perform
from grouplock.measure.trace import BadTrace, Step
from grouplock.properties.exclusion import Occupancy
from grouplock.protocol.effects import GRANTED, LOST, SEND, Effect
from grouplock.protocol.message import Messages
from grouplock.protocol.system import System


class Replayed(NamedTuple):
    """One step of the trace, as it went this time."""

    step: Step
    effects: tuple[Effect, ...]  # this time
    failure: str  # what the handler raised this time, or nothing
    wrong: str  # what is wrong with who is inside after it, or nothing
    inside: str  # who is inside after it

    @property
    def same(self) -> bool:
        """Whether it went as it did when the trace was written."""
        return self.effects == self.step.out


INPUTS: Final[dict[str, tuple[type, ...]]] = {  # what each is given
    "request": (int, tuple), "release": (int,), "withdraw": (int,), "deliver": (int, tuple),
    "timer": (int,), "crash": (), "notice": (int,), "setup": (int, bool), "report": (int,),
    "view": (int, tuple, tuple, tuple), "expire": (int,), "force": (int,), "persisted": (tuple,),
    "restart": (tuple,),
}  # fmt: skip
LENGTHS: Final = {SEND: 3, GRANTED: 6}  # of the effects that are put into words


def replay(system: System, steps: Iterable[Step]) -> Iterator[Replayed]:
    sites = system.sites()
    followed = Followed(system)
    for number, step in enumerate(steps, 1):
        check_step(system, number, step)
        site, do = step.site, step.do
        if do[0] == "restart":
            sites[site] = system.make(site)
        failure = ""
        effects: tuple[Effect, ...] = ()
        try:
            effects = perform(system, sites[site], do)
        except Exception as wrong:  # noqa: BLE001  a failing step is what the trace may be about
            failure = f"{type(wrong).__name__}: {wrong}"
        reason = followed.step(step, effects)
        yield Replayed(step, effects, failure, reason, followed.occupancy.describe())


def check_step(system: System, number: int, step: Step) -> None:
    """What a file says may be anything."""
    site: object = step.site
    if not (isinstance(site, int) and 0 <= site < system.n):
        raise BadTrace(f"step {number} is of site {site}; the sites are 0 to {system.n - 1}")
    if not isinstance(step.at, (int, float)):
        raise BadTrace(f"step {number} is at {step.at!r:.40}, which is no time")
    if not is_input(step.do):
        raise BadTrace(f"step {number} is no input that a site has: {step.do!r:.60}")
    try:
        if step.do[0] == "deliver":
            system.messages.unpack(step.do[2], system.n)
        for effect in step.out:
            if len(effect) != LENGTHS.get(effect[0], len(effect)):
                raise ValueError(f"{effect!r:.40} is no effect")
            if effect[0] == SEND:
                system.messages.unpack(effect[2], system.n)
    except (ValueError, TypeError, LookupError) as wrong:
        raise BadTrace(f"step {number} is not of this algorithm: {wrong}") from wrong


def is_input(do: object) -> bool:
    if not (isinstance(do, tuple) and do and isinstance(do[0], str) and do[0] in INPUTS):
        return False
    takes = INPUTS[do[0]]
    return len(do) == len(takes) + 1 and all(map(isinstance, do[1:], takes))


@final
class Followed:
    """Who is inside, by what was granted and given up."""

    def __init__(self, system: System) -> None:
        self.occupancy: Final = Occupancy(system.slots, system.shared, system.numbered)
        self.sessions: Final[dict[tuple[int, int], int]] = {}  # (site, rid) -> its session

    def step(self, step: Step, effects: tuple[Effect, ...]) -> str:
        """What is wrong after this step, or nothing."""
        site, do = step.site, step.do
        if do[0] in ("release", "withdraw", "expire"):
            self.leave(site, do[1])
        elif do[0] in ("crash", "restart"):
            for holder, rid in sorted(self.sessions):
                if holder == site:
                    self.leave(site, rid)
        elif do[0] == "setup" and not do[2]:
            for (holder, rid), session in sorted(self.sessions.items()):
                if holder == site and session == do[1]:
                    self.leave(site, rid)
        wrong: list[str] = []
        for effect in effects:
            if effect[0] == GRANTED:
                _, rid, group, slot, session, _ = effect
                self.sessions[(site, rid)] = session
                wrong.append(self.occupancy.enter(site, rid, group, slot))
            elif effect[0] == LOST:
                self.leave(site, effect[1])
        return "; ".join([reason for reason in wrong if reason])

    def leave(self, site: int, rid: int) -> None:
        if self.sessions.pop((site, rid), None) is not None:
            self.occupancy.leave(site, rid)


def input_in_words(step: Step, messages: Messages) -> str:
    kind, arguments = step.do[0], step.do[1:]
    if kind == "deliver":
        return f"receives {messages.describe(arguments[1])} from {arguments[0]}"
    return f"{kind} {_words(arguments)}".rstrip()


def effect_in_words(effect: Effect, messages: Messages) -> str:
    if effect[0] == SEND:
        return f"sends {messages.describe(effect[2])} to {effect[1]}"
    if effect[0] == GRANTED:
        _, rid, group, slot, session, _ = effect
        return f"grants {_words((rid,))}: group {group}, slot {slot}, session {session}"
    return f"{effect[0]} {_words(effect[1:])}".rstrip()


def _words(values: tuple[object, ...]) -> str:
    """Requests as `1.2`, the second of site 1; everything else as it is."""
    return " ".join(
        f"{v >> 32}.{v & 0xFFFFFFFF}" if isinstance(v, int) and v >= 1 << 32 else str(v)
        for v in values
    )
