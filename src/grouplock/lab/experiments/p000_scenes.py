"""Paper 000: costs and delays counted, how they grow, late Invites, the checker."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments import sweep as s
from grouplock.lab.experiments.experiment import (
    Experiment,
    Figure,
    Named,
    Panel,
    Results,
    Scale,
    counted,
    of_scenes,
    scene,
)
from grouplock.lab.experiments.p000_figures import BASE
from grouplock.lab.experiments.p004_scenes import explored_note
from grouplock.lab.experiments.sweep import Contender, Sweep, exponent
from grouplock.lab.runs import Task, task

LEAVE: Final = {"release": "leave", "stale": "off"}
WEIGHTS: Final = {"stale": "off"}
ENTRY: Final = {"entry": "on"}
PIVOT: Final = {"entry": "pivot"}
RA: Final = {"structure": "ricart-agrawala"}
SINGLE: Final = {**RA, "singleton": "on"}


# Request by request.


def scenes(scale: Scale) -> dict[str, Task]:
    grid: dict[str, Any] = {"n": 25, "quorum": "grid"}
    return {
        "maekawa": scene("alone", algorithm="maekawa", site=7, **grid),
        "maekawa next": scene("handover", algorithm="maekawa", holder=3, waiter=7, **grid),
        "degree": scene("together", algorithm="maekawa-m", n=54, groups=4,
                        options={"locks": "1"}),
        "readers": task("surrogates.readers_and_writers", n=5, requests=6, seed=1),
        "leave": scene("after_follower", options=LEAVE),
        "weights": scene("after_follower", options={}),
        "entry": scene("after_follower", options=ENTRY),
        "weight": task("surrogates.weight_fields"),
        "load": scene("loop", algorithm="surrogate", requests=12, think=0.0, stay=3.0, seed=1,
                      clients_groups=5, **grid),
        "alone": scene("alone", algorithm="surrogate", site=7, **grid),
        "alone entry": scene("alone", algorithm="surrogate", site=7, options=ENTRY, **grid),
        "three": scene("alone", algorithm="surrogate", site=7, wanted=[0, 1, 2], **grid),
        "together": scene("together", algorithm="surrogate", n=9, quorum="all"),
        "late": task("surrogates.late_comer"),
        "sanders": scene("alone", algorithm="sanders", site=7, **grid),
        "sanders next": scene("handover", algorithm="sanders", holder=3, waiter=7, **grid),
        "mutex": scene("handover", algorithm="sanders", holder=3, waiter=7, n=25, options=RA),
        "ra": scene("after_follower", algorithm="sanders", options=RA),
        "single": scene("after_follower", algorithm="sanders", options=SINGLE),
    }  # fmt: skip


def read_scenes(r: Named) -> dict[str, Measured]:
    exact = {
        "2b": r["degree"]["inside"],
        "7a": r["readers"]["readers"], "7b": r["readers"]["with_writer"],
        "9a": r["maekawa"]["messages"], "9b": r["maekawa next"]["hops"],
        "9c": r["maekawa"]["hops"],
        "10b": r["leave"]["hops"], "11": r["weight"]["Invite"], "14a": r["weights"]["hops"],
        "20a": r["load"]["delay"], "20b": r["alone"]["hops"], "21": r["together"]["inside"],
        "34": r["late"]["hops"], "35": r["late"]["stepdown"], "36b": r["entry"]["hops"],
        "36c": r["alone entry"]["hops"],
        "38b": r["three"]["messages"] - r["alone"]["messages"],
        "39c": r["sanders next"]["hops"], "39d": r["sanders"]["hops"],
        "41a": r["ra"]["hops"], "41b": r["single"]["hops"],
    }  # fmt: skip
    found = {f"000.{letter}": counted(value) for letter, value in exact.items()}
    found["000.40"] = counted(r["mutex"]["hops"], "a group for each site is mutual exclusion")
    return found


# Growth.  Under load, so that the share of contention is the same at all sizes.

PLANES: Final = {13: 4, 31: 6, 57: 8, 133: 12}
GRIDS: Final = (16, 36, 64, 100)
NS: Final = (10, 25, 50, 100)
FACES: Final = (12, 24, 48, 96)


def loop(
    name: str, n: int, scale: Scale, options: dict[str, str] | None = None, m: int = 3,
    quorum: str | None = None, groups: int = 1,
) -> Task:  # fmt: skip
    return scene(
        "loop", algorithm=name, n=n, options=options or {}, quorum=quorum, groups=groups,
        requests=scale.of(12, 5), think=0.0, stay=2.0, seed=1, clients_groups=m, fixed=False,
    )  # fmt: skip


VARIANTS: Final = {
    "surrogate": {}, "leave": LEAVE, "weights": WEIGHTS, "entry": ENTRY,
}  # fmt: skip


def growth(scale: Scale) -> dict[str, Task]:
    found = {}
    for n in PLANES:
        for label, options in VARIANTS.items():
            found[f"{label} {n}"] = loop("surrogate", n, scale, options, quorum="plane")
        found[f"sanders {n}"] = loop("sanders", n, scale, quorum="plane")
        found[f"toyomura {n}"] = loop("toyomura", n, scale, quorum="plane")
    for n in GRIDS:
        found[f"grid {n}"] = loop("surrogate", n, scale, quorum="grid")
    for n in FACES:
        found[f"m {n}"] = loop("maekawa-m", n, scale, m=4, groups=4)
        found[f"s {n}"] = loop("maekawa-s", n, scale, m=4, groups=4)
        found[f"next {n}"] = scene(
            "handover", algorithm="maekawa-s", n=n, groups=4, holder=0, waiter=n - 1
        )
    for n in NS:
        found[f"ra1 {n}"] = loop("ra1", n, scale)
        found[f"ra2 {n}"] = loop("ra2", n, scale)
        found[f"single {n}"] = loop("sanders", n, scale, SINGLE)
    for g in (1, 2, 4, 8):
        found[f"sets {g}"] = task(
            "simulated.run", algorithm="surrogate", options={}, quorum="grid",
            workload={**BASE, "sets": g, "requests": scale.of(100, 20), "seed": 1},
        )  # fmt: skip
    return found


def slope(
    r: Named, name: str, ns: tuple[int, ...], figure: str | Callable[[Any], float],
    x: Callable[[int], float] = float,
) -> Measured:  # fmt: skip
    values: dict[float, float] = {}
    for n in ns:
        run = r[f"{name} {n}"]
        values[x(n)] = run[figure] if isinstance(figure, str) else figure(run)
    found = exponent(values)
    told = ", ".join([f"{y:.3g} at n = {n}" for n, y in zip(ns, values.values(), strict=True)])
    return Measured(found.mean, found.half, told)


def per_request(run: Any) -> float:
    """Integers that a request's messages carry."""
    return float(run["integers"] * run["messages"])


