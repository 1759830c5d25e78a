"""A run over real TCP: starts the sites' processes, watches them, judges, and ends them all."""

from __future__ import annotations

import asyncio
import secrets
import signal
import tempfile
import time
from pathlib import Path
from typing import Any, Final, NamedTuple

from grouplock.measure.figures import Figures, figures
from grouplock.measure.trace import Header, end_line, header_line
from grouplock.measure.workload import Workload
from grouplock.net import loops
from grouplock.net.children import Children, Ended
from grouplock.net.control import (
    Batch,
    Broken,
    Connected,
    Counts,
    Event,
    Failed,
    Listening,
    Poll,
    Ports,
    Report,
    Setup,
    Start,
    Stop,
    Trouble,
)
from grouplock.net.merge import Merger, merge_traces
from grouplock.net.verdict import Verdict, Violation
from grouplock.properties import ONE_TOKEN
from grouplock.protocol.system import System

START_WITHIN_S: Final = 60.0
SETTLE_WITHIN_S: Final = 10.0
STOP_WITHIN_S: Final = 5.0
TICK_S: Final = 0.05

# How a run ended.
DONE: Final = "done"
VIOLATION: Final = "violation"
FAILED: Final = "failed"
INTERRUPTED: Final = "interrupted"


class Watcher:
    """Looks on; the demonstration's view is one."""

    def seen(self, site: int, event: Event) -> None:
        """In order of time over all sites."""

    def tick(self, verdict: Verdict, messages: int, upto: int) -> None:
        """Some twenty times a second: all until `upto` (ns) has been seen."""


class Plan(NamedTuple):
    """`argv` starts one site's process, which ends up in `grouplock.net.site.serve`."""

    system: System
    workload: Workload
    argv: list[str]
    clients: int = 1  # of each site
    patience_s: float = 10.0
    seconds: float | None = None  # ends the run, though there are requests left
    header: Header | None = None  # of the trace
    trace: Path | None = None
    watcher: Watcher = Watcher()


class Outcome(NamedTuple):
    ended: str
    figures: Figures
    violation: Violation | None
    failure: str  # why the run could not go on; empty where it could
    troubles: list[str]  # of the network, one line for each cause and site
    last_lines: list[str]  # of what the sites' processes wrote on their stderr
    entries: int
    switches: int


class _Gone(Exception):
    """A site's process cannot go on."""


class _BrokenPromise(Exception):
    pass


def launch(plan: Plan) -> Outcome:
    """Runs to the end; SIGINT and SIGTERM end it early with what there is."""
    return loops.run(_Run(plan).run())


