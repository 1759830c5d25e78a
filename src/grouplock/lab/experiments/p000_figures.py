"""Paper 000, figure 5: Surrogate against Maekawa_M, over what the paper leaves open."""

from __future__ import annotations

from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments import sweep as s
from grouplock.lab.experiments.experiment import Experiment, Figure, Panel, Results, Scale
from grouplock.lab.experiments.sweep import Contender, Sweep
from grouplock.lab.runs import Task
from grouplock.lab.summary import Estimate

# Surrogate's quorums, which section VII does not name; claims are judged by the first.
SURROGATES: Final = tuple(
    [
        Contender(f"Surrogate, {kind}", "surrogate", (), kind)
        for kind in ("grid", "cyclic", "majority", "tree")
    ]
)
# What becomes of the virtual processes of M's quorums; claims are judged by the first.
OPPONENTS: Final = (
    Contender("M, folded", "maekawa-m", (("virtual", "folded"),)),
    Contender("M, shared", "maekawa-m", (("virtual", "shared"),)),
    Contender("M, kept", "maekawa-m", (("virtual", "kept"),)),
    Contender("Toyomura, grid", "toyomura", (), "grid"),
)
OURS: Final = SURROGATES[0]
M: Final = OPPONENTS[0]
GRID: Final = OPPONENTS[3]

BASE: Final[dict[str, Any]] = {
    "n": 25, "groups": 20, "think": 4.0, "inside": 2.0, "delay": 4.0, "bandwidth": 1000.0,
    "requests": 200,
}  # fmt: skip

METRICS: Final = ((s.MESSAGES, "messages"), (s.WAITING, "waiting"), (s.THROUGHPUT, "throughput"))

AXES: Final[dict[str, tuple[str, str, dict[str, Any], tuple[float, ...]]]] = {
    "a": ("groups", "forums m", {}, (2, 5, 10, 15, 20, 35, 50, 75, 90, 100)),
    "b": ("think", "mean time between requests", {}, (0, 4, 10, 25, 50, 100)),
    "c": ("inside", "mean time inside", {"groups": 100}, (0, 2, 5, 10, 25, 50, 100)),
    "d": ("delay", "mean channel delay", {}, (0.1, 0.5, 1, 2, 4, 6, 8, 10)),
}


# The gains that the paper prints, in percent: messages, waiting, throughput; and where.
PRINTED: Final = {"a": (35, 35, 48), "b": (10, 20, 15), "c": (40, 35, 45), "d": (20, 30, 34)}
WHOLE: Final = {figure: xs for figure, (_, _, _, xs) in AXES.items()}
PLACES: Final[dict[str, tuple[tuple[float, ...], ...]]] = {
    "a": ((90, 100),) * 3,
    "b": (WHOLE["b"],) * 3,
    "c": (WHOLE["c"], (0, 2), (0, 2)),
    "d": ((10,),) * 3,
}


def sweep(figure: str, scale: Scale) -> Sweep:
    key, _, others, xs = AXES[figure]
    points = {}
    for x in xs:
        value: Any = int(x) if key == "groups" else x
        points[x] = {**BASE, **others, key: value, "requests": scale.of(80, 12, 250)}
    return Sweep(points, [*SURROGATES, *OPPONENTS], scale.of(5, 3, 6))


def ratios(
    figure: str,
    results: Results,
    scale: Scale,
    name: str,
    ours: Contender = OURS,
    base: Contender = M,
) -> dict[float, Estimate]:
    return sweep(figure, scale).ratios(results, ours, base, name)


def gain(name: str, ratio: Estimate) -> Estimate:
    """By how many percent Surrogate is better."""
    return s.higher(ratio) if name == s.THROUGHPUT else s.lower(ratio)


def readings(
    figure: str, results: Results, scale: Scale, name: str, xs: tuple[float, ...]
) -> dict[str, Estimate]:
    """The gain in each reading: of the given points, their mean."""
    at = sweep(figure, scale)
    found = {}
    for ours in SURROGATES:
        for base in OPPONENTS:
            gains = [gain(name, at.ratio(results, ours, base, x, name)) for x in xs]
            mean = sum([g.mean for g in gains]) / len(gains)
            half = sum([g.half for g in gains]) / len(gains)
            found[f"{ours.quorum} against {base.label}"] = Estimate(mean, half)
    return found


def gained(figure: str, results: Results, scale: Scale, name: str) -> Measured:
    """The first reading's gain; the note has those that come nearest to what is printed."""
    place = [metric for metric, _ in METRICS].index(name)
    printed = PRINTED[figure][place]
    of = readings(figure, results, scale, name, PLACES[figure][place])
    first = next(iter(of))
    order = sorted(of, key=lambda label: abs(of[label].mean - printed))
    near = ", ".join([f"{label} {of[label].mean:.0f}" for label in order[:3]])
    all_three = nearest(figure, results, scale)
    note = f"{first}; nearest of {len(of)} readings: {near}; all three at once: {all_three}"
    return Measured(of[first].mean, of[first].half, note)


