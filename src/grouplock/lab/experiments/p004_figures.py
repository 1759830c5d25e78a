"""Paper 004, figures 6 and 7: TokenGME against RA2, and its two policies."""

from __future__ import annotations

from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments import sweep as s
from grouplock.lab.experiments.experiment import Experiment, Figure, Panel, Results, Scale
from grouplock.lab.experiments.sweep import Contender, Sweep
from grouplock.lab.runs import Task
from grouplock.lab.summary import Estimate

TOKEN: Final = Contender("TokenGME", "token-gme")
FIFO: Final = Contender("TokenGME, fifo", "token-gme", (("policy", "fifo"),))
RA2: Final = Contender("RA2", "ra2")

BASE: Final[dict[str, Any]] = {
    "n": 100, "groups": 50, "think": 50.0, "inside": 20.0, "delay": 10.0, "skew": [20, 80],
    "bandwidth": 3125.0, "requests": 100,
}  # fmt: skip

METRICS: Final = (
    (s.MESSAGES, "messages"),
    (s.SIZE, "size"),
    (s.WAITING, "waiting"),
    (s.THROUGHPUT, "throughput"),
)

AXES: Final[dict[str, tuple[str, str, tuple[float, ...]]]] = {
    "a": ("groups", "groups m", (2, 3, 5, 10, 20, 50, 100, 150)),
    "b": ("think", "mean time between requests", (0, 50, 200, 500, 1000, 2000, 4000)),
    "c": ("inside", "mean time inside", (0, 5, 10, 20, 35, 50)),
    "d": ("delay", "mean channel delay", (0.1, 5, 10, 20, 35, 50)),
    "e": ("skew", "per cent of the requests for the favoured groups", (50, 60, 70, 80, 90)),
    "f": ("n", "processes n", (5, 7, 10, 20, 50, 100, 150, 200)),
}
LINES: Final = {"a": 19, "b": 20, "c": 21, "d": 22, "e": 23, "f": 24}


def sweep(figure: str, scale: Scale) -> Sweep:
    key, _, xs = AXES[figure]
    points = {}
    for x in xs:
        value: Any = [100 - x, x] if key == "skew" else int(x) if key in ("groups", "n") else x
        requests = scale.of(40, 12, 150)
        if key == "n" and not scale.quick:
            requests = max(
                requests, int(5000 / x)
            )  # few sites: longer runs, for narrower intervals
        points[x] = {**BASE, key: value, "requests": requests}
    return Sweep(points, [TOKEN, RA2], scale.of(4, 3, 6))


def ratios(figure: str, results: Results, scale: Scale, name: str) -> dict[float, Estimate]:
    return sweep(figure, scale).ratios(results, TOKEN, RA2, name)


def excepted(figure: str, x: float) -> bool:
    """The cases in which the paper has RA2 ahead."""
    return (figure == "a" and x == 2) or (figure == "f" and x < 10)


def better(figures: str, results: Results, scale: Scale, name: str) -> tuple[float, str]:
    """The share of points at which TokenGME is better, and where it is not."""
    kept: list[Estimate] = []
    worse = []
    for figure in figures:
        for x, found in ratios(figure, results, scale, name).items():
            if not excepted(figure, x):
                kept.append(found)
                if not s.share([found], name != s.THROUGHPUT):
                    worse.append(f"6{figure} at {x:g}: {found.mean:.2f}")
    return s.share(kept, name != s.THROUGHPUT), f"not at {'; '.join(worse)}" if worse else ""


# What we found out where a direction is not the paper's.
WHY: Final = {
    "32a": ". Up to 1000 everybody waits nearly all the time and the ratio stays where it is; "
    "from there on, with less and less load, it falls as the paper says",
    "33e": ". The throughput of n sites with n times the load; it is ahead at nearly all sizes and "
    "has no clear direction",
}


def directions(figure: str, results: Results, scale: Scale) -> dict[str, Measured]:
    """Which way the ratios of waiting and throughput go along this figure."""
    letters = {"b": ("32a", ""), "c": ("32b", "33b"), "d": ("32c", "33c"), "e": ("32d", "33d")}
    letters["f"] = ("32e", "33e")
    found = {}
    if figure in letters:
        for letter, name in zip(letters[figure], (s.WAITING, s.THROUGHPUT), strict=True):
            if letter:
                along = ratios(figure, results, scale, name)
                told = ", ".join([f"{r.mean:.2f}" for r in along.values()])
                found[f"004.{letter}"] = Measured(
                    s.rank(along), 0.0, f"the ratios: {told}{WHY.get(letter, '')}"
                )
    return found


