"""Figures of comparisons: PNG or SVG, by the file's name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from grouplock.lab.summary import estimate
from grouplock.measure.figures import Figures

SUFFIXES: Final = (".png", ".svg")

PANELS: Final = (
    ("messages_per_request", "messages a request"),
    ("waiting.mean", "waiting, units of time"),
    ("throughput", "requests a unit of time"),
    ("sync_delay.hops", "synchronisation delay, hops"),
)


class BadPlot(ValueError):
    """A file name that says no format; the message says which there are."""


class Curve(NamedTuple):
    label: str
    points: Mapping[str, Sequence[Figures]]  # by the swept value; one entry where nothing is swept


def checked(path: Path) -> Path:
    if path.suffix not in SUFFIXES:
        raise BadPlot(f"a plot is a {' or '.join(SUFFIXES)} file, not '{path.name}'")
    return path


def draw(curves: Sequence[Curve], swept: str, title: str, path: Path) -> None:
    """Four panels: a line for each curve over the swept values, or a bar where none is swept."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams["svg.hashsalt"] = "grouplock"  # the same figure is the same file
    from matplotlib import pyplot as plt

    figure, panels = plt.subplots(2, 2, figsize=(10, 7), constrained_layout=True)
    for axes, (name, label) in zip(panels.flat, PANELS, strict=True):
        for place, curve in enumerate(curves):
            estimates = [estimate(runs, name) for runs in curve.points.values()]
            means = [e.mean for e in estimates]
            halves = [e.half if e.half < float("inf") else 0.0 for e in estimates]
            colour = f"C{place}"
            if swept:
                xs = _numbers(list(curve.points))
                axes.errorbar(
                    xs, means, yerr=halves, label=curve.label, color=colour,
                    marker="os^Dv"[place % 5], markersize=4, capsize=3,
                    linestyle=("-", "--", ":", "-.")[place % 4],
                )  # fmt: skip
            else:
                axes.bar(place, means[0], yerr=halves[0], color=colour, capsize=4, width=0.6)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0)
        axes.grid(axis="y", alpha=0.3)
        if swept:
            axes.set_xlabel(swept)
        else:
            axes.set_xticks(range(len(curves)), [c.label for c in curves], rotation=12)
    if swept:
        handles, labels = panels.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=min(4, len(curves)))
    figure.suptitle(title, fontsize=11)
    figure.savefig(path, dpi=120, metadata={"Date": None} if path.suffix == ".svg" else None)
    plt.close(figure)


def _numbers(values: Sequence[str]) -> list[float]:
    return [float(v) for v in values]
