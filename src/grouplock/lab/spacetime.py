"""A run as a space-time diagram: a line for each site, time downwards, messages as arrows.

What may live here: the steps of a trace as an SVG.  A step is a row; being inside is a bar on the
site's line in the colour of its group.  A message that is never delivered ends in the open.
"""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from grouplock.measure.trace import Step
from grouplock.protocol.effects import GRANTED, LOST, SEND
from grouplock.protocol.message import Messages

COLUMN: Final = 190  # between the lines of two sites
ROW: Final = 30
LEFT: Final = 320  # room for the words beside the rows
TOP: Final = 56
BAR: Final = 12
COLOURS: Final = ("#1f77b4", "#d9822b", "#3b9c5f", "#a64ca6", "#b03a3a", "#7a6a4f")
LONGEST: Final = 26  # characters of a message's label
STYLE: Final = (
    "text{font:12px sans-serif;fill:#222}.site{font-weight:bold;text-anchor:middle}"
    ".what{text-anchor:end}.number{fill:#888;text-anchor:end}"
    ".msg{font-size:11px;text-anchor:middle;fill:#444;paint-order:stroke;stroke:#fff;"
    "stroke-width:3px}.end{fill:#b00020;font-weight:bold}"
    "line.site-line{stroke:#bbb}line.arrow{stroke:#555;marker-end:url(#tip)}"
    "line.lost{stroke:#999;stroke-dasharray:4 3}"
)


class Arrow(NamedTuple):
    src: int
    dst: int
    sent: int  # the row
    taken: int  # the row, or -1
    label: str


def diagram(steps: Sequence[Step], n: int, messages: Messages, ending: str = "") -> str:
    """The SVG.  `ending` is what the last line says, such as the property that is broken."""
    x = [LEFT + COLUMN // 2 + COLUMN * site for site in range(n)]
    height = TOP + ROW * (len(steps) + 1) + (16 if ending else 0)
    width = LEFT + COLUMN * n
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" role="img">',
        f"<style>{STYLE}</style>",
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="#555"/></marker></defs>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    last = y(len(steps))
    for site in range(n):
        parts.append(f'<text class="site" x="{x[site]}" y="{TOP - 26}">site {site}</text>')
        parts.append(
            f'<line class="site-line" x1="{x[site]}" y1="{TOP - 16}" x2="{x[site]}" y2="{last}"/>'
        )
    for site, group, since, until in stays(steps):
        colour = COLOURS[group % len(COLOURS)]
        parts.append(
            f'<rect x="{x[site] - BAR // 2}" y="{y(since)}" width="{BAR}" '
            f'height="{y(until) - y(since)}" rx="3" fill="{colour}">'
            f"<title>site {site} is inside with group {group}</title></rect>"
        )
    for arrow in arrows(steps, messages):
        parts += drawn(arrow, x)
    for row, step in enumerate(steps):
        parts.append(f'<text class="number" x="24" y="{y(row) + 4}">{row + 1}</text>')
        words = escape(in_words(step, messages))
        parts.append(f'<text class="what" x="{LEFT - 10}" y="{y(row) + 4}">{words}</text>')
        parts.append(f'<circle cx="{x[step.site]}" cy="{y(row)}" r="3" fill="#222"/>')
    if ending:
        parts.append(f'<text class="end" x="24" y="{height - 12}">{escape(ending)}</text>')
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def y(row: int) -> int:
    return TOP + ROW * row


def stays(steps: Sequence[Step]) -> list[tuple[int, int, int, int]]:
    """(site, group, first row, last row) of everybody's time inside."""
    found: list[tuple[int, int, int, int]] = []
    inside: dict[tuple[int, int], tuple[int, int]] = {}  # (site, rid) -> group and row

    def leave(site: int, rid: int, row: int) -> None:
        if (site, rid) in inside:
            group, since = inside.pop((site, rid))
            found.append((site, group, since, row))

    for row, step in enumerate(steps):
        if step.do[0] in ("release", "withdraw", "expire"):
            leave(step.site, step.do[1], row)
        elif step.do[0] in ("crash", "restart"):
            for site, rid in sorted(inside):
                if site == step.site:
                    leave(site, rid, row)
        for effect in step.out:
            if effect[0] == GRANTED:
                inside[(step.site, effect[1])] = (effect[2], row)
            elif effect[0] == LOST:
                leave(step.site, effect[1], row)
    for site, rid in sorted(inside):
        leave(site, rid, len(steps))
    return found


def arrows(steps: Sequence[Step], messages: Messages) -> list[Arrow]:
    """Each message from the step that sent it to the step that took it."""
    flying: list[tuple[int, int, object, int]] = []  # src, dst, packed, row
    found: list[Arrow] = []
    for row, step in enumerate(steps):
        if step.do[0] == "deliver":
            taken = [f for f in flying if f[:3] == (step.do[1], step.site, step.do[2])]
            if taken:
                flying.remove(taken[0])
                src, dst, _, sent = taken[0]
                found.append(Arrow(src, dst, sent, row, named(messages, step.do[2])))
        for effect in step.out:
            if effect[0] == SEND and effect[1] != step.site:
                flying.append((step.site, effect[1], effect[2], row))
    for src, dst, packed, sent in flying:
        found.append(Arrow(src, dst, sent, -1, named(messages, packed)))
    return found


def drawn(arrow: Arrow, x: Sequence[int]) -> list[str]:
    x1, y1, x2 = x[arrow.src], y(arrow.sent), x[arrow.dst]
    if arrow.taken >= 0:
        y2, kind, place = y(arrow.taken), "arrow", 0.5
    else:
        x2, y2, kind, place = x1 + (x2 - x1) // 4, y1 + ROW // 2, "lost", 1.0
    label = escape(arrow.label)
    at_x, at_y = x1 + (x2 - x1) * place, y1 + (y2 - y1) * place - 4
    return [
        f'<line class="{kind}" x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>',
        f'<text class="msg" x="{at_x:g}" y="{at_y:g}">{label}</text>',
    ]


def named(messages: Messages, packed: object) -> str:
    """A message's kind and its fields' values, cut where it is long."""
    assert isinstance(packed, tuple)
    shape = messages.shapes[packed[0]]
    values = ",".join([in_short(value) for value in packed[1:]])
    text = f"{shape.name} {values}".rstrip()
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def in_short(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{','.join([in_short(v) for v in value])}]"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


def in_words(step: Step, messages: Messages) -> str:
    """What happens in this row, in a few words."""
    kind, site = step.do[0], step.site
    if kind == "request":
        names = " or ".join([str(group) for group in step.do[2]])
        text = f"{site} asks for group {names}"
    elif kind == "deliver":
        text = f"{site} receives {messages.shapes[step.do[2][0]].name} from {step.do[1]}"
    elif kind == "release":
        text = f"{site} leaves"
    elif kind == "notice":
        text = f"{site} learns that {step.do[1]} has crashed"
    else:
        said = {"withdraw": "withdraws", "crash": "crashes", "timer": "has a timer"}
        text = f"{site} {said.get(kind, kind)}"
    for effect in step.out:
        if effect[0] == GRANTED:
            text += f", enters with {effect[2]}"
    return text
