"""The figures of docs/quorums.md: `make figures`. Nothing here is random or timed."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from math import log10
from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
mpl.rcParams.update(
    {
        "svg.hashsalt": "grouplock",  # the same figure is the same file
        "svg.fonttype": "none",
        "font.family": "sans-serif",
        "font.size": 10,
        "figure.facecolor": "#fcfcfa",
        "axes.facecolor": "#fcfcfa",
        "axes.edgecolor": "#8a8a84",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "text.color": "#33332f",
    }
)

from matplotlib import pyplot as plt  # noqa: E402
from matplotlib.axes import Axes  # noqa: E402

from grouplock.quorums import KINDS, QuorumSystem, build  # noqa: E402
from grouplock.quorums.catalog import COTERIE  # noqa: E402
from grouplock.quorums.load import load  # noqa: E402
from grouplock.quorums.resilience import resilience  # noqa: E402

HERE = Path(__file__).parent
N = 91  # 9*9 + 9 + 1: there is a plane
COTERIES = [kind.name for kind in KINDS.values() if kind.sort == COTERIE]
DRAWN = {  # of two that coincide, one
    "all": ("#8a8a84", "-"),
    "majority": ("#33332f", "-"),
    "hierarchical": ("#c2570c", "-"),
    "rst": ("#b8860b", "--"),
    "grid-set": ("#b8860b", "-"),
    "grid": ("#4d7c32", "-"),
    "triangle": ("#2563a8", "-"),
    "cyclic": ("#7b3fa0", "-"),
    "cwlog": ("#2563a8", "--"),
    "tree": ("#c0306a", "-"),
}


PLACES = {  # of names beside their points
    "all": (-8, 6),
    "triangle": (-8, 4),
    "hierarchical": (0, 8),
    "grid": (-8, -10),
    "grid-cover": (8, -10),
    "rst": (8, -3),
    "grid-set": (-2, 8),
    "cwlog": (8, -8),
}


def system(kind: str, n: int) -> QuorumSystem:
    made = build(kind, n)
    assert isinstance(made, QuorumSystem)
    return made


def load_and_resilience(path: Path) -> None:
    points: dict[tuple[float, int], list[str]] = {}
    bounds: set[str] = set()
    for kind in COTERIES:
        made = system(kind, N)
        busy = load(made)
        lasting = resilience(made, busy.value)
        if lasting.how.startswith("at least"):
            bounds.add(kind)
        points.setdefault((round(busy.value, 4), lasting.value), []).append(kind)
    figure, axes = plt.subplots(figsize=(8, 4.8), constrained_layout=True)
    for (x, y), kinds in sorted(points.items()):
        colour = DRAWN.get(kinds[0], ("#7b3fa0" if "cyclic" in kinds else "#4d7c32", ""))[0]
        axes.plot(x, y, "o", color=colour, markersize=7)
        names = ", ".join(f"{k} (at least)" if k in bounds else k for k in kinds)
        offset = PLACES.get(kinds[0], (8, 3))
        axes.annotate(
            names, (x, y), xytext=offset, textcoords="offset points", color=colour, fontsize=9,
            ha="left" if offset[0] > 0 else "right" if offset[0] < 0 else "center",
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=1, linscale=0.3)
    axes.set_xticks([0.1, 0.2, 0.5, 1.0], ["0.1", "0.2", "0.5", "1"])
    axes.xaxis.set_minor_locator(mpl.ticker.NullLocator())
    axes.set_yticks([0, 1, 2, 5, 10, 20, 50], ["0", "1", "2", "5", "10", "20", "50"])
    axes.yaxis.set_minor_locator(mpl.ticker.NullLocator())
    axes.set_xlim(0.09, 1.15)
    axes.set_ylim(-0.25, 80)
    axes.set_xlabel("load: the share of requests that the busiest node sees")
    axes.set_ylabel("resilience: nodes that may fail")
    axes.set_title(f"Coteries of {N} nodes: up and left is better", loc="left", fontsize=11)
    axes.grid(alpha=0.25)
    save(figure, path)


def sizes(path: Path) -> None:
    ns = sorted({round(3 * 10 ** (i / 20)) for i in range(71)} | {10_000})
    ns = [n for n in ns if n <= 10_000]
    figure, panels = plt.subplots(1, 2, figsize=(10, 5), sharey=True, constrained_layout=True)
    for panel, which, title in zip(panels, (0, 1), ("smallest", "largest"), strict=True):
        ends: list[tuple[float, str]] = []
        for kind, (colour, line) in DRAWN.items():
            lengths = [system(kind, n).sizes()[which] for n in ns]
            panel.plot(ns, lengths, line, color=colour, linewidth=1.6)
            ends.append((lengths[-1], kind))
        panel.plot(ns, [n**0.5 for n in ns], ":", color="#8a8a84", linewidth=1.2)
        panel.set_xscale("log")
        panel.set_yscale("log")
        panel.set_xlim(3, 60_000)
        panel.set_xticks([10, 100, 1000, 10_000], ["10", "100", "1 000", "10 000"])
        panel.set_xlabel("nodes")
        panel.set_title(f"nodes in the {title} quorum", loc="left", fontsize=11)
        panel.grid(alpha=0.25)
        label(panel, [*ends, (100.0, "√n")])
    panels[0].set_ylim(1.5, 14_000)
    panels[0].set_yticks([2, 10, 100, 1000, 10_000], ["2", "10", "100", "1 000", "10 000"])
    save(figure, path)


def label(axes: Axes, ends: Sequence[tuple[float, str]]) -> None:
    """Names at the right end of the lines, pushed apart where they would overlap."""
    at = -1.0
    for value, name in sorted(ends):
        at = max(log10(value), at + 0.135)
        colour = DRAWN.get(name, ("#8a8a84", ""))[0]
        axes.annotate(
            name, (10_000, value), xytext=(13_000, 10**at), color=colour, fontsize=9, va="center",
            arrowprops={"arrowstyle": "-", "color": colour, "lw": 0.5, "shrinkA": 1, "shrinkB": 1},
        )  # fmt: skip


def save(figure: mpl.figure.Figure, path: Path) -> None:
    figure.savefig(path, dpi=110, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def main(folder: Path, suffix: str) -> None:
    load_and_resilience(folder / f"quorums-load-resilience.{suffix}")
    sizes(folder / f"quorums-sizes.{suffix}")


if __name__ == "__main__":
    # Another folder gets pictures to look at.
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]), "png")
    else:
        main(HERE, "svg")
