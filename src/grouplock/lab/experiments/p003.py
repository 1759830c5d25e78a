"""Paper 003: bounds, context switches, k-write-read coteries."""

from __future__ import annotations

from math import sqrt
from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments.experiment import (
    Figure,
    Line,
    Named,
    Panel,
    Scale,
    counted,
    of_scenes,
    scene,
)
from grouplock.lab.experiments.p004_scenes import explored_note
from grouplock.lab.experiments.sweep import mean_of
from grouplock.lab.runs import Task, task
from grouplock.lab.runs.leaders import NEVER
from grouplock.lab.summary import Estimate

OUTSIDE: Final = [[3, 4, 5]] * 10
Q: Final = 3


def scenes(scale: Scale) -> dict[str, Task]:
    return {
        "alone": task("leaders.alone", group=0),
        "far": task("leaders.alone", group=1_000_000),
        "follower": task("leaders.follower"),
        "together": scene("together", algorithm="jiang", n=8, options=NEVER, quorum="torus",
                          slots=2),
    }  # fmt: skip


def read_scenes(r: Named) -> dict[str, Measured]:
    one, two = r["alone"], r["follower"]
    write, both = one["write"], one["both"]
    cleared = one["kinds"].get("Cleared", 0)
    answers = (
        f"{cleared} of them are answers to Clear, which are ours: a leader asks again only then"
    )
    asks = (
        "the other members of the quorum answer too, and both registrars tell the leader; the "
        "paper counts one answer and one Follow"
    )
    return {
        "003.2a": counted(two["hops"]),
        "003.2b": counted(one["hops"] - (both + 3)),
        "003.3a": counted(
            one["messages"] - (2 * write + 2 * both + 1),
            f"{answers}; {write} are what the paper's own list has more than its sum",
        ),
        "003.3b": counted(one["messages"] - (3 * write + 2 * both + 1), answers),
        "003.5": counted(two["messages"] - (2 * write + 4), asks),
        "003.6": counted(one["stage"] - (2 * both + 1), "Compete, Success and Clear"),
        "003.16a": counted(r["together"]["inside"]),
        "003.16b": counted(r["far"]["messages"] - one["messages"]),
    }


# Bounds over n and k.

SYSTEMS: Final = (
    (8, 1, "torus"), (8, 2, "torus"), (18, 2, "torus"), (32, 2, "torus"), (12, 3, "k-blocks"),
    (24, 3, "k-blocks"), (20, 4, "k-blocks"), (40, 4, "k-blocks"),
)  # fmt: skip


def union(r: Named, n: int, k: int, kind: str) -> float:
    """|Q u P| at most: they have a site in common."""
    size = r[f"size {n} {k}"]
    return float(size["write"] + size["read"] - 1)


def bounds(scale: Scale) -> dict[str, Task]:
    found: dict[str, Task] = {"follower": task("leaders.follower")}
    for n, k, kind in SYSTEMS:
        found[f"size {n} {k}"] = task("systems.read_write", kind=kind, n=n, k=k)
        found[f"everybody {n} {k}"] = task("leaders.asks_everybody", n=n, k=k)
        found[f"blocks {n} {k}"] = task("systems.read_write", kind="k-blocks", n=n, k=k)
        for seed in range(scale.of(4, 2)):
            found[f"loop {n} {k} {seed}"] = task(
                "leaders.loaded", n=n, k=k, groups=2 * k, requests=scale.of(30, 8), seed=seed,
                kind=kind,
            )  # fmt: skip
    return found


def load_of(r: Named, n: int, k: int) -> Estimate:
    return mean_of(
        [run["messages"] for name, run in r.items() if name.startswith(f"loop {n} {k} ")]
    )


def read_bounds(r: Named) -> dict[str, Measured]:
    shares = {}
    alone = []
    for n, k, kind in SYSTEMS:
        bound = 6 * n + 2 * union(r, n, k, kind) + 1
        shares[f"n = {n}, k = {k}"] = load_of(r, n, k).mean / bound
        size = r[f"blocks {n} {k}"]
        most = 6 * n + 2 * (size["write"] + size["read"] - 1) + 1
        alone.append(r[f"everybody {n} {k}"]["messages"] / most)
    two = r["follower"]
    told = ", ".join([f"{share:.2f} at {place}" for place, share in shares.items()])
    return {
        "003.1a": counted(
            two["messages"] / (2 * two["write"] + 4), "a follower, the cheapest request"
        ),
        "003.1b": counted(max(shares.values()), f"amortised under load: {told}"),
        "003.4": counted(max(alone), "patience of one hop while its own quorum takes twenty"),
    }


