"""The kernel: sites on virtual time.  One loop takes the earliest event and hands it to a site.

What may live here: the queue of events, and what an event does.  A multicast is one entry of the
queue: its deliveries were sorted when they were drawn, and the entry moves on to its next one, so
that the queue is as long as there are multicasts under way and a message in flight takes eight
bytes.  The kernel is itself the outbox that it hands to the sites; a recorder, where there is
one, stands between the two.
"""

from __future__ import annotations

from typing import Any, Final, final

from librt.vecs import append, vec
from mypy_extensions import i64, mypyc_attr

from grouplock.measure.demands import Demands
from grouplock.measure.meter import Meter
from grouplock.measure.workload import Workload
from grouplock.properties import EXCLUSION, INTEGRITY, NO_DEADLOCK, ONE_TOKEN
from grouplock.properties.exclusion import Occupancy
from grouplock.protocol.groups import NO_SETUP
from grouplock.protocol.message import Message
from grouplock.protocol.outbox import Outbox
from grouplock.protocol.site import Site
from grouplock.protocol.system import CRASH, VIEWS, System
from grouplock.protocol.view import Ghost, View
from grouplock.sim.arrays import repeated, repeated_floats
from grouplock.sim.delays import BITS, PLACE, UNITS, Delays
from grouplock.sim.fifo import LastArrivals
from grouplock.sim.trouble import Trouble

# Where a site's client stands.
THINKING: Final = 0
WAITING: Final = 1
INSIDE: Final = 2
LEAVING: Final = 3  # it waits for the answer to a withdrawal
DONE: Final = 4
DEAD: Final = 5

FOREVER: Final = float("inf")
HEADER: Final = 2  # integers that every message carries beside its contents

# What falls due beside messages and clients.
TIMER: Final = 0
PATIENCE: Final = 1
SETUP: Final = 2
PERSISTED: Final = 3
LEASE: Final = 4
CRASHES: Final = 5
NOTICE: Final = 6
REPORT: Final = 7
VIEW: Final = 8
RESTART: Final = 9


