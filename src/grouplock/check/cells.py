"""The explorer's columns: a site, its clients and its inbox together, interned as one number.

A global state is a row of such numbers.  A step changes its own column and appends to others, so
that every local step and every append is worked out once and is then a step between numbers.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
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
    place_of,
)
from grouplock.check.manager import Manager, Word, crashed, renewed, reported, restarted
from grouplock.check.perform import Input, perform
from grouplock.check.scope import FAIL, RENEW, RESTART, Scope
from grouplock.properties import ASSERTION, INTEGRITY, OVERTAKING
from grouplock.properties.overtaking import overtaken
from grouplock.protocol.effects import REPORT, SEND
from grouplock.protocol.groups import Groups
from grouplock.protocol.site import Site
from grouplock.protocol.system import CRASH, VIEWS, System

# What a move is, as bits.
DUTY: Final = 1  # it surely happens in the end
EXIT: Final = 2  # somebody leaves
BROKEN: Final = 4  # the step itself is a violation; the new cell is its number in `faults`

DEAD: Final = None  # the local value of a crashed site
AFTER_FAULT: Final = 1000  # so many tokens stand for "not to be counted any more"


class Parcel(NamedTuple):
    """A message on its way, or a word of the manager's, which is not one."""

    src: int
    dst: int
    packed: tuple[Any, ...]
    is_word: bool = False
    is_copy: bool = False  # of a message that a duplicating channel has delivered already


class Hold(NamedTuple):
    rid: int
    group: int
    slot: int


class Facts(NamedTuple):
    """What the properties have to know of a cell."""

    unanswered: int  # requests that wait for an answer of the algorithm's, as bits
    waiting: int  # requests that wait for entry, as bits
    holds: tuple[Hold, ...]
    wanted: tuple[Groups, ...]  # by the requests that wait for entry
    tokens: int
    place: int  # of its holds: 0 none, one number for equal (group, slot), -1 different ones


class Move(NamedTuple):
    do: Input
    cell: int
    bits: int
    sends: tuple[int, ...]  # for each column the number of a bundle of parcels; 0 is nothing


class _Local(NamedTuple):
    """The result of a local step: the new local value, the parcels sent, or what is wrong."""

    value: int
    parcels: tuple[Parcel, ...]
    wrong: tuple[str, str] | None = None  # property, reason