def but_locked(run: Any) -> float:
    kinds, sizes = run["kinds"], run["sizes"]
    others = [kind for kind in kinds if kind != "Locked"]
    whole = sum([kinds[kind] * sizes[kind] for kind in others])
    return float(whole / sum([kinds[kind] for kind in others]))


# Why there are more integers than paper 000 says.
GOSSIP: Final = (
    "a Locked has news of nearly all n sites: what a site heard from one arbiter it tells on as an "
    "arbiter itself, since one list serves both roles. With a list for each role it would be O(b)"
)


def noted(measured: Measured, note: str) -> Measured:
    return measured._replace(note=f"{measured.note}; {note}")


def read_growth(r: Named) -> dict[str, Measured]:
    planes = tuple(PLANES)

    def q(n: int) -> float:
        return float(PLANES[n])

    def others(n: int) -> float:
        return float(PLANES[n] - 1)

    def face(n: int) -> float:
        return 3 * sqrt(n / 6)  # |Q| of the surficial system of 4 groups

    def root(n: int) -> float:
        return sqrt(n)

    sets = exponent({float(g): r[f"sets {g}"]["integers_per_message"] for g in (1, 2, 4, 8)})
    return {
        "000.3": slope(r, "m", FACES, "messages", lambda n: n * min(4, n**0.5)),
        "000.4a": slope(r, "s", FACES, "messages", face),
        "000.4b": slope(r, "next", FACES, "hops", face),
        "000.5": slope(r, "toyomura", planes, "messages", lambda n: n * q(n)),
        "000.6a": slope(r, "ra1", NS, "messages"),
        "000.6b": slope(r, "ra2", NS, "messages"),
        "000.6c": slope(r, "ra1", NS, "throughput"),
        "000.6d": slope(r, "ra2", NS, "integers"),
        "000.10a": slope(r, "leave", planes, "messages", others),
        "000.10c": slope(r, "leave", planes, lambda run: run["sizes"]["Locked"], q),
        "000.13": slope(r, "weights", planes, "messages", others),
        "000.14b": slope(r, "surrogate", planes, "messages", others),
        "000.15b": noted(slope(r, "surrogate", planes, "integers", q), GOSSIP),
        "000.19": slope(r, "surrogate", planes, but_locked),
        "000.36d": slope(r, "entry", planes, "messages", others),
        "000.38a": Measured(sets.mean, sets.half),
        "000.39a": slope(r, "sanders", planes, "messages", others),
        "000.39b": noted(slope(r, "sanders", planes, "integers", q), GOSSIP),
        "000.41c": slope(r, "single", NS, "messages", lambda n: n - 1.0),
        "000.42a": slope(r, "grid", GRIDS, "messages", lambda n: 2 * root(n) - 2),
        "000.42b": slope(r, "grid", GRIDS, "integers", root),
    }