def bounds_figures(r: Named) -> list[Figure]:
    xs = tuple(map(float, range(len(SYSTEMS))))
    loads = [load_of(r, n, k) for n, k, _ in SYSTEMS]
    upper = tuple([6 * n + 2 * union(r, n, k, kind) + 1 for n, k, kind in SYSTEMS])
    lower = tuple([2.0 * r[f"size {n} {k}"]["write"] + 4 for n, k, _ in SYSTEMS])
    none = (0.0,) * len(SYSTEMS)
    lines = (
        Line("measured", xs, tuple([e.mean for e in loads]), tuple([e.half for e in loads])),
        Line("2|Q|+4", xs, lower, none),
        Line("6n+2|QuP|+1", xs, upper, none),
    )
    return [
        Figure(
            "003-bounds", "Paper 003: messages a request under load", "n, k",
            (Panel("messages a request", lines),),
            "Everybody asks again after one unit of time on average, 2k groups. Tori for k up to "
            "2, blocks beyond, where there is no torus.",
            ticks=tuple([f"{n}, {k}" for n, k, _ in SYSTEMS]),
        )
    ]  # fmt: skip


# The others that section 1 tells of.


def others(scale: Scale) -> dict[str, Task]:
    found: dict[str, Task] = {}
    for label, name, options in (
        ("one", "maekawa-m", {"locks": "1"}), ("n", "maekawa-m", {}), ("s", "maekawa-s", {}),
        ("toyomura", "toyomura", {}),
    ):  # fmt: skip
        found[f"alone {label}"] = scene(
            "alone", algorithm=name, n=10, options=options, quorums=OUTSIDE, site=0
        )
        made: dict[str, Any] = {"algorithm": name, "options": options, "groups": 4, "n": 54}
        if name == "toyomura":
            made |= {"quorum": "grid", "n": 49}
        found[f"loop {label}"] = scene(
            "loop", requests=scale.of(12, 5), think=0.5, stay=2.0, seed=1, clients_groups=4,
            fixed=False, **made,
        )  # fmt: skip
    found["degree"] = scene(
        "together", algorithm="maekawa-m", n=54, groups=4, options={"locks": "1"}
    )
    found["suggested"] = scene(
        "together", algorithm="maekawa-m", n=9, groups=2, options={"locks": "3"}
    )
    return found


def read_others(r: Named) -> dict[str, Measured]:
    q, grid = 9.0, 13.0  # the surficial quorums of 54 and 4; a row and a column of 49
    return {
        "003.7a": counted(r["alone one"]["messages"] / Q),
        "003.7b": counted(r["loop one"]["messages"] / q, "amortised under load, n = 54, m = 4"),
        "003.7c": counted(r["degree"]["inside"]),
        "003.8a": counted(r["alone n"]["messages"] / Q),
        "003.8b": counted(r["loop n"]["messages"] / (3 * q + 3 * 54 * q)),
        "003.8c": counted(r["suggested"]["inside"], "n = 9, two groups of degree 3: r = 3"),
        "003.9": counted(r["alone s"]["messages"] - (2 * Q + 1)),
        "003.10a": counted(r["alone toyomura"]["messages"] / Q),
        "003.10b": counted(r["loop toyomura"]["messages"] / (3 * grid + 3 * 49 * grid)),
    }


# Context switches.

GROUPS: Final = (2, 3, 5, 8)
PLAYERS: Final[dict[str, tuple[str, dict[str, str], str | None]]] = {
    "Toyomura": ("toyomura", {}, "grid"),
    "Maekawa_S": ("maekawa-s", {}, None),
    "Maekawa_M": ("maekawa-m", {}, None),
    "Jiang, k = 1": ("jiang", {}, None),
}


def switches(scale: Scale) -> dict[str, Task]:
    found = {}
    for label, (name, options, quorum) in PLAYERS.items():
        for m in GROUPS:
            for seed in range(scale.of(6, 3)):
                workload = {
                    "n": 16, "groups": m, "requests": scale.of(100, 25), "think": 4.0,
                    "inside": 4.0, "delay": 1.0, "seed": 1 + seed,
                }  # fmt: skip
                found[f"{label}:{m}:{seed}"] = task(
                    "simulated.run", algorithm=name, options=options, quorum=quorum,
                    workload=workload,
                )  # fmt: skip
    return found


