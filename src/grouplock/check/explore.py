"""Breadth-first through all states: the loop, on machine integers alone.

A state is a row of cells (see `cells`).  Rows lie one after another in one array, in the order in
which they were found; a hash table of their numbers finds them again.  What a cell can do and
what an append makes of it is asked once and then known here as integers.

Compiled, this is all that the time goes into; interpreted it does the same, slower.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple, final

from librt.vecs import append, vec
from mypy_extensions import i32, i64

from grouplock.properties import (
    CONCURRENT_ENTRY,
    EXCLUSION,
    NO_DEADLOCK,
    ONE_TOKEN,
    SERVED,
)
from grouplock.properties.entry import congenial
from grouplock.properties.exclusion import Occupancy

# As in `cells`, which is not compiled: constants of our own are folded in.
DUTY: Final = 1
EXIT: Final = 2
BROKEN: Final = 4
AFTER_FAULT: Final = 1000

UNKNOWN: Final = -1
MIX: Final = 1_000_003
MASK: Final = (1 << 40) - 1
EVERYBODY: Final = (1 << 62) - 1


class Verdict(NamedTuple):
    """A violation: the properties, why, the state that shows it or from which a step does."""

    properties: tuple[str, ...]
    reason: str
    state: int
    fault: int = UNKNOWN  # the number of the broken move that ends the run, if any


def slot_of(a: i64, b: i64) -> i64:
    mixed: i64 = ((a * MIX) ^ b) & MASK
    mixed = (mixed * MIX) & MASK
    return mixed ^ (mixed >> 17)


@final
class Appends:
    """(cell, bundle) -> cell, as an open hash table of integers."""

    def __init__(self) -> None:
        self.size: i64 = 1 << 12
        self.used: i64 = 0
        self.keys: vec[i64] = filled(self.size, UNKNOWN)
        self.cells: vec[i32] = filled32(self.size, UNKNOWN)

    def find(self, cell: i64, bundle: i64) -> i64:
        key: i64 = (cell << 31) | bundle
        at: i64 = slot_of(cell, bundle) & (self.size - 1)
        while True:
            present: i64 = self.keys[at]
            if present == key:
                return i64(self.cells[at])
            if present == UNKNOWN:
                return UNKNOWN
            at = (at + 1) & (self.size - 1)

    def put(self, cell: i64, bundle: i64, result: i64) -> None:
        if self.used * 2 >= self.size:
            self.grow()
        self.used += 1
        self.place((cell << 31) | bundle, result)

    def place(self, key: i64, result: i64) -> None:
        at: i64 = slot_of(key >> 31, key & ((1 << 31) - 1)) & (self.size - 1)
        while self.keys[at] != UNKNOWN:
            at = (at + 1) & (self.size - 1)
        self.keys[at] = key
        self.cells[at] = i32(result)

    def grow(self) -> None:
        keys, cells, size = self.keys, self.cells, self.size
        self.size = size * 4
        self.keys = filled(self.size, UNKNOWN)
        self.cells = filled32(self.size, UNKNOWN)
        at: i64 = 0
        while at < size:
            if keys[at] != UNKNOWN:
                self.place(keys[at], i64(cells[at]))
            at += 1


def filled(size: i64, value: i64) -> vec[i64]:
    cells = vec[i64](capacity=size)
    at: i64 = 0
    while at < size:
        cells = append(cells, value)
        at += 1
    return cells


def filled32(size: i64, value: i64) -> vec[i32]:
    cells = vec[i32](capacity=size)
    at: i64 = 0
    while at < size:
        cells = append(cells, i32(value))
        at += 1
    return cells


@final
class States:
    """All rows found so far, each once."""

    def __init__(self, width: i64) -> None:
        self.width: Final[i64] = width
        self.count: i64 = 0
        self.rows = vec[i32]()
        self.parents = vec[i32]()
        self.duties_into = vec[i32]()  # how many duties lead to the state
        self.size: i64 = 1 << 14
        self.table: vec[i32] = filled32(self.size, UNKNOWN)

    def add(self, row: vec[i32], parent: i64) -> i64:
        """The number of the row; the last one if it is new."""
        width = self.width
        rows = self.rows
        mask: i64 = self.size - 1
        at: i64 = self.hash(row, 0) & mask
        while True:
            known: i64 = i64(self.table[at])
            if known == UNKNOWN:
                break
            base: i64 = known * width
            column: i64 = 0
            while column < width and rows[base + column] == row[column]:
                column += 1
            if column == width:
                return known
            at = (at + 1) & mask
        self.table[at] = i32(self.count)
        column = 0
        while column < width:
            rows = append(rows, row[column])
            column += 1
        self.rows = rows
        self.parents = append(self.parents, i32(parent))
        self.duties_into = append(self.duties_into, 0)
        self.count += 1
        if self.count * 2 > self.size:
            self.grow()
        return self.count - 1

    def hash(self, rows: vec[i32], base: i64) -> i64:
        mixed: i64 = 0
        column: i64 = 0
        while column < self.width:
            mixed = ((mixed ^ i64(rows[base + column])) * MIX) & MASK
            mixed = mixed ^ (mixed >> 17)
            column += 1
        mixed = (mixed * MIX) & MASK
        return mixed ^ (mixed >> 19)

    def grow(self) -> None:
        self.size *= 2
        self.table = filled32(self.size, UNKNOWN)
        mask: i64 = self.size - 1
        number: i64 = 0
        while number < self.count:
            at: i64 = self.hash(self.rows, number * self.width) & mask
            while self.table[at] != UNKNOWN:
                at = (at + 1) & mask
            self.table[at] = i32(number)
            number += 1


@final
class Explorer:
    """Explores in slices, so that whoever calls can report progress and be interrupted."""

    def __init__(
        self,
        cells: Any,
        promises: tuple[str, ...],
        slots: int,
        shared: bool,
        numbered: bool = True,
    ) -> None:
        self.cells: Final = cells
        self.slots: Final = slots
        self.shared: Final = shared
        self.numbered: Final = numbered
        self.exclusive: Final = EXCLUSION in promises
        self.one_token: Final = ONE_TOKEN in promises
        self.no_deadlock: Final = NO_DEADLOCK in promises
        self.served: Final = SERVED in promises
        self.entry: Final = CONCURRENT_ENTRY in promises
        self.with_faults: Final = bool(cells.scope.has_faults())
        width: i64 = i64(cells.width)
        self.width: Final[i64] = width
        self.stride: Final[i64] = width + 2
        self.states: Final = States(width)
        self.next: i64 = 0  # the state to expand
        self.level_end: i64 = 1  # the first state of the level after the present one
        self.depth: i64 = 0
        self.transitions: i64 = 0
        self.circles_possible = False  # a duty led to a state that is no farther from the start
        self.met = False  # two were inside together
        self.verdict: Verdict | None = None
        # For what comes after, where circles are possible.
        self.ends = vec[i32]()
        self.untangled: i64 = 0
        self.can = vec[i64]()
        # What is known of cells.
        self.appends: Final = Appends()
        self.known: i64 = 0  # cells of which the facts are here
        self.first = vec[i64]()  # where a cell's moves begin, or UNKNOWN
        self.many = vec[i32]()  # how many they are
        self.moves = vec[i32]()  # each: new cell, bits, a bundle for each column
        self.unanswered = vec[i64]()
        self.waiting = vec[i64]()
        self.insides = vec[i32]()
        self.tokens = vec[i32]()
        self.places = vec[i32]()
        self.duties = vec[i32]()  # how many of the moves are duties
        self.quiet = vec[i32]()  # how many of those are no exits
        row = self.blank()
        start: list[int] = cells.start()
        for column, cell in enumerate(start):
            row[column] = i32(cell)
        self.states.add(row, UNKNOWN)

    def blank(self) -> vec[i32]:
        return filled32(self.width, 0)

    def done(self) -> bool:
        return self.verdict is not None or self.next == self.states.count

    # The loop.

    def run(self, limit: int) -> None:
        """Expand states until all are, one is wrong, or this many were found."""
        most: i64 = i64(limit)
        width = self.width
        row = self.blank()
        fresh = self.blank()
        while self.next < self.states.count and self.states.count < most:
            state = self.next
            if state == self.level_end:
                self.level_end = self.states.count
                self.depth += 1
            self.read(state, row)
            if not self.is_right(state, row):
                return
            column: i64 = 0
            while column < width:
                cell: i64 = i64(row[column])
                at: i64 = self.first[cell]
                end: i64 = at + i64(self.many[cell]) * self.stride
                while at < end:
                    bits: i64 = i64(self.moves[at + 1])
                    if bits & BROKEN:
                        self.break_off(state, i64(self.moves[at]))
                        return
                    self.apply(row, fresh, column, at)
                    found = self.states.add(fresh, state)
                    self.transitions += 1
                    if bits & DUTY:
                        self.states.duties_into[found] += 1
                        if found < self.level_end:
                            self.circles_possible = True
                    at += self.stride
                column += 1
            if self.with_faults and not self.add_faults(state, row):
                return
            self.next += 1

    def read(self, state: i64, row: vec[i32]) -> None:
        """The state's row, with all of its cells' moves known."""
        column: i64 = 0
        while column < self.width:
            cell: i32 = self.states.rows[state * self.width + column]
            row[column] = cell
            if i64(cell) >= self.known or self.first[i64(cell)] == UNKNOWN:
                self.learn_moves(i64(cell))
            column += 1

    def apply(self, row: vec[i32], fresh: vec[i32], changed: i64, move: i64) -> None:
        column: i64 = 0
        while column < self.width:
            bundle: i64 = i64(self.moves[move + 2 + column])
            if bundle == 0:
                fresh[column] = row[column]
            else:
                fresh[column] = i32(self.push(i64(row[column]), bundle))
            column += 1
        fresh[changed] = self.moves[move]

    def push(self, cell: i64, bundle: i64) -> i64:
        found: i64 = self.appends.find(cell, bundle)
        if found == UNKNOWN:
            result: int = self.cells.push(int(cell), int(bundle))
            found = i64(result)
            self.appends.put(cell, bundle, found)
        return found

    def add_faults(self, state: i64, row: vec[i32]) -> bool:
        fresh = self.blank()
        for _, target in self.cells.fault_moves([int(c) for c in row]):
            cells: list[int] = target
            if cells[0] < 0:
                self.break_off(state, i64(-1 - cells[0]))
                return False
            for column, cell in enumerate(cells):
                fresh[column] = i32(cell)
            self.states.add(fresh, state)
            self.transitions += 1
        return True

    # What is asked once.

    def learn_facts(self) -> None:
        facts: Any = self.cells.facts
        while self.known < len(facts):
            fact: Any = facts[int(self.known)]
            self.unanswered = append(self.unanswered, i64(fact.unanswered))
            self.waiting = append(self.waiting, i64(fact.waiting))
            self.insides = append(self.insides, i32(len(fact.holds)))
            self.tokens = append(self.tokens, i32(fact.tokens))
            self.places = append(self.places, i32(fact.place))
            self.first = append(self.first, UNKNOWN)
            self.many = append(self.many, 0)
            self.duties = append(self.duties, 0)
            self.quiet = append(self.quiet, 0)
            self.known += 1

    def learn_moves(self, cell: i64) -> None:
        moves: list[Any] = self.cells.moves(int(cell))
        self.learn_facts()
        self.first[cell] = i64(len(self.moves))
        self.many[cell] = i32(len(moves))
        for move in moves:
            bits: i64 = i64(move.bits)
            self.moves = append(self.moves, i32(move.cell))
            self.moves = append(self.moves, i32(bits))
            for bundle in move.sends:
                self.moves = append(self.moves, i32(bundle))
            if bits & DUTY:
                self.duties[cell] += 1
                if not bits & EXIT:
                    self.quiet[cell] += 1

    # The properties of one state.

    def is_right(self, state: i64, row: vec[i32]) -> bool:
        inside: i64 = 0
        tokens: i64 = 0
        unanswered: i64 = 0
        waiting: i64 = 0
        duties: i64 = 0
        quiet: i64 = 0
        place: i64 = 0
        mixed = False
        column: i64 = 0
        while column < self.width:
            cell: i64 = i64(row[column])
            inside += i64(self.insides[cell])
            tokens += i64(self.tokens[cell])
            unanswered |= self.unanswered[cell]
            waiting |= self.waiting[cell]
            duties += i64(self.duties[cell])
            quiet += i64(self.quiet[cell])
            here: i64 = i64(self.places[cell])
            if here != 0:
                if here < 0 or (place != 0 and here != place):
                    mixed = True
                place = here
            column += 1
        if inside > 1:
            self.met = True
            if self.exclusive and (mixed or not self.shared):
                self.judge_exclusion(state, row)
        if self.one_token and tokens != 1 and tokens < AFTER_FAULT:
            self.wrong((ONE_TOKEN,), f"{tokens} tokens exist", state)
        if unanswered != 0 and duties == 0:
            self.judge_stuck(state, unanswered)
        if waiting != 0 and quiet == 0 and self.entry:
            self.judge_entry(state, row, waiting)
        return self.verdict is None

    def judge_exclusion(self, state: i64, row: vec[i32]) -> None:
        occupancy = Occupancy(self.slots, self.shared, self.numbered)
        for column in range(len(row)):
            holds: Any = self.cells.facts[int(row[column])].holds
            for hold in holds:
                reason = occupancy.enter(int(column), hold.rid, hold.group, hold.slot)
                if reason:
                    self.wrong((EXCLUSION,), reason, state)
                    return

    def judge_stuck(self, state: i64, unanswered: i64) -> None:
        broken: list[str] = []
        if self.no_deadlock:
            broken.append(NO_DEADLOCK)
        if self.served:
            broken.append(SERVED)
        if broken:
            names: str = self.cells.names_of(int(unanswered))
            self.wrong(tuple(broken), f"nothing can happen, and {names} still waits", state)

    def judge_entry(self, state: i64, row: vec[i32], waiting: i64) -> None:
        if self.is_congenial(row):
            names: str = self.cells.names_of(int(waiting))
            self.wrong(
                (CONCURRENT_ENTRY,),
                f"nobody conflicts, and {names} still waits until somebody leaves",
                state,
            )

    def is_congenial(self, row: vec[i32]) -> bool:
        inside: list[int] = []
        wanted: list[Any] = []
        for cell in row:
            fact: Any = self.cells.facts[int(cell)]
            inside += [hold.group for hold in fact.holds]
            wanted += fact.wanted
        return congenial(inside, wanted)

    def wrong(self, broken: tuple[str, ...], reason: str, state: i64) -> None:
        """One state may show several violations; the reasons of all are kept."""
        present = self.verdict
        if present is None:
            self.verdict = Verdict(broken, reason, int(state))
        else:
            self.verdict = Verdict(
                present.properties + broken, f"{present.reason}; {reason}", int(state)
            )

    def break_off(self, state: i64, fault: i64) -> None:
        broken: tuple[str, str] = self.cells.faults[int(fault)]
        self.verdict = Verdict((broken[0],), broken[1], int(state), int(fault))

    # Where duties go round in circles, a request may wait for ever though nothing is stuck.

    def untangle(self, most: int) -> bool:
        """Take away states that no duty leads to any more, so many at once; False when done.

        What is left in the end lies on circles of duties or behind them: nothing, if there are
        none, and then every run of duties ends and the states alone have told everything.
        """
        states = self.states
        if self.untangled == 0 and len(self.ends) == 0:
            state: i64 = 0
            while state < states.count:
                if states.duties_into[state] == 0:
                    self.ends = append(self.ends, i32(state))
                state += 1
        row = self.blank()
        fresh = self.blank()
        left: i64 = i64(most)
        while left > 0 and self.untangled < i64(len(self.ends)):
            self.read(i64(self.ends[self.untangled]), row)
            self.untangled += 1
            left -= 1
            column: i64 = 0
            while column < self.width:
                cell: i64 = i64(row[column])
                at: i64 = self.first[cell]
                end: i64 = at + i64(self.many[cell]) * self.stride
                while at < end:
                    if i64(self.moves[at + 1]) & DUTY:
                        self.apply(row, fresh, column, at)
                        found = states.add(fresh, UNKNOWN)
                        states.duties_into[found] -= 1
                        if states.duties_into[found] == 0:
                            self.ends = append(self.ends, i32(found))
                    at += self.stride
                column += 1
        return self.untangled < i64(len(self.ends))

    def has_circles(self) -> bool:
        return self.untangled < self.states.count

    def begin_answers(self, without_exits: bool) -> None:
        """Before `spread_answers`: which requests each state answers by itself.

        `can[s]` has the bits of the requests that do not wait in s, or not in a state that
        duties lead to from s; it grows until nothing changes.
        """
        row = self.blank()
        self.can = filled(self.states.count, EVERYBODY)
        state: i64 = 0
        while state < self.states.count:
            self.read(state, row)
            self.can[state] = EVERYBODY & ~self.still_to_answer(row, without_exits)
            state += 1

    def spread_answers(self, without_exits: bool) -> bool:
        """One pass over all states; False when it changed nothing."""
        row = self.blank()
        fresh = self.blank()
        changed = False
        state: i64 = self.states.count - 1
        while state >= 0:
            present: i64 = self.can[state]
            if present != EVERYBODY:
                self.read(state, row)
                spread = self.spread(row, fresh, present, without_exits)
                if spread != present:
                    self.can[state] = spread
                    changed = True
            state -= 1
        return changed

    def judge_answers(self, without_exits: bool) -> None:
        """After `spread_answers`: the first state with a request that duties cannot answer."""
        state: i64 = 0
        while state < self.states.count:
            if self.can[state] != EVERYBODY:
                names: str = self.cells.names_of(int(EVERYBODY & ~self.can[state]))
                if without_exits:
                    broken = CONCURRENT_ENTRY
                    reason = f"nobody conflicts, and {names} waits for ever unless somebody leaves"
                else:
                    broken = SERVED
                    reason = f"whatever surely happens from here on, {names} waits for ever"
                self.wrong((broken,), reason, state)
                return
            state += 1

    def still_to_answer(self, row: vec[i32], without_exits: bool) -> i64:
        if without_exits and not self.is_congenial(row):
            return 0
        bits: i64 = 0
        column: i64 = 0
        while column < self.width:
            cell = i64(row[column])
            bits |= self.waiting[cell] if without_exits else self.unanswered[cell]
            column += 1
        return bits

    def spread(self, row: vec[i32], fresh: vec[i32], present: i64, without_exits: bool) -> i64:
        """What can be answered in a state or after one duty."""
        column: i64 = 0
        while column < self.width:
            cell: i64 = i64(row[column])
            at: i64 = self.first[cell]
            end: i64 = at + i64(self.many[cell]) * self.stride
            while at < end:
                bits: i64 = i64(self.moves[at + 1])
                if bits & DUTY and not (without_exits and bits & EXIT):
                    self.apply(row, fresh, column, at)
                    present |= self.can[self.states.add(fresh, UNKNOWN)]
                at += self.stride
            column += 1
        return present

    # For counterexamples.

    def path_to(self, state: int) -> list[list[int]]:
        """The rows from the first state to this one: a shortest way."""
        path: list[list[int]] = []
        at: i64 = i64(state)
        while at != UNKNOWN:
            base = at * self.width
            path.append([int(c) for c in self.states.rows[base : base + self.width]])
            at = i64(self.states.parents[at])
        path.reverse()
        return path

    def figures(self) -> tuple[int, int, int, int]:
        """States, transitions, states still to expand, depth."""
        states = self.states.count
        return int(states), int(self.transitions), int(states - self.next), int(self.depth)
