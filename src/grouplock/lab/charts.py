"""Draws an experiment's figures: PNG, SVG, and the numbers behind them as CSV."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from grouplock.lab.experiments.experiment import Figure, Line, Panel

PAPER: Final = "#fcfcfa"
INK: Final = "#33332f"
FAINT: Final = "#8a8a84"
COLOURS: Final = ("#2563a8", "#c2570c", "#4d7c32", "#7b3fa0", "#c0306a", "#b8860b", "#33332f")
MARKS: Final = "os^Dv<>"
STYLES: Final = ("-", "--", ":", "-.")
COLUMNS: Final = ("figure", "panel", "line", "x", "mean", "ci95")


def draw(figure: Figure, folder: Path) -> None:
    """`name.png` and `name.svg` in the folder."""
    import matplotlib as mpl

    mpl.use("Agg")
    style: Any = {
        "svg.hashsalt": "grouplock",  # the same figure is the same file
        "svg.fonttype": "none",
        "font.size": 9.5,
        "figure.facecolor": PAPER,
        "axes.facecolor": PAPER,
        "axes.edgecolor": FAINT,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": INK,
        "axes.labelcolor": INK,
        "xtick.color": INK,
        "ytick.color": INK,
    }
    with mpl.rc_context(style):
        from matplotlib import pyplot as plt

        across = min(2, len(figure.panels))
        down = -(-len(figure.panels) // across)
        size = (4.6 * across + 0.4, 2.9 * down + 0.9)
        made, places = plt.subplots(
            down, across, figsize=size, constrained_layout=True, squeeze=False
        )
        looks = looks_of(figure)
        for axes, panel in zip(places.flat, figure.panels, strict=False):
            draw_panel(axes, figure, panel, looks)
        for axes in places.flat[len(figure.panels) :]:
            axes.set_visible(False)
        shown: dict[str, Any] = {}
        for axes in places.flat[: len(figure.panels)]:
            handles, labels = axes.get_legend_handles_labels()
            shown |= dict(zip(labels, handles, strict=True))
        if len(shown) > 1:
            made.legend(
                [shown[label] for label in looks], list(looks), loc="outside lower center",
                ncols=min(3, len(shown)), frameon=False,
            )  # fmt: skip
        made.suptitle(figure.title, fontsize=11)
        made.savefig(folder / f"{figure.name}.png", dpi=110)
        made.savefig(folder / f"{figure.name}.svg", metadata={"Date": None})
        plt.close(made)


def looks_of(figure: Figure) -> dict[str, dict[str, str]]:
    """How each line looks; one of the same label looks the same in every panel."""
    labels = list(dict.fromkeys([line.label for panel in figure.panels for line in panel.lines]))
    return {
        label: {
            "color": COLOURS[place % len(COLOURS)],
            "marker": MARKS[place % len(MARKS)],
            "linestyle": STYLES[place % len(STYLES)],
        }
        for place, label in enumerate(labels)
    }


def draw_panel(
    axes: Any, figure: Figure, panel: Panel, looks: Mapping[str, Mapping[str, str]]
) -> None:
    bars = bool(figure.ticks) and len(panel.lines) == 1
    for line in panel.lines:
        xs, means, halves = shown(line, figure.log)
        if bars:
            colour = looks[line.label]["color"]
            axes.bar(xs, means, yerr=halves, color=colour, alpha=0.85, width=0.6, capsize=4)
        else:
            axes.errorbar(
                xs, means, yerr=halves, label=line.label, markersize=4, capsize=2.5,
                linewidth=1.4, **looks[line.label],
            )  # fmt: skip
    if panel.even is not None:
        axes.axhline(panel.even, color=FAINT, linewidth=0.9, zorder=0)
    if figure.log:
        axes.set_xscale("log")
        ticks = apart(sorted({x for line in panel.lines for x in line.xs if x > 0}))
        axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
        axes.minorticks_off()
    if figure.ticks:
        axes.set_xticks(range(len(figure.ticks)), figure.ticks)
    axes.set_ylim(0, 1.03 * axes.get_ylim()[1])
    axes.set_xlabel(figure.x)
    axes.set_ylabel(panel.y)
    axes.grid(axis="y", alpha=0.25)


def apart(ticks: Sequence[float]) -> list[float]:
    """Those of a logarithmic axis whose numbers do not overlap; the first and the last stay."""
    room = 0.07 * math.log(ticks[-1] / ticks[0])
    kept = [ticks[0]]
    for tick in ticks[1:-1]:
        if math.log(tick / kept[-1]) > room and math.log(ticks[-1] / tick) > room:
            kept.append(tick)
    return [*kept, ticks[-1]]


def shown(line: Line, log: bool) -> tuple[list[float], list[float], list[float]]:
    """Without what has no place on the axes."""
    kept = [
        row
        for row in zip(line.xs, line.means, line.halves, strict=True)
        if math.isfinite(row[1]) and (row[0] > 0 or not log)
    ]
    return [row[0] for row in kept], [row[1] for row in kept], [row[2] for row in kept]


def write_csv(figures: Sequence[Figure], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(COLUMNS)
        for figure in figures:
            for panel in figure.panels:
                for line in panel.lines:
                    for row in zip(line.xs, line.means, line.halves, strict=True):
                        writer.writerow([figure.name, panel.y, line.label, *row])
