"""What the demonstration shows: a full screen in a terminal, plain lines elsewhere."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from rich.align import Align
from rich.console import Console, Group, RenderableType
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from grouplock.net.control import ASKED, ENTERED, Event
from grouplock.net.launcher import Watcher
from grouplock.net.verdict import Verdict

DISC_NAMES: Final = ("Kind of Blue", "Abbey Road", "Rumours", "Nevermind")
COLOURS: Final = ("cyan", "green", "magenta", "yellow")
WORKER_NAMES: Final = ("Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ivo")

NARROW: Final = 64  # columns below which the two halves do not fit side by side
SHELF: Final = 30  # columns
SAMPLE_NS: Final = 250_000_000
SAMPLES: Final = 240
MOST_ROWS: Final = 6  # of the chart
STEPS: Final = "▁▂▃▄▅▆▇█"
PLAIN_STEPS: Final = ".:-=+*#@"


class Worker:
    def __init__(self, name: str, node: int) -> None:
        self.name: Final = name
        self.node: Final = node
        self.disc = -1  # asked for or heard; -1 while thinking
        self.inside = False
        self.since = 0  # ns
        self.heard = 0  # discs so far


class Room(Watcher):
    """Who is where, from the events."""

    def __init__(self, nodes: int, workers: int) -> None:
        self.workers: Final = {
            (node, k): Worker(WORKER_NAMES[node * workers + k], node)
            for node in range(nodes)
            for k in range(workers)
        }

    def seen(self, site: int, event: Event) -> None:
        worker = self.workers[(site, event.client)]
        if event.kind == ASKED:
            worker.disc = event.groups[0]
        elif event.kind == ENTERED:
            worker.inside = True
            worker.heard += 1
        else:
            worker.disc, worker.inside = -1, False
        worker.since = event.at

    def inside(self) -> list[Worker]:
        return [w for w in self.workers.values() if w.inside]

    def queued(self, worker: Worker) -> bool:
        """Its node has a request of another worker, and takes one at a time."""
        node = [w for w in self.workers.values() if w.node == worker.node and w.disc >= 0]
        served = min(node, key=lambda w: (not w.inside, w.since))
        return worker is not served

    def waiting(self, disc: int) -> list[Worker]:
        return [w for w in self.workers.values() if w.disc == disc and not w.inside]


class Lines(Room):
    """One line for each entry."""

    def __init__(self, nodes: int, workers: int) -> None:
        super().__init__(nodes, workers)
        self.on = -1

    def seen(self, site: int, event: Event) -> None:
        worker = self.workers[(site, event.client)]
        waited_ms = (event.at - worker.since) / 1e6
        super().seen(site, event)
        if event.kind != ENTERED:
            return
        disc = event.groups[0]
        note = "listens along to" if disc == self.on else "switches to"
        self.on = disc
        print(
            f"{event.at / 1e9:8.3f} s  {worker.name:4} of node {site} {note} {DISC_NAMES[disc]}"
            f" after {waited_ms:.0f} ms",
            flush=True,
        )


class View(Room):
    """The screen, drawn anew at each tick from what was seen."""

    def __init__(self, title: str, nodes: int, workers: int, discs: int) -> None:
        super().__init__(nodes, workers)
        self.title: Final = title
        self.discs: Final = discs
        self.now = 0
        self.messages = 0
        self.rates: Final[deque[float]] = deque(maxlen=SAMPLES)  # messages a second
        self.sampled_at = 0
        self.sampled = 0
        self.entries = 0
        self.switches = 0
        self.waited_ms = 0.0
        self.together = 0
        self.live: Live | None = None

    def tick(self, verdict: Verdict, messages: int, upto: int) -> None:
        self.now, self.messages = upto, messages
        self.entries, self.switches = verdict.entries, verdict.switches
        self.waited_ms = verdict.meter.waiting.mean()
        self.together = verdict.meter.most_inside
        if upto - self.sampled_at >= SAMPLE_NS:
            seconds = (upto - self.sampled_at) / 1e9
            self.rates.append((messages - self.sampled) / seconds)
            self.sampled_at, self.sampled = upto, messages
        if self.live is not None:
            self.live.update(self.draw(self.live.console), refresh=True)

    # Drawing.

    def draw(self, console: Console) -> RenderableType:
        size = console.size
        layout = Layout()
        parts = [Layout(self.heading(size.width), size=1), Layout(self.turntable(), size=3)]
        if size.width >= NARROW:
            middle = Layout(size=len(self.workers) + 3)
            middle.split_row(Layout(self.people()), Layout(self.shelf(), size=SHELF))
            parts.append(middle)
        else:
            parts.append(Layout(self.people(), size=len(self.workers) + 3))
        rows = min(MOST_ROWS, max(1, size.height - 1 - 3 - (len(self.workers) + 3) - 3))
        parts.append(Layout(self.figures(console, rows), size=rows + 3))
        parts.append(Layout(Text()))
        layout.split_column(*parts)
        return layout

    def heading(self, width: int) -> RenderableType:
        title = f" jukebox: {self.title}" if width >= NARROW else " jukebox"
        line = Table.grid(expand=True)
        line.add_column(no_wrap=True)
        line.add_column(justify="right", no_wrap=True)
        line.add_row(
            Text.assemble((" grouplock ", "reverse bold"), title),
            Text(f"{self.now / 1e9:.0f} s   ctrl-C ends "),
        )
        return line

    def turntable(self) -> RenderableType:
        inside = self.inside()
        if not inside:
            shown = Text("silence: the disc is being changed, or nobody asks", "dim")
        else:
            disc = inside[0].disc
            names = ", ".join([w.name for w in inside])
            shown = Text.assemble(
                (DISC_NAMES[disc], f"bold {COLOURS[disc]}"), "  is on for  ", (names, "bold")
            )
        return Panel(Align.center(shown), border_style=_colour(inside), padding=(0, 1))

    def people(self) -> RenderableType:
        table = Table(expand=True, box=None, padding=(0, 1), title_justify="left")
        table.add_column("node", width=4, justify="center")
        table.add_column("worker", width=6)
        table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis")
        table.add_column("for", width=7, justify="right")
        for worker in self.workers.values():
            seconds = max(0, self.now - worker.since) / 1e9
            table.add_row(str(worker.node), worker.name, self.doing(worker), f"{seconds:.1f} s")
        return Group(Text(), table)

    def doing(self, worker: Worker) -> Text:
        if worker.disc < 0:
            return Text("thinks", "dim")
        colour = COLOURS[worker.disc]
        disc = (DISC_NAMES[worker.disc], colour)
        if worker.inside:
            return Text.assemble(("▶ ", colour), "hears ", disc)
        if self.queued(worker):
            return Text.assemble(("  queued for ", "dim"), disc)
        return Text.assemble("  waits for ", disc)

    def shelf(self) -> RenderableType:
        """How many wait for each disc."""
        table = Table(expand=True, box=None, padding=(0, 1))
        table.add_column("disc", no_wrap=True, overflow="ellipsis")
        table.add_column("waiting", ratio=1, no_wrap=True)
        on = {w.disc for w in self.inside()}
        for disc in range(self.discs):
            names = [w.name[0] for w in self.waiting(disc)]
            name = Text(DISC_NAMES[disc], COLOURS[disc] + (" reverse" if disc in on else ""))
            table.add_row(name, Text("■" * len(names), COLOURS[disc]))
        return Group(Text(), table)

    def figures(self, console: Console, rows: int) -> RenderableType:
        rate = self.rates[-1] if self.rates else 0.0
        numbers = Text.assemble(
            (f"{self.entries}", "bold"),
            " entries   ",
            (f"{self.switches}", "bold"),
            " switches   ",
            (f"{self.together}", "bold"),
            " together at most   ",
            (f"{self.waited_ms:.0f} ms", "bold"),
            " waiting in the mean",
        )
        columns = max(8, console.size.width - 4)
        spark = Text(chart(self.rates, columns, rows, console.encoding), "cyan")
        title = f"messages a second: {rate:.0f}, in all {self.messages}"
        return Panel(Group(spark, numbers), title=title, title_align="left", border_style="dim")


def _colour(inside: list[Worker]) -> str:
    return COLOURS[inside[0].disc] if inside else "dim"


def chart(values: deque[float], width: int, rows: int, encoding: str = "utf-8") -> str:
    """Columns as high as the values, the newest at the right; the highest fills the rows."""
    steps = STEPS if encoding.lower().startswith("utf") else PLAIN_STEPS
    last = list(values)[-width:]
    top = max(last, default=0.0) or 1.0
    heights = [v / top * rows * len(steps) for v in last]
    lines = []
    for row in reversed(range(rows)):
        over = [round(h) - row * len(steps) for h in heights]
        lines.append("".join([" " if o <= 0 else steps[min(o, len(steps)) - 1] for o in over]))
    return "\n".join(lines)


@contextmanager
def screen(view: View) -> Iterator[View]:
    console = Console()
    with Live(view.draw(console), console=console, screen=True, auto_refresh=False) as live:
        view.live = live
        yield view
