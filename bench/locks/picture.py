"""The figures as a picture: a row for each scenario, a mark for each system, ours in colour."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl

mpl.use("Agg")

from bench.locks.scenarios import ENTRIES, LOWER_IS_BETTER, SCENARIOS
from bench.locks.systems import SYSTEMS
from bench.locks.targets import FIFO, HERE, OURS, Measured
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

COLOURS: Final = {
    HERE: "#c2570c",
    OURS: "#c2570c",
    FIFO: "#dd9a68",
    "redis-py": "#b8860b",
    "redis-raw": "#7b3fa0",
    "PostgreSQL": "#2563a8",
    "etcd": "#4d7c32",
    "ZooKeeper": "#c0306a",
    "control": "#8a8a84",
}
STYLE: Final[Any] = {
    "svg.hashsalt": "grouplock",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.size": 9,
    "figure.facecolor": "#fcfcfa",
    "axes.facecolor": "#fcfcfa",
    "axes.edgecolor": "#8a8a84",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": "#33332f",
}


def draw(found: list[Measured], stem: Path) -> list[Path]:
    """`stem`.png and `stem`.svg."""
    names = [name for name in SCENARIOS if any(one.scenario == name for one in found)]
    with mpl.rc_context(STYLE):
        columns = 2
        lines = math.ceil(len(names) / columns)
        figure, places = plt.subplots(lines, columns, figsize=(11, 2.9 * lines), squeeze=False)
        flat = [place for line in places for place in line]
        for place, name in zip(flat, names, strict=False):
            panel(place, name, [m for m in found if m.scenario == name])
        for place in flat[len(names) :]:
            place.axis("off")
        figure.tight_layout(h_pad=2.0, w_pad=2.5)
        made = [stem.with_suffix(suffix) for suffix in (".png", ".svg")]
        for path in made:
            figure.savefig(
                path, dpi=130, metadata={"Date": None} if path.suffix == ".svg" else None
            )
        plt.close(figure)
    return made


def panel(place: Axes, name: str, found: list[Measured]) -> None:
    scenario = SCENARIOS[name]
    lower = scenario.figure in LOWER_IS_BETTER
    linear = scenario.figure == ENTRIES  # of one order of magnitude: bars that begin at nothing
    able = [m for m in found if m.system != "no lock" and not math.isnan(m.value)]
    able.sort(key=lambda m: m.value if lower else -m.value)
    low, high = min(m.value for m in able), max(m.value * (1 + m.noise) for m in able)
    for at, one in enumerate(able):
        family = SYSTEMS[one.system].family
        colour, spread = COLOURS[family], one.value * one.noise
        if linear:
            alpha = 0.45 if family == "control" else 0.9
            place.barh(at, one.value, color=colour, alpha=alpha, height=0.7)
        else:
            place.axhline(at, color="#e4e4de", linewidth=0.8, zorder=0)
            place.plot(one.value, at, "o", color=colour, markersize=7)
        ends = [max(one.value - spread, low / 5), one.value + spread]
        place.plot(ends, [at, at], color=colour if not linear else "#33332f", linewidth=1.2)
        place.annotate(
            figure_of(one.value), (one.value + spread, at), (7, 0),
            textcoords="offset points", va="center", fontsize=8,
        )  # fmt: skip
    place.set_yticks(range(len(able)), [m.system for m in able])
    for label, one in zip(place.get_yticklabels(), able, strict=True):
        if SYSTEMS[one.system].family in (OURS, HERE):
            label.set_fontweight("bold")
    place.invert_yaxis()
    if linear:
        place.set_xlim(0, high * 1.2)
    else:
        place.set_xscale("log")
        place.set_xlim(low / 2, high * 3)
    better = "less is better" if lower else "more is better"
    unit = "µs" if lower else "a second"
    place.set_title(f"{name}: {scenario.what}", loc="left", fontsize=10, fontweight="bold")
    scale = "" if linear else "; logarithmic"
    place.set_xlabel(f"{scenario.figure.removesuffix('/s')}, {unit} ({better}{scale})")


def figure_of(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