def sessions(r: Named, label: str, m: int, base: str = "") -> Estimate:
    """A session for so many requests; or as a ratio, seed by seed."""
    found = []
    for name, run in r.items():
        who, _, rest = name.partition(":")
        if who == label and rest.startswith(f"{m}:"):
            mine = run["sessions"] / run["served"]
            other = r[f"{base}:{rest}"] if base else None
            found.append(mine / (other["sessions"] / other["served"]) if other else mine)
    return mean_of(found)


def read_switches(r: Named) -> dict[str, Measured]:
    found = {}
    for letter, label in (("a", "Maekawa_S"), ("b", "Jiang, k = 1")):
        along = {m: sessions(r, label, m, "Toyomura") for m in GROUPS}
        worst = max(along.values(), key=lambda e: e.mean)
        told = ", ".join([f"{e.mean:.2f} at m = {m}" for m, e in along.items()])
        found[f"003.11{letter}"] = Measured(worst.mean, worst.half, f"the largest of: {told}")
    return found


def switches_figures(r: Named) -> list[Figure]:
    xs = tuple(map(float, GROUPS))
    lines = []
    for label in PLAYERS:
        at = [sessions(r, label, m) for m in GROUPS]
        lines.append(Line(label, xs, tuple([e.mean for e in at]), tuple([e.half for e in at])))
    return [
        Figure(
            "003-switches", "Paper 003: context switches", "groups m",
            (Panel("sessions a request", tuple(lines)),),
            "n = 16, think 4, inside 4, delay 1: the fewer sessions, the more requests share one.",
        )
    ]  # fmt: skip


# Quorums and the checker.


def quorums(scale: Scale) -> dict[str, Task]:
    return {
        "example": task("leaders.torus", rows=4, columns=2, k=2),
        "large": task("leaders.torus", rows=12, columns=4, k=2),
        "printed": task("leaders.printed_restriction", most_rows=12, most_k=4),
    }


def read_quorums(r: Named) -> dict[str, Measured]:
    example, large, printed = r["example"], r["large"], r["printed"]
    return {
        "003.12a": counted(example["broken"]),
        "003.12b": counted(example["writes"]),
        "003.12c": counted(example["reads"]),
        "003.13": counted(
            len(printed["wrong"]),
            f"of {printed['allowed']} that the restriction allows: {', '.join(printed['wrong'])}. "
            "Fewer than k disjoint quorums may leave no room for one more; it also takes "
            "r > (k-1)(2 floor(r/(k+1))+1)",
        ),
        "003.14a": counted(large["write"] / (2 * sqrt(48 / 3))),
        "003.14b": counted(large["read"] - 12),
    }


def checked(scale: Scale) -> dict[str, Task]:
    never: dict[str, Any] = {
        "algorithm": "jiang",
        "options": NEVER,
        "limit": scale.of(400_000, 60_000),
    }
    return {
        "one": task("explored.explored", **never, n=3, groups=2),
        "two": task("explored.explored", **never, n=4, slots=2, groups=2),
        **{
            f"loop {seed}": task(
                "leaders.loaded", n=8, k=2, groups=3, requests=scale.of(60, 15), seed=seed,
                kind="torus",
            )
            for seed in range(4)
        },
    }  # fmt: skip


def read_checked(r: Named) -> dict[str, Measured]:
    explored = (r["one"], r["two"])
    wrong = sum([len(run["violated"]) for run in explored])
    loops = [run for name, run in r.items() if name.startswith("loop")]
    served = sum([run["served"] for run in loops])
    return {
        "003.15a": counted(wrong, explored_note(*explored)),
        "003.15b": counted(
            sum([run["doubled"] for run in loops]),
            f"{served} requests under load, n = 8, k = 2; who became leader while another leader "
            "of its group was inside",
        ),
    }


EXPERIMENTS: Final = (
    of_scenes("003-scenes", "Request by request",
              "Requesters outside their quorums: |Q| = 2, |Q u P| = 3.", scenes, read_scenes),
    of_scenes("003-bounds", "Bounds over n and k", "Tori and blocks; channels of one unit of time.",
              bounds, read_bounds, bounds_figures),
    of_scenes("003-others", "What the paper says of other algorithms",
              "Requesters outside their quorums of 3 alone; surficial quorums of 54 sites and 4 "
              "groups under load.", others, read_others),
    of_scenes("003-switches", "Context switches", "The simulator, n = 16.", switches,
              read_switches, switches_figures),
    of_scenes("003-quorums", "k-write-read coteries", "Every property tried out.", quorums,
              read_quorums),
    of_scenes("003-checked", "Theorems 1 to 4", "The checker, patience never.", checked,
              read_checked),
)  # fmt: skip
