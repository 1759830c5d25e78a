"""A system run step by step, one interleaving at a time: live sites, clients and inboxes.

It chooses nothing: it says what may come next, does what it is told, and judges as it goes.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from grouplock.check.clients import (
    HELD,
    UNANSWERED,
    WAITING,
    Broken,
    Clients,
    after,
    ghosts_of,
    inputs,
    is_duty,
    named,
)
from grouplock.check.manager import Manager, crashed, renewed, reported, restarted
from grouplock.check.perform import Input, perform
from grouplock.check.scope import FAIL, RENEW, RESTART, Scope
from grouplock.measure.trace import Step
from grouplock.properties import (
    ASSERTION,
    CONCURRENT_ENTRY,
    EXCLUSION,
    INTEGRITY,
    NO_DEADLOCK,
    ONE_TOKEN,
    OVERTAKING,
    SERVED,
)
from grouplock.properties.entry import congenial
from grouplock.properties.exclusion import Occupancy
from grouplock.properties.overtaking import overtaken
from grouplock.protocol.effects import REPORT, SEND
from grouplock.protocol.groups import Groups
from grouplock.protocol.system import CRASH, VIEWS, System


class Choice(NamedTuple):
    """One thing that may come next; `lost` are the messages that a crash takes with it."""

    site: int  # n is the maker of views
    do: Input
    keep: bool = False  # a duplicating channel will deliver this message again
    lost: tuple[tuple[int, Input], ...] = ()  # (to whom, what)


class Violated(Exception):
    """What happened breaks these properties."""

    def __init__(self, properties: tuple[str, ...], reason: str) -> None:
        super().__init__(reason)
        self.properties: Final = properties
        self.reason: Final = reason


class _Mail(NamedTuple):
    src: int
    do: Input
    is_copy: bool = False


@final
class World:
    def __init__(self, system: System, scope: Scope) -> None:
        self.system: Final = system
        self.scope: Final = scope
        self.n: Final = system.n
        self.in_order: Final = system.channel.fifo and not system.channel.lossy
        self.sites: Final = system.sites()
        self.clients: Final = [Clients() for _ in range(system.n)]
        self.inboxes: Final[list[list[_Mail]]] = [[] for _ in range(system.n + 1)]
        self.manager = Manager(tuple(range(system.n)))
        self.met = False  # two were inside together
        self.steps: Final[list[Step]] = []

    # What may come next.

    def choices(self) -> list[Choice]:
        """Crashes and restarts come without losses here; whoever chooses may add some."""
        found: list[Choice] = []
        for site in range(self.n + 1):
            alive = site == self.n or site in self.manager.members
            if not alive:
                continue
            for mail in self._deliverable(site):
                found.append(Choice(site, mail.do))
                duplicates = self.system.channel.duplicates and mail.do[0] == "deliver"
                if duplicates and not mail.is_copy:
                    found.append(Choice(site, mail.do, keep=True))
            if site < self.n:
                found += [Choice(site, do) for do in inputs(site, self.clients[site], self.scope)]
        return found + self._faults()

    def _faults(self) -> list[Choice]:
        if self.manager.faults >= self.scope.faults:
            return []
        events = self.scope.events
        found: list[Choice] = []
        for site in self.manager.members:
            if FAIL in events:
                found.append(Choice(site, ("crash",)))
            if RESTART in events:
                clients = self.clients[site]
                found += [
                    Choice(site, ("restart", clients.disk + clients.unwritten[:written]))
                    for written in range(len(clients.unwritten) + 1)
                ]
        if RENEW in events:
            found.append(Choice(self.n, ("renew",)))
        return found

    def undelivered(self, site: int) -> list[tuple[int, Input]]:
        """What a crash of the site can take with it."""
        return [
            (dst, mail.do)
            for dst, inbox in enumerate(self.inboxes)
            for mail in inbox
            if mail.src == site and mail.do[0] == "deliver" and dst != site
        ]

    def is_duty(self, choice: Choice) -> bool:
        if choice.do[0] == "deliver":
            return any(
                mail.do == choice.do and not mail.is_copy for mail in self.inboxes[choice.site]
            )
        return choice.do[0] == "reported" or is_duty(choice.do)

    def _deliverable(self, site: int) -> list[_Mail]:
        found: list[_Mail] = []
        blocked: set[int] = set()
        for mail in self.inboxes[site]:
            if self._is_ordered(site, mail):
                if mail.src in blocked:
                    continue
                blocked.add(mail.src)
            if mail not in found:
                found.append(mail)
        return found

    def _is_ordered(self, site: int, mail: _Mail) -> bool:
        if mail.do[0] != "deliver":
            return bool(mail.do[0] != "notice")
        return not mail.is_copy and (self.in_order or mail.src == site)

    # Doing it.

    def do(self, choice: Choice) -> None:
        """Carry it out; `Violated` where it breaks a property."""
        site, do = choice.site, choice.do
        if do[0] in ("deliver", "reported", "notice", "report", "view"):
            self._take(choice)
        if site == self.n:
            self._manage(do)
        elif do[0] == "crash":
            self._crash(site, choice.lost)
        else:
            self._step(site, do, choice.lost)
        self._judge()

    def can_do(self, choice: Choice) -> bool:
        bare = choice._replace(lost=())
        return bare in self.choices()

    def _take(self, choice: Choice) -> None:
        """A copy is taken last: its loss would not be noticed."""
        inbox = self.inboxes[choice.site]
        mail = next(
            (m for m in self._deliverable(choice.site) if m.do == choice.do and not m.is_copy),
            None,
        )
        if mail is None:
            mail = next(m for m in inbox if m.do == choice.do)
        inbox.remove(mail)
        if choice.keep:
            inbox.append(mail._replace(is_copy=True))

    def _step(self, site: int, do: Input, lost: tuple[tuple[int, Input], ...]) -> None:
        if do[0] == "restart":
            self._lose(site, lost)
            others = [m for m in self.inboxes[site] if m.src not in (site, self.n)]
            self.inboxes[site] = others
            self.sites[site] = self.system.make(site)
            self.manager, words = restarted(self.manager, VIEWS in self.system.supports)
            self._tell(words)
        at = float(len(self.steps) + 1)
        self.steps.append(Step(at, site, do, ()))
        try:
            effects = perform(self.system, self.sites[site], do)
            self.steps[-1] = Step(at, site, do, effects)
            self.clients[site] = after(self.system, site, self.clients[site], do, effects)
        except Broken as broken:
            raise Violated((INTEGRITY,), f"site {site}: {broken}") from None
        except Exception as wrong:
            reason = f"site {site}: {type(wrong).__name__}: {wrong}"
            raise Violated((ASSERTION,), reason) from wrong
        if OVERTAKING in self.system.promises:
            rest = self.scope.at_once(self.n) - 1
            reason = overtaken(self.sites[site].passed(), self.system.patience, rest)
            if reason:
                raise Violated((OVERTAKING,), f"site {site}: {reason}")
        for effect in effects:
            if effect[0] == SEND and (effect[1] != site or self.system.channel.own):
                if effect[1] in self.manager.members:
                    self.inboxes[effect[1]].append(_Mail(site, ("deliver", site, effect[2])))
            elif effect[0] == REPORT:
                epoch = do[1] if do[0] == "report" else 0
                self.inboxes[self.n].append(_Mail(site, ("reported", site, epoch, effect[1])))

    def _crash(self, site: int, lost: tuple[tuple[int, Input], ...]) -> None:
        self._lose(site, lost)
        self.steps.append(Step(float(len(self.steps) + 1), site, ("crash",), ()))
        supports = self.system.supports
        ghosts = ghosts_of(site, self.clients[site])
        self.clients[site] = Clients(made=self.scope.requests)
        self.inboxes[site] = []
        self.manager, words = crashed(
            self.manager, site, ghosts, CRASH in supports, VIEWS in supports
        )
        self._tell(words)

    def _lose(self, site: int, lost: tuple[tuple[int, Input], ...]) -> None:
        for dst, do in lost:
            inbox = self.inboxes[dst]
            if self.system.channel.gaps:
                inbox.remove(next(m for m in inbox if m.src == site and m.do == do))
            else:  # as many, but the latest
                del inbox[max(at for at, mail in enumerate(inbox) if mail.src == site)]

    def _manage(self, do: Input) -> None:
        if do[0] == "renew":
            self.manager, words = renewed(self.manager)
        else:
            self.manager, words = reported(self.manager, *do[1:])
        self._tell(words)

    def _tell(self, words: list[tuple[int, Any]]) -> None:
        for dst, word in words:
            self.inboxes[dst].append(_Mail(self.n, word))

    # Judging.

    def _judge(self) -> None:
        promises = self.system.promises
        system = self.system
        occupancy = Occupancy(system.slots, system.shared, system.numbered)
        inside: list[int] = []
        wanted: list[Groups] = []
        unanswered: list[int] = []
        for site, clients in enumerate(self.clients):
            for call in clients.calls:
                if call.phase in UNANSWERED:
                    unanswered.append(call.rid)
                if call.phase == WAITING:
                    wanted.append(call.groups)
                if call.phase in HELD:
                    inside.append(call.group)
                    reason = occupancy.enter(site, call.rid, call.group, call.slot)
                    if reason and EXCLUSION in promises:
                        raise Violated((EXCLUSION,), reason)
        self.met = self.met or len(inside) > 1
        if ONE_TOKEN in promises and self.manager.faults == 0:
            self._judge_token()
        if unanswered:
            self._judge_stuck(unanswered, congenial(inside, wanted))

    def _judge_token(self) -> None:
        tokens = sum(site.tokens() for site in self.sites)
        token = self.system.messages.token
        kind = self.system.messages.place[token] if token is not None else -1
        for inbox in self.inboxes:
            for mail in inbox:
                if mail.do[0] == "deliver" and mail.do[2][0] == kind and not mail.is_copy:
                    tokens += 1
        if tokens != 1:
            raise Violated((ONE_TOKEN,), f"{tokens} tokens exist")

    def _judge_stuck(self, unanswered: list[int], is_congenial: bool) -> None:
        promises = self.system.promises
        duties = [choice.do[0] for choice in self.choices() if self.is_duty(choice)]
        names = "request " + ", ".join(named(rid) for rid in unanswered)
        if not duties:
            broken = tuple(p for p in (NO_DEADLOCK, SERVED) if p in promises)
            if broken:
                raise Violated(broken, f"nothing can happen, and {names} still waits")
        elif CONCURRENT_ENTRY in promises and is_congenial and set(duties) == {"release"}:
            reason = f"nobody conflicts, and {names} still waits until somebody leaves"
            raise Violated((CONCURRENT_ENTRY,), reason)