def nearest(figure: str, results: Results, scale: Scale) -> str:
    """The reading whose three gains together come nearest to the three that are printed."""
    found: dict[str, list[float]] = {}
    for (name, _), xs in zip(METRICS, PLACES[figure], strict=True):
        for label, e in readings(figure, results, scale, name, xs).items():
            found.setdefault(label, []).append(e.mean)
    printed = PRINTED[figure]

    def off(label: str) -> float:
        return sum([(a - b) ** 2 for a, b in zip(found[label], printed, strict=True)])

    best = min(found, key=off)
    gains = ", ".join([f"{g:.0f}" for g in found[best]])
    wanted = ", ".join([f"{p:.0f}" for p in printed])
    return f"{best} with {gains} where {wanted} is printed"


def share(figure: str, results: Results, scale: Scale, name: str, base: Contender = M) -> Measured:
    """The share of the points at which Surrogate is better, and where it is not."""
    found = ratios(figure, results, scale, name, base=base)
    smaller = name != s.THROUGHPUT
    worse = [f"{x:g}: {r.mean:.2f}" for x, r in found.items() if not s.share([r], smaller)]
    told = f"worse at {', '.join(worse)}" if worse else ""
    return Measured(s.share(list(found.values()), smaller), 0.0, told)


def measure_a(results: Results, scale: Scale) -> dict[str, Measured]:
    messages = ratios("a", results, scale, s.MESSAGES)
    few = {x: r for x, r in messages.items() if x <= 15}
    ahead = 100 * sum([r.high >= 1 for r in few.values()]) / len(few)
    along = ", ".join([f"{r.mean:.2f} at {x:g}" for x, r in messages.items()])
    cyclic = ratios("a", results, scale, s.MESSAGES, SURROGATES[1])
    other = ", ".join([f"{r.mean:.2f} at {x:g}" for x, r in cyclic.items()])
    return {
        "000.23": Measured(ahead, 0.0, f"Surrogate / M: {along}; with cyclic quorums: {other}"),
        "000.24a": share("a", results, scale, s.WAITING),
        "000.24b": share("a", results, scale, s.THROUGHPUT),
        "000.25a": gained("a", results, scale, s.MESSAGES),
        "000.25b": gained("a", results, scale, s.WAITING),
        "000.25c": gained("a", results, scale, s.THROUGHPUT),
    }


def measure_b(results: Results, scale: Scale) -> dict[str, Measured]:
    return {
        "000.26a": gained("b", results, scale, s.MESSAGES),
        "000.26b": gained("b", results, scale, s.WAITING),
        "000.26c": gained("b", results, scale, s.THROUGHPUT),
    }


def measure_c(results: Results, scale: Scale) -> dict[str, Measured]:
    waits = ratios("c", results, scale, s.WAITING)
    gains = ratios("c", results, scale, s.THROUGHPUT)
    ahead = [share("c", results, scale, name) for name in (s.WAITING, s.THROUGHPUT)]
    along = ", ".join([f"{r.mean:.2f}" for r in waits.values()])
    other = ", ".join([f"{r.mean:.2f}" for r in gains.values()])
    return {
        "000.27": gained("c", results, scale, s.MESSAGES),
        "000.28a": gained("c", results, scale, s.WAITING),
        "000.28b": gained("c", results, scale, s.THROUGHPUT),
        "000.29a": Measured(s.rank(waits), 0.0, f"the ratios: {along}"),
        "000.29b": Measured(s.rank(gains), 0.0, f"the ratios: {other}"),
        "000.29c": Measured(
            sum([m.value for m in ahead]) / 2, 0.0, "; ".join([m.note for m in ahead if m.note])
        ),
    }


def measure_d(results: Results, scale: Scale) -> dict[str, Measured]:
    waits = ratios("d", results, scale, s.WAITING)
    small = {x: r for x, r in waits.items() if x <= 1}
    ahead = 100 * sum([r.high >= 1 for r in small.values()]) / len(small)
    along = ", ".join([f"{r.mean:.2f} at {x:g}" for x, r in waits.items()])
    return {
        "000.30": Measured(ahead, 0.0, f"Surrogate / M: {along}"),
        "000.31a": gained("d", results, scale, s.MESSAGES),
        "000.31b": gained("d", results, scale, s.WAITING),
        "000.31c": gained("d", results, scale, s.THROUGHPUT),
    }


MEASURES: Final = {"a": measure_a, "b": measure_b, "c": measure_c, "d": measure_d}