# Late Invites.

SYSTEMS: Final = (("plane", 7, 3), ("plane", 13, 4), ("grid", 25, 9))


def stale(scale: Scale) -> dict[str, Task]:
    return {
        f"{label} {kind} {n} {seed}": task(
            "surrogates.stale", options=options, n=n, quorum=kind, groups=2,
            requests=scale.of(30, 8), seed=seed,
        )
        for label, options in {**VARIANTS, "pivot": PIVOT}.items()
        for kind, n, _ in SYSTEMS
        for seed in range(scale.of(8, 2))
    }  # fmt: skip


def read_stale(r: Named) -> dict[str, Measured]:
    of_q = {(kind, str(n)): q for kind, n, q in SYSTEMS}
    late: dict[str, int] = {}
    whole: dict[str, float] = {}
    kind_share: dict[str, float] = {}
    forwarded = news = invites = largest = 0.0
    for name, run in r.items():
        label, kind, n, _ = name.split()
        q = of_q[kind, n]
        if label == "weights" and n == "7":
            late["weights"] = max(late.get("weights", 0), run["late"])
        if label in ("surrogate", "entry", "pivot"):
            late["list"] = max(late.get("list", 0), run["late_in_all"])
            news = max(news, run["news"])
            invites = max(invites, run["kinds"].get("Invite", 0.0))
            steps = run["kinds"].get("Forward", 0.0) + run["kinds"].get("Stepdown", 0.0)
            forwarded = max(forwarded, steps / q)
        if label == "surrogate":
            whole["all"] = max(whole.get("all", 0.0), run["messages"] / (8 * q + 1))
            for each in ("Request", "Failed", "Cancel", "Inquire", "Relinquish", "Released"):
                share = run["kinds"].get(each, 0.0) / q
                kind_share[each] = max(kind_share.get(each, 0.0), share)
            if n == "25":
                largest = max(largest, run["largest"] / 25)
    told = ", ".join([f"{kind} {share:.2f}" for kind, share in kind_share.items()])
    return {
        "000.12": counted(late["weights"]),
        "000.15a": counted(largest),
        "000.15c": counted(news),
        "000.17": counted(late["list"]),
        "000.18a": counted(whole["all"], "amortised over a run"),
        "000.18b": counted(max(kind_share.values()), told),
        "000.18c": counted(invites),
        "000.36a": counted(forwarded),
    }