class _Run:
    def __init__(self, plan: Plan) -> None:
        self.plan: Final = plan
        self.n: Final = plan.system.n
        self.inbox: Final[asyncio.Queue[tuple[int, Report | Ended]]] = asyncio.Queue()
        self.merger: Final = Merger(self.n)
        self.verdict: Final = Verdict(plan.system, plan.workload, plan.clients, plan.patience_s)
        self.batches: Final[list[Batch]] = [Batch(0, [], 0, 0, 0, False) for _ in range(self.n)]
        self.last_lines: list[str] = []  # what the processes wrote on their stderr
        self.heard_at: Final = [0.0] * self.n
        self.troubles: Final[list[str]] = []
        self.stopping = False
        self.wall_s = 0.0

    async def run(self) -> Outcome:
        main = asyncio.current_task()
        assert main is not None
        loop = asyncio.get_running_loop()
        interrupted = False

        def interrupt() -> None:
            nonlocal interrupted
            if not interrupted:
                interrupted = True
                main.cancel()

        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, interrupt)
        with tempfile.TemporaryDirectory(prefix="grouplock-") as folder:
            ended, failure = DONE, ""
            try:
                await self.go(Path(folder))
            except _BrokenPromise:
                ended = VIOLATION
            except _Gone as gone:
                ended, failure = FAILED, str(gone)
            except asyncio.CancelledError:
                if not interrupted:
                    raise
                main.uncancel()
                ended = INTERRUPTED
            outcome = self.outcome(ended, failure)
            if self.plan.trace is not None:
                self.write_trace(Path(folder), self.plan.trace, outcome)
        return outcome

    async def go(self, folder: Path) -> None:
        def heard(site: int, what: Report | Ended) -> None:
            self.inbox.put_nowait((site, what))

        children = Children(self.plan.argv, self.n, heard)
        try:
            async with children:
                await self.bring_up(children, folder)
                await self.watch()
                await self.settle(children)
                await self.stop(children)
        finally:
            self.last_lines = children.last_lines()

    # The phases of a run.

    async def bring_up(self, children: Children, folder: Path) -> None:
        run, secret = secrets.token_hex(8), secrets.token_bytes(32)
        for child in children.all:
            trace = str(_part(folder, child.site)) if self.plan.trace is not None else ""
            child.order(
                Setup(child.site, run, secret, self.plan.workload, self.plan.clients, trace)
            )
        listening = await self.all_say(Listening, START_WITHIN_S)
        ports = {site: said.port for site, said in enumerate(listening)}
        children.order(Ports(ports))
        await self.all_say(Connected, START_WITHIN_S)
        children.order(Start(time.monotonic_ns()))

    async def watch(self) -> None:
        """Until the clients have had all that they wanted, or the time is over."""
        now = time.monotonic()
        deadline = None if self.plan.seconds is None else now + self.plan.seconds
        self.heard_at[:] = [now] * self.n
        looked = began = now
        while not all([batch.done for batch in self.batches]):
            await self.next_report()
            self.judge()
            now = time.monotonic()
            self.wall_s = now - began
            if deadline is not None and now >= deadline:
                return
            if now - looked >= TICK_S:
                self.look(now, asleep=now - looked > 1.0)
                looked = now

    def judge(self) -> None:
        for site, event in self.merger.ready():
            self.verdict.see(site, event)
            self.plan.watcher.seen(site, event)
            if self.verdict.violation is not None:
                raise _BrokenPromise

    def look(self, now: float, asleep: bool) -> None:
        if asleep:  # it was us who did not listen
            self.heard_at[:] = [now] * self.n
        self.plan.watcher.tick(self.verdict, self.messages(), min(self.merger.upto))
        for site, heard_at in enumerate(self.heard_at):
            if now - heard_at > self.plan.patience_s:
                raise _Gone(f"site {site} has said nothing for {now - heard_at:.1f} s")
        self.verdict.look(min(self.merger.upto))
        if self.verdict.violation is not None:
            raise _BrokenPromise

    async def settle(self, children: Children) -> None:
        """Waits until nothing is on its way any more; then the tokens are counted.

        Two waves of counts, one after the other: if all that had been sent by the second had been
        handled by the first, nothing was on its way in between (Mattern's four counters).
        """
        if self.plan.seconds is not None:
            return
        deadline = time.monotonic() + SETTLE_WITHIN_S
        handled = -1
        wave = 0
        while time.monotonic() < deadline:
            wave += 1
            children.order(Poll(wave))
            counts = await self.all_say(Counts, SETTLE_WITHIN_S)
            if sum([c.sent for c in counts]) == handled:
                self.count_tokens(sum([c.tokens for c in counts]))
                return
            handled = sum([c.handled for c in counts])
        self.troubles.append(f"messages were still on their way after {SETTLE_WITHIN_S:g} s")

    def count_tokens(self, tokens: int) -> None:
        if ONE_TOKEN in self.plan.system.promises and tokens != 1:
            self.verdict.blame(ONE_TOKEN, f"there are {tokens} tokens at the end of the run")
            raise _BrokenPromise

    async def stop(self, children: Children) -> None:
        """The last figures, then the end; who does not end is ended."""
        children.order(Poll(0))
        await self.all_say(Counts, STOP_WITHIN_S)
        self.judge()
        self.stopping = True
        children.order(Stop())
        ends = [child.end for child in children.all]
        await asyncio.wait(ends, timeout=STOP_WITHIN_S)

    # What the sites say.

    async def all_say(self, kind: type[Any], within_s: float) -> list[Any]:
        """One report of that kind from each site."""
        said: dict[int, Any] = {}
        try:
            async with asyncio.timeout(within_s):
                while len(said) < self.n:
                    site, report = await self.inbox.get()
                    if isinstance(report, kind):
                        said[site] = report
                    else:
                        self.take(site, report)
        except TimeoutError:
            silent = [str(site) for site in range(self.n) if site not in said]
            raise _Gone(
                f"site {', '.join(silent)}: not {kind.__name__.lower()} after {within_s:g} s"
            ) from None
        return [said[site] for site in range(self.n)]

    async def next_report(self) -> None:
        """One report, or a tick's time without any."""
        try:
            async with asyncio.timeout(TICK_S):
                site, report = await self.inbox.get()
        except TimeoutError:
            return
        self.take(site, report)
        while not self.inbox.empty():
            self.take(*self.inbox.get_nowait())

    def take(self, site: int, report: Report | Ended) -> None:
        self.heard_at[site] = time.monotonic()
        if isinstance(report, Batch):
            self.batches[site] = report
            self.merger.add(site, report.upto, report.events)
        elif isinstance(report, Trouble):
            self.troubles.append(f"site {site}: {report.cause}: {report.said}")
        elif isinstance(report, Broken):
            self.hear_out(Violation(report.property, report.reason))
        elif isinstance(report, Failed):
            raise _Gone(f"site {site}: {report.said}")
        elif isinstance(report, Ended) and not self.stopping:
            raise _Gone(f"the process of site {site} ended: {_status(report.status)}")

    def hear_out(self, broken: Violation) -> None:
        """What came before a broken promise may hold an earlier one."""
        for site, event in self.merger.ready():
            self.verdict.see(site, event)
        self.verdict.blame(broken.property, broken.reason)
        raise _BrokenPromise

    # What came of it.

    def messages(self) -> int:
        return sum([b.sent for b in self.batches])

    def outcome(self, ended: str, failure: str) -> Outcome:
        violation = self.verdict.violation
        return Outcome(
            ended=ended,
            figures=figures(
                self.plan.system.name,
                self.plan.system.options,
                self.plan.workload,
                self.verdict.meter,
                violations=0 if violation is None else 1,
                messages=self.messages(),
                integers=sum([b.integers for b in self.batches]),
                events=sum([b.steps for b in self.batches]),
                wall_s=self.wall_s,
            ),
            violation=violation,
            failure=failure,
            troubles=self.troubles,
            last_lines=self.last_lines,
            entries=self.verdict.entries,
            switches=self.verdict.switches,
        )

    def write_trace(self, folder: Path, path: Path, outcome: Outcome) -> None:
        assert self.plan.header is not None
        with path.open("w", encoding="utf-8") as file:
            file.write(header_line(self.plan.header) + "\n")
            merge_traces([_part(folder, site) for site in range(self.n)], file)
            details: dict[str, str] = {}
            if outcome.violation is not None:
                details = outcome.violation._asdict()
            elif outcome.failure:
                details = {"reason": outcome.failure}
            end = INTERRUPTED if outcome.ended == FAILED else outcome.ended
            file.write(end_line(end, **details) + "\n")


def _part(folder: Path, site: int) -> Path:
    return folder / f"site-{site}.jsonl"


def _status(status: int) -> str:
    if status >= 0:
        return f"exit status {status}"
    try:
        return f"killed by {signal.Signals(-status).name}"
    except ValueError:
        return f"killed by signal {-status}"
