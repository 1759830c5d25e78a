"""The figures as a picture: a row for each scenario, a mark for each system, ours in colour."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final

import matplotlib as mpl

mpl.use("Agg")

from bench.locks.scenarios import LOWER_IS_BETTER, SCENARIOS
from bench.locks.systems import SYSTEMS
from bench.locks.targets import HERE, OURS, Measured
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

COLOURS: Final = {
    HERE: "#c2570c",
    OURS: "#c2570c",
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
            bars(place, name, [m for m in found if m.scenario == name])
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


def bars(place: Axes, name: str, found: list[Measured]) -> None:
    scenario = SCENARIOS[name]
    lower = scenario.figure in LOWER_IS_BETTER
    able = [m for m in found if m.system != "no lock" and not math.isnan(m.value)]
    able.sort(key=lambda m: m.value if lower else -m.value)
    for at, one in enumerate(able):
        colour = COLOURS[SYSTEMS[one.system].family]
        plain = SYSTEMS[one.system].family == "control"
        spread = one.value * one.noise
        place.barh(at, one.value, color=colour, alpha=0.45 if plain else 0.9, height=0.7)
        place.plot(
            [max(one.value - spread, one.value / 10), one.value + spread], [at, at],
            color="#33332f", linewidth=1,
        )  # fmt: skip
        place.annotate(
            figure_of(one.value), (one.value + spread, at), (4, 0),
            textcoords="offset points", va="center", fontsize=8,
        )  # fmt: skip
    place.set_yticks(range(len(able)), [m.system for m in able])
    for label, one in zip(place.get_yticklabels(), able, strict=True):
        if SYSTEMS[one.system].family in (OURS, HERE):
            label.set_fontweight("bold")
    place.invert_yaxis()
    place.set_xscale("log")
    low, high = min(m.value for m in able), max(m.value * (1 + m.noise) for m in able)
    place.set_xlim(low / 3, high * 4)
    better = "less is better" if lower else "more is better"
    unit = "µs" if lower else "a second"
    place.set_title(f"{name}: {scenario.what}", loc="left", fontsize=10, fontweight="bold")
    place.set_xlabel(f"{scenario.figure.removesuffix('/s')}, {unit} ({better}; logarithmic)")


def figure_of(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