def short(at: Sweep) -> str:
    """What few requests do to throughput: figures are over whole runs."""
    requests = min([point["requests"] for point in at.points.values()])
    return (
        f"{requests} requests a process where the paper has 500: the end of a run, when the last "
        "few are served, weighs the more on throughput"
    )


def measure(figure: str, results: Results, scale: Scale) -> dict[str, Measured]:
    found = directions(figure, results, scale)
    for letter, name in (("a", s.SIZE), ("b", s.WAITING), ("c", s.THROUGHPUT)):
        percent, note = better(figure, results, scale, name)
        found[f"004.{LINES[figure]}{letter}"] = Measured(percent, 0.0, note)
    if figure == "a":
        at = sweep("a", scale)
        for letter, name in (("25a", s.WAITING), ("25b", s.THROUGHPUT)):
            there = at.ratio(results, RA2, TOKEN, 2, name)
            told = s.lower(there) if name == s.WAITING else s.higher(there)
            found[f"004.{letter}"] = Measured(told.mean, told.half, short(at))
        percent, note = better("a", results, scale, s.MESSAGES)
        found["004.34a"] = Measured(percent, 0.0, note)
    if figure == "b":
        last = ratios("b", results, scale, s.THROUGHPUT)[4000]
        found["004.33a"] = Measured(last.mean, last.half)
        fewer = {x: s.lower(r) for x, r in ratios("b", results, scale, s.MESSAGES).items()}
        x, most = s.largest(fewer)
        found["004.34b"] = Measured(most.mean, most.half, f"the most is at think = {x:g}")
    if figure == "f":
        size = ratios("f", results, scale, s.SIZE)
        found["004.26"] = Measured(size[5].mean, size[5].half, f"at n = 7: {size[7].mean:.2f}")
        at = sweep("f", scale)
        ours, theirs = [at.value(results, who, 5, s.SIZE).mean for who in (TOKEN, RA2)]
        found["004.28a"] = Measured(
            size[5].mean,
            size[5].half,
            f"integers a message: TokenGME {ours:.1f}, RA2 {theirs:.1f}; the paper gives no "
            "encoding. RA2 is derived: ours tells what has changed in every message, also in "
            "requests; one that does so in replies alone has smaller messages where n is small",
        )
    return found


def figures(figure: str, results: Results, scale: Scale) -> list[Figure]:
    _, x, _ = AXES[figure]
    panels = [
        Panel(what, (s.drawn("TokenGME / RA2", ratios(figure, results, scale, name)),), 1.0)
        for name, what in METRICS
    ]
    caption = (
        "Below the line at 1 TokenGME takes less; of throughput it has more above the line. "
        "Bars are 95% intervals over paired seeds."
    )
    return [
        Figure(f"004-fig6{figure}", f"Paper 004, fig. 6({figure}): TokenGME / RA2", x,
               tuple(panels), caption, log=figure in "af")
    ]  # fmt: skip


def fig6(figure: str) -> Experiment:
    return Experiment(
        f"004-fig6{figure}",
        f"TokenGME against RA2 over {AXES[figure][1]}",
        "n = 100, m = 50, think 50, inside 20, delay 10, (20, 80), 3125 integers a unit, RA2 with "
        "differential vectors; one of them varied as in the paper.  RA2 is derived from its "
        "description, and its rules may differ from Joung's.",
        lambda scale: sweep(figure, scale).tasks(),
        lambda results, scale: measure(figure, results, scale),
        lambda results, scale: figures(figure, results, scale),
    )


# What is said of figures 6 (a) to (f) together.


def all_tasks(scale: Scale) -> list[Task]:
    return [t for figure in AXES for t in sweep(figure, scale).tasks()]