@final
class Cells:
    def __init__(self, system: System, scope: Scope) -> None:
        self.system: Final = system
        self.scope: Final = scope
        self.width: Final = system.n + (1 if scope.has_faults() else 0)
        self.in_order: Final = system.channel.fifo and not system.channel.lossy
        self.sites: Final[list[Site[Any]]] = system.sites()
        self.values: Final[list[tuple[int, int, tuple[int, ...]]]] = []  # column, local, inbox
        self.facts: Final[list[Facts]] = []
        self.faults: Final[list[tuple[str, str]]] = []  # property, reason
        self._cells: Final[dict[tuple[int, int, tuple[int, ...]], int]] = {}
        self._locals: Final[dict[Any, int]] = {}
        self._local_values: Final[list[Any]] = []
        self._parcels: Final[dict[Parcel, int]] = {}
        self._parcel_values: Final[list[Parcel]] = []
        self._bundles: Final[dict[tuple[int, ...], int]] = {(): 0}
        self._bundle_values: Final[list[tuple[int, ...]]] = [()]
        self._steps: Final[dict[tuple[int, int, Input], _Local]] = {}
        self._places: Final[dict[tuple[int, int], int]] = {}

    def start(self) -> list[int]:
        row = [self._cell(s.me, self._local((s.save(), Clients())), ()) for s in self.sites]
        if self.scope.has_faults():
            manager = Manager(tuple(range(self.system.n)))
            row.append(self._cell(self.system.n, self._local(manager), ()))
        return row

    # The two operations that the explorer memoises.

    def moves(self, cell: int) -> list[Move]:
        """All steps that can come from this column alone."""
        me, local, inbox = self.values[cell]
        found: list[Move] = []
        if self._local_values[local] is DEAD:
            return found
        for at in self._deliverable(me, inbox):
            parcel = self._parcel_values[inbox[at]]
            rest = inbox[:at] + inbox[at + 1 :]
            if parcel.is_word:
                do = ("reported", parcel.src, *parcel.packed) if me == self.system.n else parcel[2]
            else:
                do = ("deliver", parcel.src, parcel.packed)
            bits = 0 if parcel.is_copy else DUTY
            found.append(self._move(me, local, rest, do, bits))
            if self.system.channel.duplicates and not parcel.is_copy and not parcel.is_word:
                copy = self._parcel(parcel._replace(is_copy=True))
                found.append(self._move(me, local, self._sorted((*rest, copy)), do, bits))
        if me == self.system.n:
            manager: Manager = self._local_values[local]
            if RENEW in self.scope.events and manager.faults < self.scope.faults:
                found.append(self._move(me, local, inbox, ("renew",), 0))
            return found
        for do in inputs(me, self._local_values[local][1], self.scope):
            bits = (DUTY if is_duty(do) else 0) | (EXIT if do[0] == "release" else 0)
            found.append(self._move(me, local, inbox, do, bits))
        return found

    def push(self, cell: int, bundle: int) -> int:
        """The cell with more parcels in its inbox."""
        me, local, inbox = self.values[cell]
        if self._local_values[local] is DEAD:
            return cell
        return self._cell(me, local, self._sorted(inbox + self._bundle_values[bundle]))

    # Faults: they reach into every column.

    def fault_moves(self, row: list[int]) -> list[tuple[Input, list[int]]]:
        """Every crash and restart that can come now, with every loss; (site, input), new row."""
        if self.width == self.system.n:
            return []
        manager: Manager = self._local_values[self.values[row[-1]][1]]
        if manager.faults >= self.scope.faults:
            return []
        found: list[tuple[Input, list[int]]] = []
        for site in manager.members:
            if FAIL in self.scope.events:
                found += self._crashes(row, site)
            if RESTART in self.scope.events:
                found += self._restarts(row, site)
        return found

    def _crashes(self, row: list[int], site: int) -> list[tuple[Input, list[int]]]:
        n = self.system.n
        supports = self.system.supports
        manager, words = crashed(
            self._local_values[self.values[row[n]][1]],
            site,
            ghosts_of(site, self._local_values[self.values[row[site]][1]][1]),
            CRASH in supports,
            VIEWS in supports,
        )
        found: list[tuple[Input, list[int]]] = []
        for lost, after_loss in self._losses(row, site):
            fresh = list(after_loss)
            fresh[site] = self._cell(site, self._local(DEAD), ())
            fresh[n] = self._cell(n, self._local(manager), self.values[fresh[n]][2])
            self._tell(fresh, words)
            found.append((("crash", site, lost), fresh))
        return found

    def _restarts(self, row: list[int], site: int) -> list[tuple[Input, list[int]]]:
        n = self.system.n
        manager: Manager = self._local_values[self.values[row[n]][1]]
        manager, words = restarted(manager, VIEWS in self.system.supports)
        _, local, inbox = self.values[row[site]]
        inbox = tuple(p for p in inbox if not self._dies_with(site, p))
        clients: Clients = self._local_values[local][1]
        found: list[tuple[Input, list[int]]] = []
        for written in range(len(clients.unwritten) + 1):
            records = clients.disk + clients.unwritten[:written]
            move = self._move(site, local, inbox, ("restart", records), 0)
            if move.bits & BROKEN:
                found.append((("restart", site, (), records), [-1 - move.cell]))
                continue
            for lost, after_loss in self._losses(row, site):
                fresh = list(after_loss)
                fresh[site] = move.cell
                fresh[n] = self._cell(n, self._local(manager), self.values[fresh[n]][2])
                for dst in range(self.width):
                    if move.sends[dst]:
                        fresh[dst] = self.push(fresh[dst], move.sends[dst])
                self._tell(fresh, words)
                found.append((("restart", site, lost, records), fresh))
        return found

    def _dies_with(self, site: int, p: int) -> bool:
        """What a process has sent itself, and what the manager told it."""
        parcel: Parcel = self._parcel_values[p]
        return parcel.src == site or parcel.is_word

    def _tell(self, row: list[int], words: list[tuple[int, Word]]) -> None:
        n = self.system.n
        for dst, word in words:
            row[dst] = self.push(row[dst], self._bundle([self._word(n, dst, word)]))

    def _losses(self, row: list[int], site: int) -> list[tuple[tuple[Parcel, ...], list[int]]]:
        """Every way in which a site's undelivered messages can be lost with it."""
        options = [self._lose(cell, site) for cell in row]
        return [
            (tuple(p for lost, _ in way for p in lost), [cell for _, cell in way])
            for way in itertools.product(*options)
        ]

    def _lose(self, cell: int, src: int) -> list[tuple[tuple[Parcel, ...], int]]:
        me, local, inbox = self.values[cell]
        theirs = [p for p in inbox if me != src and self._is_message_of(src, p)]
        others = tuple(p for p in inbox if p not in theirs)
        kept: dict[tuple[int, ...], int] = {}
        ways = []
        for size in range(len(theirs), -1, -1):
            for subset in self._left(theirs, size):
                if subset not in kept:
                    kept[subset] = self._cell(me, local, self._sorted(others + subset))
                    ways.append((self._missing(theirs, subset), kept[subset]))
        return ways

    def _left(self, sent: list[int], size: int) -> Iterable[tuple[int, ...]]:
        """So many of the messages of one channel that a crash may leave."""
        if self.system.channel.gaps:
            return itertools.combinations(sent, size)
        return [tuple(sent[:size])]

    def _is_message_of(self, src: int, p: int) -> bool:
        parcel: Parcel = self._parcel_values[p]
        return parcel.src == src and not parcel.is_word

    def _missing(self, all_of: list[int], kept: tuple[int, ...]) -> tuple[Parcel, ...]:
        left = list(kept)
        missing = []
        for p in all_of:
            if p in left:
                left.remove(p)
            else:
                missing.append(self._parcel_values[p])
        return tuple(missing)

    # Local steps.

    def _move(self, me: int, local: int, inbox: tuple[int, ...], do: Input, bits: int) -> Move:
        key = (me, local, do)
        step = self._steps.get(key)
        if step is None:
            step = self._steps[key] = self._step(me, self._local_values[local], do)
        if step.wrong is not None:
            self.faults.append(step.wrong)
            return Move(do, len(self.faults) - 1, bits | BROKEN, (0,) * self.width)
        to: list[list[int]] = [[] for _ in range(self.width)]
        for parcel in step.parcels:
            to[parcel.dst].append(self._parcel(parcel))
        if to[me]:
            inbox = self._sorted(inbox + tuple(to[me]))
            to[me] = []
        cell = self._cell(me, step.value, inbox)
        return Move(do, cell, bits, tuple(self._bundle_ids(to)))

    def _step(self, me: int, value: Any, do: Input) -> _Local:
        if me == self.system.n:
            return self._manager_step(value, do)
        state, clients = value
        site = self.sites[me]
        if do[0] == "restart":
            site = self.sites[me] = self.system.make(me)
        else:
            site.load(state)
        try:
            effects = perform(self.system, site, do)
            clients = after(self.system, me, clients, do, effects)
        except Broken as broken:
            return _Local(-1, (), (INTEGRITY, f"site {me}: {broken}"))
        except Exception as wrong:  # noqa: BLE001  whatever a handler raises is its own fault
            return _Local(-1, (), (ASSERTION, f"site {me}: {type(wrong).__name__}: {wrong}"))
        late = self._overtaken(site)
        if late:
            return _Local(-1, (), (OVERTAKING, f"site {me}: {late}"))
        parcels = []
        for effect in effects:
            if effect[0] == SEND and (effect[1] != me or self.system.channel.own):
                parcels.append(Parcel(me, effect[1], effect[2]))
            elif effect[0] == REPORT and self.width > self.system.n:
                epoch = do[1] if do[0] == "report" else 0
                parcels.append(
                    self._word(me, self.system.n, (epoch, effect[1])),
                )
        return _Local(self._local((site.save(), clients)), tuple(parcels))

    def _overtaken(self, site: Site[Any]) -> str:
        if OVERTAKING not in self.system.promises:
            return ""
        others = self.scope.at_once(self.system.n) - 1
        return overtaken(site.passed(), self.system.patience, others)

    def _manager_step(self, manager: Manager, do: Input) -> _Local:
        if do[0] == "renew":
            manager, words = renewed(manager)
        else:
            _, src, epoch, state = do
            manager, words = reported(manager, src, epoch, state)
        n = self.system.n
        return _Local(self._local(manager), tuple(self._word(n, dst, w) for dst, w in words))

    # Inboxes.

    def _deliverable(self, me: int, inbox: tuple[int, ...]) -> list[int]:
        """Positions of the parcels that may come next, equal ones once."""
        found: list[int] = []
        last_src = -1
        for at, p in enumerate(inbox):
            parcel = self._parcel_values[p]
            if at and inbox[at - 1] == p:
                continue
            if self._is_ordered(parcel):
                if parcel.src == last_src:
                    continue
                last_src = parcel.src
            found.append(at)
        return found

    def _is_ordered(self, parcel: Parcel) -> bool:
        """Whether it keeps its place behind what the same party sent before."""
        if parcel.is_word:
            return bool(parcel.packed[0] != "notice")
        return not parcel.is_copy and (self.in_order or parcel.src == parcel.dst)

    def _sorted(self, inbox: tuple[int, ...]) -> tuple[int, ...]:
        """Equal inboxes as equal tuples; the order within an ordered channel stays."""
        return tuple(sorted(inbox, key=self._sort_key))

    def _sort_key(self, p: int) -> tuple[int, int, int]:
        parcel = self._parcel_values[p]
        return (0, parcel.src, 0) if self._is_ordered(parcel) else (1, 0, p)

    # Interning.

    def _cell(self, me: int, local: int, inbox: tuple[int, ...]) -> int:
        value = (me, local, inbox)
        cell = self._cells.get(value)
        if cell is None:
            cell = self._cells[value] = len(self.values)
            self.values.append(value)
            self.facts.append(self._facts_of(me, local, inbox))
        return cell

    def _local(self, value: Any) -> int:
        local = self._locals.setdefault(value, len(self._local_values))
        if local == len(self._local_values):
            self._local_values.append(value)
        return local

    def _parcel(self, parcel: Parcel) -> int:
        number = self._parcels.setdefault(parcel, len(self._parcel_values))
        if number == len(self._parcel_values):
            self._parcel_values.append(parcel)
        return number

    def _word(self, src: int, dst: int, word: Word) -> Parcel:
        return Parcel(src, dst, word, is_word=True)

    def _bundle(self, parcels: list[Parcel]) -> int:
        return self._bundle_ids([[self._parcel(p) for p in parcels]])[0]

    def _bundle_ids(self, bundles: list[list[int]]) -> list[int]:
        found = []
        for bundle in bundles:
            key = tuple(bundle)
            number = self._bundles.setdefault(key, len(self._bundle_values))
            if number == len(self._bundle_values):
                self._bundle_values.append(key)
            found.append(number)
        return found

    # What the properties ask.

    def _facts_of(self, me: int, local: int, inbox: tuple[int, ...]) -> Facts:
        value = self._local_values[local]
        tokens = self._travelling_tokens(inbox)
        if value is DEAD:
            return Facts(0, 0, (), (), tokens, 0)
        if me == self.system.n:
            return Facts(0, 0, (), (), AFTER_FAULT if value.faults else 0, 0)
        state, clients = value
        self.sites[me].load(state)
        unanswered = waiting = 0
        for call in clients.calls:
            if call.phase in UNANSWERED:
                unanswered |= self.bit(call.rid)
            if call.phase == WAITING:
                waiting |= self.bit(call.rid)
        holds = tuple(Hold(c.rid, c.group, c.slot) for c in clients.calls if c.phase in HELD)
        wanted = tuple(c.groups for c in clients.calls if c.phase == WAITING)
        return Facts(
            unanswered,
            waiting,
            holds,
            wanted,
            tokens + self.sites[me].tokens(),
            self._place_of(holds),
        )

    def bit(self, rid: int) -> int:
        site, sequence = place_of(rid)
        return 1 << (site * self.scope.requests + sequence - 1)

    def rids_of(self, bits: int) -> list[int]:
        each = self.scope.requests
        return [
            at // each << 32 | at % each + 1 for at in range(self.system.n * each) if bits >> at & 1
        ]

    def names_of(self, bits: int) -> str:
        return "request " + ", ".join([named(rid) for rid in self.rids_of(bits)])

    def _travelling_tokens(self, inbox: tuple[int, ...]) -> int:
        token = self.system.messages.token
        if token is None:
            return 0
        kind = self.system.messages.place[token]
        parcels = [self._parcel_values[p] for p in inbox]
        return len([p for p in parcels if not (p.is_word or p.is_copy) and p.packed[0] == kind])

    def _place_of(self, holds: tuple[Hold, ...]) -> int:
        if not holds:
            return 0
        places = {(h.group, h.slot) for h in holds}
        if len(places) > 1:
            return -1
        return self._places.setdefault(places.pop(), len(self._places) + 1)
