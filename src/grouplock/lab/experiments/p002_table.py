"""Paper 002: table 1, quorum sizes, failures."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2, sqrt
from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments.experiment import (
    Named,
    Scale,
    counted,
    of_scenes,
    scene,
)
from grouplock.lab.experiments.sweep import exponent, mean_of
from grouplock.lab.runs import Task, task
from grouplock.lab.summary import Estimate

# Table 1: name -> algorithm, n, quorums.
ROWS: Final[dict[str, tuple[str, int, str | None]]] = {
    "lamport": ("lamport", 25, None),
    "ricart-agrawala": ("ricart-agrawala", 25, None),
    "singhal-dynamic": ("singhal-dynamic", 25, None),
    "suzuki-kasami": ("suzuki-kasami", 25, None),
    "singhal-heuristic": ("singhal-heuristic", 25, None),
    "raymond": ("raymond", 31, None),
    "maekawa": ("maekawa", 31, "plane"),
    "plane": ("cao-singhal", 31, "plane"),
    "tree": ("cao-singhal", 31, "tree"),
    "grid": ("cao-singhal", 25, "grid"),
}
TREES: Final = (31, 63, 127, 255)


def paths(n: int) -> list[list[int]]:
    """The tree's quorums as the paper has them: from the root through each site to a leaf."""
    found = []
    for site in range(n):
        path = [site]
        while path[0]:
            path.insert(0, (path[0] - 1) // 2)
        while 2 * path[-1] + 1 < n:
            path.append(2 * path[-1] + 1 + site % 2)
        found.append(path)
    return found


def measured_run(name: str, n: int, quorum: str | None, light: bool, seed: int, k: int) -> Task:
    workload = {
        "n": n, "groups": 1, "requests": k, "inside": 2.0, "delay": 4.0, "seed": seed,
        "think": 200.0 * n if light else 0.0,
    }  # fmt: skip
    return task("simulated.run", algorithm=name, options={}, quorum=quorum, workload=workload)


def table(scale: Scale) -> dict[str, Task]:
    k = scale.of(60, 20)
    found = {}
    for row, (name, n, quorum) in ROWS.items():
        for load in ("light", "heavy"):
            for seed in range(scale.of(8, 3)):
                found[f"{row} {load} {seed}"] = measured_run(
                    name, n, quorum, load == "light", 1 + seed, k
                )
    for n in TREES:
        for seed in range(scale.of(8, 3)):
            found[f"raymond {n}:{seed}"] = measured_run("raymond", n, None, True, 1 + seed, k)
    made: dict[str, Any] = {"algorithm": "cao-singhal", "n": 31, "quorums": paths(31)}
    found["path alone"] = scene("alone", site=20, **made)
    found["path loop"] = scene(
        "loop", requests=scale.of(30, 8), think=0.5, stay=2.0, seed=1, **made
    )
    return found


def mean(r: Named, row: str, load: str, per: float) -> Measured:
    samples = [
        run["messages_per_request"] / per
        for name, run in r.items()
        if name.rpartition(" ")[0] == f"{row} {load}"
    ]
    found = mean_of(samples)
    return Measured(found.mean, found.half)


def read_table(r: Named) -> dict[str, Measured]:
    n = 24.0
    root, log = sqrt(31) - 1, log2(32) - 1
    balanced = [mean(r, "tree", load, log).value for load in ("light", "heavy")]
    k = 5.0  # others in a quorum of the plane
    trees = [
        [run["messages_per_request"] for name, run in r.items() if name.startswith(f"raymond {n}:")]
        for n in TREES
    ]
    growth = mean_of([(d - c) / (b - a) for a, b, c, d in zip(*trees, strict=True)])
    each: dict[str, tuple[str, str, float]] = {
        "1a": ("lamport", "light", n), "1b": ("lamport", "heavy", n),
        "2a": ("ricart-agrawala", "light", n), "2b": ("ricart-agrawala", "heavy", n),
        "3a": ("singhal-dynamic", "light", n), "3b": ("singhal-dynamic", "heavy", n),
        "4a": ("singhal-dynamic", "light", n), "4b": ("singhal-dynamic", "heavy", n),
        "7a": ("maekawa", "light", root), "7b": ("maekawa", "heavy", root),
        "15a": ("plane", "heavy", k + 1), "15b": ("plane", "heavy", k + 1),
        "20": ("plane", "light", k),
        "23b": ("plane", "light", root), "23c": ("plane", "heavy", root),
        "25b": ("suzuki-kasami", "light", 25), "25c": ("suzuki-kasami", "heavy", 25),
        "26b": ("singhal-heuristic", "light", 25), "26c": ("singhal-heuristic", "heavy", 25),
        "27b": ("raymond", "light", log2(31)), "27c": ("raymond", "heavy", 1.0),
    }  # fmt: skip
    notes = {
        "3b": "the text's 2(N-1) and the table's 3(N-1)/2 exclude each other",
        "4a": "the text's N-1 is what is measured",
        "4b": "under load everybody asks everybody: the text's 2(N-1)",
        "7a": "K = 6 for N = 31: in terms of K it is {per_k:.2f} (K-1)",
        "7b": "in terms of K: {per_k:.2f} (K-1), a Failed beside the three; the paper's 5 is of a "
        "request that is asked for its lock back at every member",
        "23c": "in terms of K: {per_k:.2f} (K-1)",
        "25b": "the token is where it was used last: a holder asks nobody, 1/N of the requests",
        "27b": "the mean distance of two sites in a binary tree is about 2 (log2 N - 2), and each "
        "step is a request and the token's way back; log N counts a leaf's way to the root, once",
        "27c": "fewer: under full load the token and the requests share more of their ways",
    }
    found = {}
    for letter, (row, load, per) in each.items():
        value = mean(r, row, load, per)
        note = notes.get(letter, "")
        if "{" in note:
            note = note.format(per_k=mean(r, row, load, k).value)
        found[f"002.{letter}"] = value._replace(note=note)
    found["002.24b"] = counted(
        r["path alone"]["messages"] / log,
        f"paths from the root, as in the paper; a balanced assignment has {balanced[0]:.1f}",
    )
    found["002.24c"] = counted(
        r["path loop"]["messages"] / log,
        f"paths from the root; its own cases have 5 or 6; a balanced assignment {balanced[1]:.1f}",
    )
    told = ", ".join([f"{ys[0]:.1f} at {n}" for n, ys in zip(TREES, trees, strict=True)])
    note = f"the last doubling of N adds so many times the first: {told}"
    found["002.6a"] = Measured(growth.mean, growth.half, note)
    return found


# Delays, on channels of one unit of time.

DELAYS: Final = {
    "1c": "lamport", "2c": "ricart-agrawala", "3c": "singhal-dynamic", "25a": "suzuki-kasami",
    "26a": "singhal-heuristic", "7c": "maekawa", "23a": "plane", "24a": "tree",
    "27a": "raymond",
}  # fmt: skip


def loaded(
    name: str, n: int, quorum: str | None, stay: float, scale: Scale, seed: int = 1, **more: Any
) -> Task:
    return scene(
        "loop", algorithm=name, n=n, quorum=quorum, requests=scale.of(30, 8), think=0.5,
        stay=stay, seed=seed, **more,
    )  # fmt: skip


def delays(scale: Scale) -> dict[str, Task]:
    found = {row: loaded(*ROWS[row], 3.0, scale) for row in ROWS}
    found["tree"] = loaded("cao-singhal", 31, None, 3.0, scale, quorums=paths(31))
    found |= {f"raymond {n}": loaded("raymond", n, None, 3.0, scale) for n in TREES}
    return found


def read_delays(r: Named) -> dict[str, Measured]:
    found = {f"002.{letter}": counted(r[row]["delay"]) for letter, row in DELAYS.items()}
    found["002.7c"] = found["002.7c"]._replace(
        note="where the common arbiter is who leaves or who enters, a hop is spared: in a third of "
        "the handovers; on the 5x5 grid it is 2.00, see the figure of 002-overET"
    )
    found["002.27a"] = counted(
        r["raymond"]["delay"] / (log2(31) / 2),
        f"{r['raymond']['delay']:.2f} T: under full load the token goes round the tree, from "
        "neighbour to neighbour; T log(N)/2 is the way to a random site",
    )
    growth = exponent({log2(n): r[f"raymond {n}"]["delay"] for n in TREES})
    found["002.6b"] = Measured(growth.mean, growth.half)
    worst = max(
        [r[row]["throughput"] * (r[row]["delay"] + 3.0) for row in ROWS], key=lambda x: abs(x - 1)
    )
    found["002.16"] = counted(worst, "the row of table 1 that is farthest from 1, E = 3T")
    return found


# Quorum sizes.

SIZES: Final[Mapping[str, tuple[str, tuple[int, ...]]]] = {
    "majority": ("majority", (15, 31, 63, 127)),
    "plane": ("plane", (13, 31, 57, 133)),
    "hierarchical": ("hierarchical", (9, 27, 81, 243)),
}


def quorums(scale: Scale) -> dict[str, Task]:
    found = {
        f"{label} {n}": task("systems.sizes", kind=kind, n=n)
        for label, (kind, ns) in SIZES.items()
        for n in ns
    }
    found["tree"] = task("systems.sizes", kind="tree", n=31)
    found["grid-set"] = task("systems.sizes", kind="grid-set", n=36, parts=9)
    found["rst"] = task("systems.sizes", kind="rst", n=75, parts=25)
    found["p"] = task("systems.both_in", kind="plane", n=31)
    return found


def read_quorums(r: Named) -> dict[str, Measured]:
    def grows(label: str, figure: str) -> Estimate:
        return exponent({float(n): r[f"{label} {n}"][figure] for n in SIZES[label][1]})

    majority, plane = grows("majority", "least"), grows("plane", "least")
    hqc = grows("hierarchical", "least")
    return {
        "002.10a": Measured(majority.mean, majority.half),
        "002.10b": Measured(2 * plane.mean, 2 * plane.half),
        "002.11a": counted(r["tree"]["least"], "a path of 5 levels: log2(N+1)"),
        "002.11b": counted(r["tree"]["most"]),
        "002.12": Measured(hqc.mean, hqc.half),
        "002.13": counted(
            r["grid-set"]["least"],
            "9 groups of 4: a majority of 5 groups with 3 of each; the printed size exceeds N, and "
            "means N groups and sqrt G of each, where a grid takes 2 sqrt G - 1",
        ),
        "002.14": counted(
            r["rst"]["least"],
            "a row and a column of the 5x5 groups, 9 of them, with 2 of 3 each; the printed size "
            "has 5 groups, as if rows alone were quorums",
        ),
        "002.15c": counted(r["tree"]["least"] / 5),
        "002.34a": counted(
            r["p"]["p"] * sqrt(31), "6 members of 31, the site itself not counted: 5/30"
        ),
    }


# A site is down.


def failures(scale: Scale) -> dict[str, Task]:
    return {
        "rst": task("systems.without_one", kind="rst", n=27, part=3),
        "grid-set": task("systems.without_one", kind="grid-set", n=27, part=27),
        "tree": task("systems.without_one", kind="tree", n=31, part=1),
        "hierarchical": task("systems.without_one", kind="hierarchical", n=27, part=1),
    }


def read_failures(r: Named) -> dict[str, Measured]:
    spare = "the fewest single failures of its members that one quorum's requests survive"
    return {
        "002.38a": counted(r["rst"]["survived"], f"all of each group asked; {spare}"),
        "002.38b": counted(r["grid-set"]["survived"], f"all three groups asked; {spare}"),
        "002.38c": counted(
            r["tree"]["survived"],
            "the path alone asked; the option redundant asks a second quorum beforehand and masks "
            "a failure with any kind",
        ),
        "002.38d": counted(r["hierarchical"]["survived"], "the quorum alone asked"),
    }


EXPERIMENTS: Final = (
    of_scenes("002-table", "Table 1, messages",
              "The simulator; light: nobody else asks meanwhile, heavy: everybody asks again at "
              "once. N = 25; 31 for Raymond, projective planes and trees.", table, read_table),
    of_scenes("002-delays", "Table 1, synchronisation delay",
              "Channels of one unit of time T, E = 3T, everybody asks again after T/2 on average.",
              delays, read_delays),
    of_scenes("002-quorums", "Sizes of quorums", "The quorum library.", quorums, read_quorums),
    of_scenes("002-failures", "A site is down", "The quorum library.", failures, read_failures),
)  # fmt: skip