def figures(figure: str, results: Results, scale: Scale) -> list[Figure]:
    """Surrogate on three kinds of quorums, against two readings; waiting in all of them."""
    at = sweep(figure, scale)
    panels = []
    for name, what in METRICS:
        lines = [
            s.drawn(f"{ours.quorum} / {base.label}", at.ratios(results, ours, base, name))
            for ours in SURROGATES[:3]
            for base in OPPONENTS[:2]
        ]
        lines.append(s.drawn(f"grid / {GRID.label}", at.ratios(results, OURS, GRID, name)))
        panels.append(Panel(f"{what}, ratio", tuple(lines), 1.0))
    absolute = [at.line(results, who, s.WAITING) for who in (*SURROGATES[:3], *OPPONENTS)]
    panels.append(Panel("waiting, units of time", tuple(absolute)))
    return [
        Figure(
            f"000-fig5{figure}", f"Paper 000, fig. 5({figure}): Surrogate / Maekawa_M",
            AXES[figure][1], tuple(panels),
            "Surrogate on three of the quorum systems that it may have run on, against readings of "
            "Maekawa_M's virtual processes and against Toyomura on the grid.",
            log=figure == "a",
        )
    ]  # fmt: skip


def fig5(figure: str) -> Experiment:
    return Experiment(
        f"000-fig5{figure}",
        f"Surrogate against Maekawa_M over {AXES[figure][1]}",
        "n = 25, m = 20 (100 in c), think 4, inside 2, delay 4, 1000 integers a unit, M lends n "
        "locks. Judged: Surrogate on the 5x5 grid against M with one lock for each host; the "
        "notes have the other readings.",
        lambda scale: sweep(figure, scale).tasks(),
        MEASURES[figure],
        lambda results, scale: figures(figure, results, scale),
    )


# What is said of all runs together.


def all_tasks(scale: Scale) -> list[Task]:
    return [t for figure in AXES for t in sweep(figure, scale).tasks()]


def most(results: Results, scale: Scale, name: str) -> Measured:
    best: dict[str, tuple[Estimate, str]] = {}
    for ours in SURROGATES[:2]:
        for base in OPPONENTS[:3]:
            label = f"{ours.quorum} against {base.label}"
            for figure in AXES:
                for x, ratio in ratios(figure, results, scale, name, ours, base).items():
                    found = gain(name, ratio)
                    if label not in best or found.mean > best[label][0].mean:
                        best[label] = (found, f"5{figure} at {x:g}")
    told = "; ".join([f"{label} {e.mean:.0f} ({where})" for label, (e, where) in best.items()])
    first = next(iter(best.values()))[0]
    return Measured(first.mean, first.half, told)


def all_measure(results: Results, scale: Scale) -> dict[str, Measured]:
    messages, waiting, throughput = [most(results, scale, name) for name, _ in METRICS]
    best = max(messages, waiting, throughput, key=lambda m: m.value)
    found = {
        "000.1a": best, "000.1b": best,
        "000.32a": messages, "000.32b": waiting, "000.32c": waiting, "000.32d": throughput,
    }  # fmt: skip
    for letter, name in (("a", s.WAITING), ("b", s.THROUGHPUT)):
        shares = {figure: share(figure, results, scale, name, GRID) for figure in AXES}
        points = {figure: len(AXES[figure][3]) for figure in AXES}
        whole = sum([shares[f].value * points[f] for f in AXES]) / sum(points.values())
        told = "; ".join([f"5{f}: {m.note}" for f, m in shares.items() if m.note])
        found[f"000.33{letter}"] = Measured(whole, 0.0, told)
    lost = []
    for figure in AXES:
        for x, r in ratios(figure, results, scale, s.WAITING).items():
            small = (figure == "a" and x <= 15) or (figure == "d" and x <= 1)
            if not small and r.low > 1:
                lost.append(f"5{figure} at {x:g}: {r.mean:.2f}")
    found["000.43"] = Measured(len(lost), 0.0, "; ".join(lost))
    return found


def long(scale: Scale) -> Sweep:
    """The paper's 1000 requests of each process."""
    point = {**BASE, "requests": scale.of(1000, 60)}
    return Sweep({20.0: point}, [OURS, M], scale.of(5, 3))


def read_long(results: Results, scale: Scale) -> dict[str, Measured]:
    found = long(scale).ratio(results, OURS, M, 20, s.WAITING)
    short = ratios("a", results, scale, s.WAITING)[20]
    note = f"the ratio is {found.mean:.3f}; in the shorter runs of figure 5 {short.mean:.3f}"
    return {"000.22": Measured(100 * found.half / found.mean, 0.0, note)}


EXPERIMENTS: Final = (
    *[fig5(figure) for figure in AXES],
    Experiment("000-all", "What is said of figures 5 (a) to (d) together",
               "The runs of the four figures.", all_tasks, all_measure),
    Experiment("000-long", "As many requests as in the paper", "One point of figure 5 with 1000 "
               "requests of each process.",
               lambda scale: [*long(scale).tasks(), *sweep("a", scale).tasks()], read_long),
)  # fmt: skip