def all_measure(results: Results, scale: Scale) -> dict[str, Measured]:
    shares, notes = [], []
    for name, what in ((s.SIZE, "size"), (s.WAITING, "waiting"), (s.THROUGHPUT, "throughput")):
        percent, note = better("abcdef", results, scale, name)
        shares.append(percent)
        notes += [f"{what} {note}"] if note else []
    found = {"004.27": Measured(sum(shares) / 3, 0.0, "; ".join(notes))}
    sizes = {
        (figure, x): r
        for figure in "abcde"
        for x, r in ratios(figure, results, scale, s.SIZE).items()
    }
    where, far = max(sizes.items(), key=lambda entry: abs(entry[1].mean - 0.05))
    means = [r.mean for r in sizes.values()]
    found["004.29"] = Measured(
        far.mean, far.half,
        f"farthest in 6{where[0]} at {where[1]:g}; between {min(means):.3f} and {max(means):.3f}, "
        f"median {s.median_of(means):.3f}; the higher ones are at light load, where RA2's "
        "differential vectors have little to tell",
    )  # fmt: skip
    waits = {
        (figure, x): s.lower(r)
        for figure in AXES
        for x, r in ratios(figure, results, scale, s.WAITING).items()
    }
    where, most = max(waits.items(), key=lambda entry: entry[1].mean)
    told = f"the most is in 6{where[0]} at {where[1]:g}"
    found["004.30a"] = found["004.30b"] = Measured(most.mean, most.half, told)
    gains = {
        (figure, x): s.higher(r)
        for figure in AXES
        for x, r in ratios(figure, results, scale, s.THROUGHPUT).items()
    }
    where, gain = max(gains.items(), key=lambda entry: entry[1].mean)
    told = f"the most is in 6{where[0]} at {where[1]:g}; {short(sweep('a', scale))}"
    found["004.31b"] = Measured(gain.mean, gain.half, told)
    where = min(gains, key=lambda place: abs(gains[place].mean - 39))
    there = waits[where]
    found["004.31a"] = Measured(
        there.mean, there.half,
        f"in 6{where[0]} at {where[1]:g}, where throughput is {gains[where].mean:.0f}% higher",
    )  # fmt: skip
    return found


# Figure 7: the policies.

SKEWS: Final = (50, 60, 70, 80, 90)
SIZES: Final = (2, 5, 10, 20, 50, 100, 200)


def policies(figure: str, scale: Scale) -> Sweep:
    seeds = scale.of(4, 3, 8)
    requests = scale.of(250, 20, 500)
    if figure == "a":
        points = {n: {**BASE, "n": n, "requests": requests} for n in SIZES}
    else:
        points = {
            skew: {**BASE, "n": 200, "skew": [100 - skew, skew], "requests": requests}
            for skew in SKEWS
        }
    return Sweep({float(x): point for x, point in points.items()}, [TOKEN, FIFO], seeds)


def policy_measure(figure: str, results: Results, scale: Scale) -> dict[str, Measured]:
    at = policies(figure, scale)
    line = 35 if figure == "a" else 36
    found = {}
    waits = {x: s.lower(r) for x, r in at.ratios(results, TOKEN, FIFO, s.WAITING).items()}
    gains = {x: s.higher(r) for x, r in at.ratios(results, TOKEN, FIFO, s.THROUGHPUT).items()}
    for letter, along in (("a", waits), ("b", gains)):
        x, most = s.largest(along)
        told = ", ".join([f"{e.mean:.1f} at {place:g}" for place, e in along.items()])
        found[f"004.{line}{letter}"] = Measured(
            most.mean, most.half, f"most at {x:g}; {told}; {short(at)}"
        )
    return found


def policy_figures(figure: str, results: Results, scale: Scale) -> list[Figure]:
    at = policies(figure, scale)
    x = "processes n" if figure == "a" else AXES["e"][1]
    panels = [
        Panel(what, (s.drawn("priority / fifo", at.ratios(results, TOKEN, FIFO, name)),), 1.0)
        for name, what in METRICS
    ]
    return [
        Figure(f"004-fig7{figure}", f"Paper 004, fig. 7({figure}): priority / fifo", x,
               tuple(panels), "The next session's group by priority, against first come.",
               log=figure == "a")
    ]  # fmt: skip


def fig7(figure: str) -> Experiment:
    return Experiment(
        f"004-fig7{figure}",
        f"Priority against fifo over {'n' if figure == 'a' else 'skew'}",
        "Figure 6's parameters, n = 200 in (b).  In fifo the next session is of the group of the "
        "request queued first; everybody of that group gets in with it.",
        lambda scale: policies(figure, scale).tasks(),
        lambda results, scale: policy_measure(figure, results, scale),
        lambda results, scale: policy_figures(figure, results, scale),
    )


EXPERIMENTS: Final = (
    *[fig6(figure) for figure in AXES],
    Experiment("004-all", "What is said of figures 6 (a) to (f) together",
               "The runs of the six figures.", all_tasks, all_measure),
    fig7("a"),
    fig7("b"),
)  # fmt: skip