# Quorums, the checker, the effect of concurrent entry.


def quorums(scale: Scale) -> dict[str, Task]:
    found = {f"grid {n}": task("systems.sizes", kind="grid", n=n) for n in GRIDS}
    found["surficial"] = task("systems.surficial", n=54, groups=4)
    found["random"] = task("systems.at_random", n=25, turns=60, seed=1)
    return found


def read_quorums(r: Named) -> dict[str, Measured]:
    formula = (2 * 54 / (4 * 3)) ** 0.5
    return {
        "000.2a": counted(r["surficial"]["degree"] / formula),
        "000.8a": slope(r, "grid", GRIDS, "membership", lambda n: n**0.5),
        "000.8b": counted(
            r["random"]["membership"] / 25, "a new row and column at each of 60 requests"
        ),
    }


def checked(scale: Scale) -> dict[str, Task]:
    return {
        label: task("explored.explored", algorithm="surrogate", n=3, groups=2, options=options)
        for label, options in {**VARIANTS, "pivot": PIVOT}.items()
    }


def read_checked(r: Named) -> dict[str, Measured]:
    wrong = sum([len(run["violated"]) for run in r.values()])
    return {"000.16": counted(wrong, f"five forms; {explored_note(*r.values())}")}


OFF: Final = Contender("as printed", "surrogate", (), "grid")
ON: Final = Contender("concurrent entry", "surrogate", (("entry", "on"),), "grid")
STAYING: Final = Contender("a pivot stays", "surrogate", (("entry", "pivot"),), "grid")


def entry(scale: Scale) -> Sweep:
    points = {
        float(m): {**BASE, "groups": m, "requests": scale.of(200, 25)}
        for m in (1, 2, 5, 10, 20, 50)
    }
    return Sweep(points, [OFF, ON, STAYING], scale.of(6, 3))


def read_entry(results: Results, scale: Scale) -> dict[str, Measured]:
    at = entry(scale).ratios(results, ON, OFF, s.THROUGHPUT)
    told = ", ".join([f"{s.higher(r).mean:.0f}% at m = {m:.0f}" for m, r in at.items()])
    there = s.higher(at[20.0])
    return {"000.37": Measured(there.mean, there.half, f"the paper gives no m; {told}")}


def entry_figures(results: Results, scale: Scale) -> list[Figure]:
    at = entry(scale)
    panels = [
        Panel(what, tuple([at.line(results, who, name) for who in at.contenders]))
        for name, what in (
            (s.MESSAGES, "messages a request"), (s.WAITING, "waiting"),
            (s.THROUGHPUT, "throughput"),
        )
    ]  # fmt: skip
    return [
        Figure("000-entry", "Surrogate with and without concurrent entry", "forums m",
               tuple(panels), "On the 5x5 grid, figure 5's parameters.", log=True)
    ]  # fmt: skip


EXPERIMENTS: Final = (
    of_scenes("000-scenes", "Surrogate, request by request",
              "Every channel takes one unit of time.", scenes, read_scenes),
    of_scenes("000-growth", "How costs grow",
              "All ask again at once; projective planes, grids, surficial quorums of 4 groups. "
              "An exponent is a slope on logarithmic scales, with its interval.",
              growth, read_growth),
    of_scenes("000-stale", "Invites that come too late",
              "Channels that take 1 to 6 units of time, each its own; planes of 7 and 13 and the "
              "5x5 grid.", stale, read_stale),
    of_scenes("000-quorums", "Quorum systems", "The quorum library.", quorums, read_quorums),
    of_scenes("000-checked", "No circles of waiting", "The checker.", checked, read_checked),
    Experiment("000-entry", "What concurrent entry is worth", "Figure 5's parameters, grid; the "
               "paper gives none.", lambda scale: entry(scale).tasks(), read_entry, entry_figures),
)  # fmt: skip