class Violated(Exception):
    """A promise was broken: the property's name and what happened."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


@mypyc_attr(allow_interpreted_subclasses=True)
class Recorder(Outbox):
    """Stands between the sites and the kernel and keeps what happens."""

    def step(self, at: float, site: int, do: tuple[Any, ...]) -> None:
        """The step that just ended: its effects came through this outbox."""
        raise NotImplementedError


@final
class Call:
    """Something other than a message that falls due at a site."""

    def __init__(self, kind: i64, number: int, argument: tuple[Any, ...]) -> None:
        self.kind: Final[i64] = kind
        self.number: Final = number
        self.argument: Final = argument
        self.void = False  # a timer that was cancelled or armed again


NO_CALL: Final = Call(TIMER, 0, ())
NO_MESSAGE: Final = Message()
NOBODY: Final[list[int]] = []
NO_ROW: Final = vec[i64]()


@final
class Flight:
    """A message on its way to one site (`row` is empty) or to several, or a call."""

    def __init__(self, src: int, dst: int, msg: Message, base: float) -> None:
        self.src: Final = src
        self.dst: Final = dst
        self.msg: Final = msg
        self.base: Final = base  # when it would arrive if the channel had no delay
        self.dsts = NOBODY
        self.row = NO_ROW
        self.at: i64 = 0
        self.token = False
        self.call = NO_CALL


@final
class Kernel(Outbox):
    def __init__(
        self, system: System, workload: Workload, trouble: Trouble, fifo: bool, watched: bool
    ) -> None:
        self.system: Final = system
        self.workload: Final = workload
        self.trouble: Final = trouble
        self.fifo: Final = fifo
        self.n: Final[i64] = system.n
        self.unit: Final[float] = workload.delay / UNITS
        self.per_integer: Final[float] = 1 / workload.bandwidth if workload.bandwidth else 0.0
        self.token_type: Final = system.messages.token
        self.watched: Final = watched  # whether promises are checked while it runs
        self.counts_tokens: Final = watched and ONE_TOKEN in system.promises
        self.out: Outbox = self
        self.recorder: Recorder | None = None
        # The queue of events: a binary heap of slots by due time; a slot below n is the clock of
        # that site's client, another is a flight.  Equal times are decided by `order`.
        self.now = 0.0
        self.size: i64 = 0
        self.due = repeated_floats(0.0, 2 * self.n + 64)
        self.what = repeated(0, 2 * self.n + 64)
        self.order = repeated(0, 2 * self.n + 64)
        self.scheduled: i64 = 0
        self.flights = vec[Flight]()
        self.vacant: list[int] = []
        # Channels.
        self.delays: Final = Delays(workload.seed)
        self.last: Final = LastArrivals()
        self.tail = repeated_floats(0.0, self.n)  # when the last message of a site arrives
        self.alone: Final[list[Flight | None]] = [None] * system.n  # not yet in `last`
        # Sites and their clients.
        self.sites: Final = vec[Site](system.sites())  # type: ignore[type-arg]  # at run time
        self.me: i64 = 0  # the site whose step this is
        self.own: Final[list[Message]] = []  # what it has sent itself in this step
        self.unfinished = False  # it has sent something to itself, or a token
        self.demands: Final = [Demands(workload, site) for site in range(system.n)]
        self.phase: Final = [THINKING] * system.n
        self.rid: Final = [site << 32 for site in range(system.n)]
        self.since = repeated_floats(0.0, self.n)  # when the present request was made
        self.slot: Final = [0] * system.n
        self.left: Final = [workload.requests] * system.n  # requests still to be made
        self.timers: Final[dict[tuple[int, int], Call]] = {}
        self.records: Final[dict[int, list[tuple[Any, ...]]]] = {}
        self.epoch = 0
        self.reports: dict[int, tuple[Any, ...]] = {}
        self.ghosts: list[Ghost] = []
        # What is counted and judged.
        self.meter: Final = Meter(system.slots)
        self.occupancy: Final = Occupancy(system.slots, system.shared, system.numbered)
        self.messages: i64 = 0
        self.integers: i64 = 0
        self.events: i64 = 0
        self.in_flight: i64 = 0
        self.tokens_travelling = 0
        self.tokens_held: Final = [site.tokens() for site in self.sites]
        self.tokens_total = sum(self.tokens_held)
        for site in range(system.n):
            self.think(site)
        for when, site in trouble.crashes:
            self.at_time(when, site, Call(CRASHES, 0, ()))

    # The queue.

    def push(self, slot: i64, when: float) -> None:
        at = self.size
        if at == len(self.due):
            self.due = append(self.due, 0.0)
            self.what = append(self.what, 0)
        self.size = at + 1
        self.scheduled += 1
        self.order[slot] = self.scheduled
        due, what = self.due, self.what
        while at > 0:
            parent = (at - 1) >> 1
            if due[parent] <= when:  # what was scheduled first stays above at equal times
                break
            due[at] = due[parent]
            what[at] = what[parent]
            at = parent
        due[at] = when
        what[at] = slot

    def settle(self, slot: i64, when: float) -> None:
        """Put this entry in place of the earliest one."""
        due, what, order = self.due, self.what, self.order
        size = self.size
        mine = order[slot]
        at: i64 = 0
        while True:
            child = 2 * at + 1
            if child >= size:
                break
            t = due[child]
            other = child + 1
            if other < size:
                u = due[other]
                if u < t or (u == t and order[what[other]] < order[what[child]]):
                    child = other
                    t = u
            if when < t or (when == t and mine < order[what[child]]):
                break
            due[at] = t
            what[at] = what[child]
            at = child
        due[at] = when
        what[at] = slot

    def drop(self) -> None:
        """Take the earliest entry out."""
        size = self.size - 1
        self.size = size
        if size > 0:
            self.settle(self.what[size], self.due[size])

    def launch(self, flight: Flight, when: float) -> None:
        place: i64
        if self.vacant:
            place = self.vacant.pop()
            self.flights[place] = flight
        else:
            place = len(self.flights)
            self.flights = append(self.flights, flight)
            if self.n + place >= len(self.order):
                self.order = append(self.order, 0)
        self.push(self.n + place, when)

    # The loop.

    def run(self, steps: i64) -> bool:
        """About so many events; whether there are more."""
        n, unit, sites, out = self.n, self.unit, self.sites, self.out
        careful = self.recorder is not None or len(self.trouble.crashes) > 0
        end = self.events + steps
        while self.size > 0 and self.events < end:
            slot = self.what[0]
            self.now = self.due[0]
            if slot < n:
                self.drop()
                self.client(int(slot))
                continue
            flight = self.flights[slot - n]
            row = flight.row
            size: i64 = len(row)
            if size == 0:
                self.drop()
                self.vacant.append(int(slot - n))
                if flight.call is not NO_CALL:
                    self.carry_out(flight.dst, flight.call)
                else:
                    self.deliver(flight, flight.dst)
                continue
            # A multicast's next deliveries, as many as come before any other event.  Its entry
            # stays at the head meanwhile: whatever a handler schedules comes later than now.
            at = flight.at
            base, src, msg, dsts = flight.base, flight.src, flight.msg, flight.dsts
            sender: i64 = src
            first = at
            delay = row[at]
            scheduled = self.scheduled
            next_event = FOREVER
            if self.size > 1:
                due = self.due
                next_event = due[1] if self.size == 2 or due[1] < due[2] else due[2]
            while True:
                place = delay & PLACE
                if dsts is NOBODY:
                    dst = place + 1 if place >= sender else place
                else:
                    dst = dsts[place]
                if careful:
                    self.deliver(flight, int(dst))
                else:
                    self.me = dst
                    sites[dst].on_message(src, msg, out)
                    if self.unfinished:
                        self.finish(int(dst))
                at += 1
                if at == size:
                    self.drop()
                    self.vacant.append(int(slot - n))
                    break
                delay = row[at]
                when = base + float(delay >> BITS) * unit
                if when >= next_event or self.scheduled != scheduled:
                    flight.at = at
                    self.settle(slot, when)
                    break
                self.now = when
            if not careful:
                self.events += at - first
                self.in_flight -= at - first
        return self.size > 0

    def deliver(self, flight: Flight, dst: int) -> None:
        self.events += 1
        self.in_flight -= 1
        self.me = dst
        if flight.token:
            self.tokens_travelling -= 1
            self.unfinished = True
        recorder = self.recorder
        if self.phase[dst] == DEAD:
            self.finish(dst)
        elif recorder is None:
            self.sites[dst].on_message(flight.src, flight.msg, self.out)
            if self.unfinished:
                self.finish(dst)
        else:
            packed = self.system.messages.pack(flight.msg)  # before it becomes the receiver's
            self.sites[dst].on_message(flight.src, flight.msg, self.out)
            self.finish(dst)
            recorder.step(self.now, dst, ("deliver", flight.src, packed))

    def finish(self, site: int) -> None:
        """What a site sends itself is part of the step that sent it; then tokens are counted."""
        while self.own:
            self.sites[site].on_message(site, self.own.pop(0), self.out)
        self.unfinished = False
        if self.counts_tokens:
            self.count_tokens(site)

    def count_tokens(self, site: int) -> None:
        held = self.sites[site].tokens() if self.phase[site] != DEAD else 0
        self.tokens_total += held - self.tokens_held[site]
        self.tokens_held[site] = held
        total = self.tokens_total + self.tokens_travelling
        if total != 1:
            raise Violated(ONE_TOKEN, f"there are {total} tokens")

    # Clients.

    def think(self, site: int) -> None:
        if self.left[site] == 0:
            self.phase[site] = DONE
            return
        self.left[site] -= 1
        self.phase[site] = THINKING
        demand = self.demands[site]
        demand.advance()
        self.push(site, self.now + demand.think())

    def client(self, site: int) -> None:
        """A client has thought enough, or was inside long enough."""
        self.events += 1
        self.me = site
        phase = self.phase[site]
        if phase == THINKING:
            self.phase[site] = WAITING
            rid = self.rid[site] + 1
            self.rid[site] = rid
            self.since[site] = self.now
            self.meter.asked()
            groups = self.demands[site].groups()
            if self.trouble.patience:
                self.in_a_while(self.trouble.patience, site, Call(PATIENCE, rid, ()))
            self.sites[site].request(rid, groups, self.out)
            self.after_step(site, ("request", rid, groups))
        elif phase == INSIDE:
            rid = self.rid[site]
            self.leave(site)
            self.think(site)
            self.sites[site].release(rid, self.out)
            self.after_step(site, ("release", rid))
        else:
            assert phase == DEAD, "a client's clock rang while it waited"

    def leave(self, site: int) -> None:
        self.meter.left(self.now, self.slot[site])
        reason = self.occupancy.leave(site, self.rid[site])
        assert not reason, reason

    def after_step(self, site: int, do: tuple[Any, ...]) -> None:
        self.finish(site)
        recorder = self.recorder
        if recorder is not None:
            recorder.step(self.now, site, do)

    # Effects of a site's step.

    def send(self, dst: int, msg: Message) -> None:
        src = self.me
        if dst == src:
            self.own.append(msg)
            self.unfinished = True
            return
        integers: i64 = self.system.messages.integers(msg)
        self.messages += 1
        self.integers += integers
        self.in_flight += 1
        base = self.now
        if self.per_integer:
            base += float(integers + HEADER) * self.per_integer
        flight = Flight(src, dst, msg, base)
        when = base + float(self.delays.single.one() >> BITS) * self.unit
        if self.trouble.lost or self.trouble.duplicated:
            when = self.on_a_bad_channel(flight, when)
        if type(msg) is self.token_type:
            flight.token = True
            self.tokens_travelling += 1
            self.unfinished = True
        if self.fifo:
            site: i64 = src
            if self.now < self.tail[site]:
                self.remember_alone(src)
                when = self.last.after(site * self.n + dst, when, self.now)
                self.tail[site] = max(when, self.tail[site])
            else:
                self.alone[src] = flight
                self.tail[site] = when
        self.launch(flight, when)

    def broadcast(self, dsts: list[int], msg: Message) -> None:
        width = len(dsts)
        if width < 2 or self.trouble.lost or self.trouble.duplicated:
            for dst in dsts:
                self.send(dst, msg)
            return
        src = self.me
        integers: i64 = self.system.messages.integers(msg)
        self.messages += width
        self.integers += width * integers
        self.in_flight += width
        base = self.now
        if self.per_integer:
            base += float(integers + HEADER) * self.per_integer
        flight = Flight(src, -1, msg, base)
        everybody = dsts is self.sites[src].peers
        if not everybody:
            flight.dsts = dsts
        row = self.delays.row(width)
        flight.row = row
        if self.fifo:
            site: i64 = src
            if self.now < self.tail[site]:
                self.no_overtaking(flight, everybody)
            else:
                self.alone[src] = flight
            latest = base + float(row[len(row) - 1] >> BITS) * self.unit
            self.tail[site] = max(latest, self.tail[site])
        self.launch(flight, base + float(row[0] >> BITS) * self.unit)

    # No overtaking.  Nothing needs to be remembered of a sender that has one flight under way,
    # or a broadcast after which it sent nothing: that flight itself says what is to be waited
    # for.  Only what is sent singly beside others is kept in `last`.

    def remember_alone(self, src: int) -> None:
        """Enter into `last` what a sender's one flight still has to deliver."""
        flight = self.alone[src]
        if flight is None:
            return
        self.alone[src] = None
        channel: i64 = src * self.n
        row = flight.row
        if len(row) == 0:
            self.last.after(channel + flight.dst, self.tail[src], self.now)
            return
        at = flight.at
        while at < len(row):
            when = flight.base + float(row[at] >> BITS) * self.unit
            self.last.after(channel + self.addressee(flight, row[at]), when, self.now)
            at += 1

    def addressee(self, flight: Flight, delay: i64) -> i64:
        place = delay & PLACE
        if flight.dsts is NOBODY:
            return place + 1 if place >= flight.src else place
        return flight.dsts[place]

    def no_overtaking(self, flight: Flight, everybody: bool) -> None:
        """Delay what would overtake an earlier message on its channel."""
        src = flight.src
        row = flight.row
        earlier = self.alone[src]
        at: i64 = 0
        moved = False
        if everybody and earlier is not None and len(earlier.row) == 0:
            # Only one channel is in use.
            arrives = self.tail[src]
            while at < len(row) and flight.base + float(row[at] >> BITS) * self.unit < arrives:
                if self.addressee(flight, row[at]) == earlier.dst:
                    moved = self.hold_back(flight, at, arrives)
                    break
                at += 1
        else:
            self.remember_alone(src)
            channel: i64 = src * self.n
            while at < len(row):
                arrives = self.last.latest(channel + self.addressee(flight, row[at]))
                if self.hold_back(flight, at, arrives):
                    moved = True
                at += 1
        if moved:
            sort(row)
        self.alone[src] = flight
        if not everybody:
            self.remember_alone(src)

    def hold_back(self, flight: Flight, at: i64, until: float) -> bool:
        """Have a delivery wait for an earlier message; whether it had to."""
        row, base, unit = flight.row, flight.base, self.unit
        if base + float(row[at] >> BITS) * unit >= until:
            return False
        units = i64(int((until - base) / unit))
        while base + float(units) * unit < until:
            units += 1
        row[at] = (units << BITS) | (row[at] & PLACE)
        return True

    def on_a_bad_channel(self, flight: Flight, when: float) -> float:
        """Lost transmissions are repeated until one arrives; some messages arrive twice."""
        while self.chance() < self.trouble.lost:
            when += self.trouble.resend
        if self.chance() < self.trouble.duplicated:
            twin = Flight(flight.src, flight.dst, flight.msg, flight.base)
            self.in_flight += 1
            self.launch(twin, when + float(self.delays.single.one() >> BITS) * self.unit)
        return when

    def chance(self) -> float:
        """Uniform on [0, 1): the lowest digits of a delay are uniform."""
        return float((self.delays.single.one() >> BITS) & 0xFFFFF) / 0x100000

    def granted(
        self, rid: int, group: int, slot: int = 0, session: int = 0, setup: int = NO_SETUP
    ) -> None:
        site = self.me
        if self.rid[site] != rid or self.phase[site] != WAITING:
            if self.phase[site] == LEAVING and self.rid[site] == rid:
                raise Violated(INTEGRITY, f"site {site}: {rid} was granted after its withdrawal")
            raise Violated(INTEGRITY, f"site {site}: {rid} was granted and does not wait")
        if group not in self.demands[site].groups():
            raise Violated(INTEGRITY, f"site {site} was granted group {group}, not asked for")
        self.phase[site] = INSIDE
        reason = self.occupancy.enter(site, rid, group, slot)
        self.slot[site] = self.occupancy.slot_of(site, rid)
        self.meter.entered(self.now, self.now - self.since[site], self.slot[site])
        if reason and self.watched:
            raise Violated(EXCLUSION, reason)
        self.push(site, self.now + self.demands[site].inside())
        if setup != NO_SETUP:
            self.in_a_while(self.trouble.setup, site, Call(SETUP, session, ()))
        if self.trouble.lease:
            self.at_time(self.now + self.trouble.lease, site, Call(LEASE, rid, ()))

    def withdrawn(self, rid: int) -> None:
        site = self.me
        if self.rid[site] != rid or self.phase[site] != LEAVING:
            raise Violated(INTEGRITY, f"site {site}: {rid} is not being withdrawn")
        self.think(site)

    def lost(self, rid: int) -> None:
        """The hold ended without its client, which finds out at once."""
        site = self.me
        if self.rid[site] == rid and self.phase[site] == INSIDE:
            self.unschedule(site)
            self.leave(site)
            self.think(site)

    def ended(self, session: int) -> None:
        pass

    def report(self, state: tuple[Any, ...]) -> None:
        self.reports[self.me] = state

    def timer(self, tag: int, after: float) -> None:
        self.cancel_timer(tag)
        call = Call(TIMER, tag, ())
        self.timers[(self.me, tag)] = call
        self.at_time(self.now + after, self.me, call)

    def cancel_timer(self, tag: int) -> None:
        armed = self.timers.pop((self.me, tag), None)
        if armed is not None:
            armed.void = True

    def persist(self, record: tuple[Any, ...]) -> None:
        self.in_a_while(self.trouble.sync, self.me, Call(PERSISTED, 0, record))

    # Calls.

    def at_time(self, when: float, site: int, call: Call) -> None:
        flight = Flight(site, site, NO_MESSAGE, when)
        flight.call = call
        self.launch(flight, when)

    def in_a_while(self, mean: float, site: int, call: Call) -> None:
        """After an exponential time of this mean."""
        means = float(self.delays.single.one() >> BITS) / UNITS
        self.at_time(self.now + mean * means, site, call)

    def unschedule(self, site: int) -> None:
        """Take a client's clock out of the queue."""
        at: i64 = 0
        kept: list[tuple[float, int]] = []
        while at < self.size:
            if self.what[at] != site:
                kept.append((self.due[at], int(self.what[at])))
            at += 1
        # Put back in their old order, so that equal times stay decided as they were.
        order = self.order
        kept.sort(key=lambda entry: (entry[0], int(order[entry[1]])))
        self.size = 0
        for when, slot in kept:
            self.push(slot, when)

    def carry_out(self, site: int, call: Call) -> None:
        self.events += 1
        kind, number = call.kind, call.number
        if kind == CRASHES:
            self.crash(site)
            return
        if call.void or self.phase[site] == DEAD:
            return
        self.me = site
        it = self.sites[site]
        if kind == TIMER:
            del self.timers[(site, number)]
            it.on_timer(number, self.out)
            self.after_step(site, ("timer", number))
        elif kind == PATIENCE:
            if self.rid[site] == number and self.phase[site] == WAITING:
                self.phase[site] = LEAVING
                self.meter.gave_up()
                it.withdraw(number, self.out)
                self.after_step(site, ("withdraw", number))
        elif kind == SETUP:
            ok = self.chance() >= self.trouble.setup_fails
            if not ok and self.phase[site] == INSIDE:
                self.unschedule(site)
                self.leave(site)
                self.think(site)
            it.setup_done(number, ok, self.out)
            self.after_step(site, ("setup", number, ok))
        elif kind == PERSISTED:
            self.records.setdefault(site, []).append(call.argument)
            it.persisted(call.argument, self.out)
            self.after_step(site, ("persisted", call.argument))
        elif kind == LEASE:
            if self.rid[site] == number and self.phase[site] == INSIDE:
                it.expire(number, self.out)
                self.after_step(site, ("expire", number))
        elif kind == NOTICE:
            it.on_crash(number, self.out)
            self.after_step(site, ("notice", number))
        elif kind == REPORT:
            if number == self.epoch:
                it.on_report(number, self.out)
                self.after_step(site, ("report", number))
                self.view_if_complete()
        else:
            assert kind == VIEW
            view: View = call.argument[0]
            if view.epoch == self.epoch:
                it.on_view(view, self.out)
                self.after_step(site, ("view", *view))

    # Crashes: the site stops; what it had sent arrives.  Survivors learn of it, each in its time.

    def crash(self, site: int) -> None:
        if self.phase[site] == DEAD:
            return
        self.me = site
        if self.phase[site] == INSIDE:
            group, slot = self.occupancy.inside[(site, self.rid[site])]
            self.ghosts.append(Ghost(site, self.rid[site], group, slot, 0))
            self.leave(site)
        elif self.phase[site] == WAITING:
            self.meter.gave_up()
        self.phase[site] = DEAD
        recorder = self.recorder
        if recorder is not None:
            recorder.step(self.now, site, ("crash",))
        supports = self.system.supports
        self.epoch += 1
        self.reports = {}
        for survivor in range(self.system.n):
            if self.phase[survivor] != DEAD:
                if CRASH in supports:
                    call = Call(NOTICE, site, ())
                    self.in_a_while(self.trouble.detection, survivor, call)
                if VIEWS in supports:
                    call = Call(REPORT, self.epoch, ())
                    self.in_a_while(self.trouble.detection, survivor, call)

    def view_if_complete(self) -> None:
        members = [s for s in range(self.system.n) if self.phase[s] != DEAD]
        for member in members:
            if member not in self.reports:
                return
        reports = tuple([(m, self.reports[m]) for m in members])
        view = View(self.epoch, tuple(members), reports, tuple(self.ghosts))
        for member in members:
            self.in_a_while(self.trouble.detection, member, Call(VIEW, 0, (view,)))

    # The end.

    def judge_the_end(self) -> None:
        """Nothing is on its way any more: nobody may still wait."""
        waiting = [s for s in range(self.system.n) if self.phase[s] in (WAITING, LEAVING)]
        if waiting and self.watched:
            sites = ", ".join([str(s) for s in waiting[:5]])
            more = f" and {len(waiting) - 5} more" if len(waiting) > 5 else ""
            raise Violated(
                NO_DEADLOCK, f"nothing can happen any more, and site {sites}{more} waits"
            )


def sort(row: vec[i64]) -> None:
    """By insertion: a row that is nearly sorted."""
    i: i64 = 1
    while i < len(row):
        value = row[i]
        j = i - 1
        while j >= 0 and row[j] > value:
            row[j + 1] = row[j]
            j -= 1
        row[j + 1] = value
        i += 1
