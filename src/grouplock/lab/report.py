"""The report: claims and measurements side by side, as a page by itself and as tables of text."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Final, NamedTuple

from grouplock.lab.claims.claim import AGREES, DISAGREES, NOT_RUN, Claim, Row
from grouplock.lab.engine import Failed
from grouplock.lab.experiments.experiment import Experiment, Figure, Scale

TITLES: Final = {
    "000": "A quorum-based group mutual exclusion algorithm for a distributed system with dynamic "
    "group set (Surrogate)",
    "001": "A quorum-based extended group mutual exclusion algorithm without unnecessary blocking",
    "002": "A delay-optimal quorum-based mutual exclusion algorithm for distributed systems",
    "003": "Group k-exclusion with k-write-read coteries",
    "004": "A priority-based distributed group mutual exclusion algorithm when group access is "
    "non-uniform (TokenGME)",
}
ORDER: Final = (AGREES, DISAGREES, NOT_RUN)

STYLE: Final = """
:root{--ink:#33332f;--faint:#8a8a84;--paper:#fcfcfa;--line:#e4e3dc;--good:#3d6b25;--bad:#a8431a}
*{box-sizing:border-box}
body{margin:0 auto;max-width:76rem;padding:2.5rem 1.5rem 5rem;background:var(--paper);
color:var(--ink);font:16px/1.55 Georgia,'Times New Roman',serif}
h1{font-size:2rem;line-height:1.2;margin:0 0 .3rem}h2{margin:3.5rem 0 .2rem;font-size:1.45rem}
h3{margin:2rem 0 .3rem;font-size:1.1rem}p{max-width:46rem}.faint{color:var(--faint)}
table{border-collapse:collapse;width:100%;font:13.5px/1.4 system-ui,sans-serif;margin:.8rem 0}
th{text-align:left;font-weight:600;border-bottom:2px solid var(--ink);padding:.3rem .5rem}
td{vertical-align:top;border-bottom:1px solid var(--line);padding:.4rem .5rem}
td.n{white-space:nowrap;font-variant-numeric:tabular-nums}td.note{color:#5c5b55;max-width:26rem}
.v{font-weight:600;white-space:nowrap}.agrees{color:var(--good)}.disagrees{color:var(--bad)}
.not-run{color:var(--faint)}figure{margin:1.5rem 0}figure img{width:100%;max-width:60rem;
border:1px solid var(--line)}figcaption{font-size:14px;color:#5c5b55;max-width:46rem}
.sums{display:flex;gap:1.2rem;flex-wrap:wrap;margin:1.2rem 0}.sums a{text-decoration:none;
color:inherit;border:1px solid var(--line);border-radius:6px;padding:.6rem .9rem;
font:14px/1.4 system-ui,sans-serif;min-width:10rem}.bar{display:flex;height:8px;border-radius:4px;
overflow:hidden;margin-top:.4rem}.bar i{display:block}.bar .agrees{background:#6f9b53}
details{font:14px/1.5 system-ui,sans-serif}summary{cursor:pointer;font-weight:600}
.bar .disagrees{background:#d0743f}.bar .not-run{background:#d2d1c9}
"""


class Told(NamedTuple):
    """What there is to tell."""

    rows: Sequence[Row]
    figures: Sequence[Figure]
    experiments: Sequence[Experiment]
    scale: Scale
    code: str
    runs: int
    failed: Sequence[Failed]

    def papers(self) -> list[str]:
        return sorted({row.claim.paper for row in self.rows})


# Numbers in words.


def number(value: float) -> str:
    return f"{value:.4g}" if math.isfinite(value) else "no number"


def claimed(claim: Claim) -> str:
    """The range in words, with its unit."""
    unit = f" {claim.unit}" if claim.unit else ""
    if claim.low == claim.high:
        return f"{number(claim.low)}{unit}"
    if claim.low == -math.inf:
        return f"at most {number(claim.high)}{unit}"
    if claim.high == math.inf:
        return f"at least {number(claim.low)}{unit}"
    return f"{number(claim.low)} to {number(claim.high)}{unit}"


def measured(row: Row) -> str:
    if row.measured is None:
        return "–"
    text = number(row.measured.value)
    if 0 < row.measured.half < math.inf:
        text += f" ± {row.measured.half:.2g}"
    return text


def counted(rows: Sequence[Row]) -> str:
    of = Counter([row.verdict for row in rows])
    return ", ".join([f"{of[verdict]} {verdict}" for verdict in ORDER if of[verdict]])


def how(told: Told) -> str:
    said = {
        "quick": "quick: few runs, the same axes",
        "usual": "usual",
        "full": "full: as many requests as in the papers, or nearly",
    }
    return f"Scale: {said[told.scale.name]}. {told.runs} runs. Code {told.code}."


# The page.


def page(told: Told, drawn: Path) -> str:
    """One file: style and figures are inside."""
    parts = [
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>",
        "<meta name='viewport' content='width=device-width,initial-scale=1'>",
        f"<title>Five papers, measured</title><style>{STYLE}</style></head><body>",
        "<h1>Five papers, measured</h1>",
        "<p>Every numeric claim of five papers on distributed group mutual exclusion, beside what "
        "was measured with 95% intervals. A claim has the precision that its paper prints; it "
        "agrees if the interval and the claimed range have a common point. Where we do not agree, "
        "the note says what we found out about why.</p>",
        f"<p class='faint'>{escape(how(told))} {escape(counted(told.rows))}.</p>",
    ]
    parts.append("<div class='sums'>")
    for paper in told.papers():
        mine = [row for row in told.rows if row.claim.paper == paper]
        bars = "".join(
            [f"<i class='{v}' style='flex:{sum(r.verdict == v for r in mine)}'></i>" for v in ORDER]
        )
        parts.append(
            f"<a href='#p{paper}'><b>Paper {paper}</b><br>{escape(counted(mine))}"
            f"<span class='bar'>{bars}</span></a>"
        )
    parts.append("</div>")
    parts += differing(told.rows)
    if told.failed:
        parts.append("<h2>Runs that failed</h2><ul>")
        parts += [f"<li><code>{escape(failed.told())}</code></li>" for failed in told.failed]
        parts.append("</ul>")
    for paper in told.papers():
        parts += section(told, paper, drawn)
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def differing(rows: Sequence[Row]) -> list[str]:
    """Where we do not agree, with what is claimed and what is measured, as links to the rows."""
    found = [row for row in rows if row.verdict == DISAGREES]
    if not found:
        return []
    parts = [f"<details><summary>Where we do not agree: {len(found)} rows</summary><ul>"]
    for row in found:
        c = row.claim
        parts.append(
            f"<li><a href='#c{c.id}'>{c.id}</a> {escape(c.says)}: claimed {escape(claimed(c))}, "
            f"measured {escape(measured(row))}</li>"
        )
    return [*parts, "</ul></details>"]


def section(told: Told, paper: str, drawn: Path) -> list[str]:
    mine = [row for row in told.rows if row.claim.paper == paper]
    parts = [f"<h2 id='p{paper}'>Paper {paper}</h2><p class='faint'>{escape(TITLES[paper])}</p>"]
    for experiment in told.experiments:
        rows = [row for row in mine if row.claim.by == experiment.id]
        if experiment.paper != paper:
            continue
        parts.append(f"<h3 id='{experiment.id}'>{escape(experiment.title)}</h3>")
        parts.append(
            f"<p class='faint'><code>{experiment.id}</code> {escape(experiment.about)}</p>"
        )
        for figure in told.figures:
            if figure.name.startswith(experiment.id):
                parts.append(shown(figure, drawn))
        if rows:
            parts += rows_of(rows)
    ran = [experiment.id for experiment in told.experiments]
    rest = [row for row in mine if row.claim.by not in ran]
    if rest:
        parts += ["<h3>Not run</h3>", *rows_of(rest)]
    return parts


def shown(figure: Figure, drawn: Path) -> str:
    image = base64.b64encode((drawn / f"{figure.name}.svg").read_bytes()).decode()
    return (
        f"<figure><img alt='{escape(figure.title, quote=True)}' "
        f"src='data:image/svg+xml;base64,{image}'>"
        f"<figcaption>{escape(figure.title)}. {escape(figure.caption)}</figcaption></figure>"
    )


def rows_of(rows: Sequence[Row]) -> list[str]:
    parts = [
        "<table><thead><tr><th>id</th><th>place</th><th>claim</th><th>claimed</th>"
        "<th>measured</th><th>verdict</th><th>note</th></tr></thead><tbody>"
    ]
    for row in rows:
        c = row.claim
        parts.append(
            f"<tr id='c{c.id}'><td class='n'>{c.id}</td><td>{escape(c.place)}</td>"
            f"<td>{escape(c.says)}</td><td class='n'>{escape(claimed(c))}</td>"
            f"<td class='n'>{escape(measured(row))}</td>"
            f"<td class='v {row.verdict}'>{row.verdict}</td>"
            f"<td class='note'>{escape(row.note)}</td></tr>"
        )
    parts.append("</tbody></table>")
    return parts


# The same as text.


def table(told: Told) -> str:
    """Tables in Markdown, one for each paper."""
    parts = [
        "# The papers' claims, one by one",
        "",
        f"What `grouplock paper` wrote. {how(told)} In all: {counted(told.rows)}.",
        "",
    ]
    for paper in told.papers():
        mine = [row for row in told.rows if row.claim.paper == paper]
        parts += [f"## Paper {paper}", "", f"{counted(mine)}.", ""]
        parts += [
            "| id | place | claim | claimed | measured | verdict | note |",
            "|---|---|---|---|---|---|---|",
        ]
        for row in mine:
            c = row.claim
            cells = (
                c.id, c.place, c.says, claimed(c), measured(row), row.verdict, row.note,
            )  # fmt: skip
            parts.append("| " + " | ".join([cell.replace("|", "\\|") for cell in cells]) + " |")
        parts.append("")
    return "\n".join(parts)
