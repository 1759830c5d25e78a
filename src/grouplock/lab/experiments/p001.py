"""Paper 001: the counts of section 4.4, and both kinds of blocking."""

from __future__ import annotations

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
from grouplock.lab.runs.closings import APART

Q: Final = 3
OUTSIDE: Final = [[3, 4, 5]] * 10


def counts(scale: Scale) -> dict[str, Task]:
    return {
        "alone": scene("alone", algorithm="manabe-park", n=10, quorums=APART, site=0, wanted=[7]),
        "followers": task("closings.followers", turns=60),
        "worst": task("closings.worst", choice="any"),
        "waiters": task("closings.worst", choice="waiters"),
        "ordered": scene("alone", algorithm="maekawa-s", n=10, quorums=OUTSIDE, site=0),
    }


def read_counts(r: Named) -> dict[str, Measured]:
    kinds = r["alone"]["kinds"]
    each = ", ".join([f"{kind} {count}" for kind, count in kinds.items()])
    return {
        "001.1a": counted(r["alone"]["messages"] / Q),
        "001.1b": counted(len(kinds), each),
        "001.2a": counted(r["followers"]["first"] / Q),
        "001.2b": counted(r["followers"]["whole"] / r["followers"]["served"] / Q),
        "001.3": counted(r["worst"]["messages"] / Q),
        "001.4": counted(r["ordered"]["messages"] - 2 * Q),
        "001.5": counted(r["waiters"]["messages"] / Q),
    }


FORMS: Final[dict[str, tuple[str, dict[str, str]]]] = {
    "Manabe-Park": ("manabe-park", {}),
    "by waiters": ("manabe-park", {"choice": "waiters"}),
    "Surrogate": ("surrogate", {}),
    "with entry": ("surrogate", {"entry": "on"}),
    "a pivot stays": ("surrogate", {"entry": "pivot"}),
}


def blocking(scale: Scale) -> dict[str, Task]:
    found = {
        f"{label}:{seed}": task(
            "closings.blocked", algorithm=name, options=options, rounds=scale.of(120, 40), seed=seed
        )
        for label, (name, options) in FORMS.items()
        for seed in range(scale.of(6, 3))
    }
    for name in ("maekawa-m", "manabe-park"):
        found[f"example {name}"] = task("closings.example", algorithm=name)
    return found


def share(r: Named, label: str) -> Any:
    runs = [run for name, run in r.items() if name.startswith(f"{label}:")]
    return mean_of([100 * run["blocked"] / max(1, run["compatible"]) for run in runs])


def read_blocking(r: Named) -> dict[str, Measured]:
    runs = [run for name, run in r.items() if name.startswith("Manabe-Park:")]
    blocked = sum([run["blocked"] for run in runs])
    compatible = sum([run["compatible"] for run in runs])
    others = ", ".join(
        [f"{label} {share(r, label).mean:.0f}%" for label in FORMS if label != "Manabe-Park"]
    )
    note = f"of {compatible} requests that the pivot's group would do; of others: {others}"
    return {
        "001.7b": counted(int(blocked > 0), note),
        "001.7c": counted(blocked, f"of {compatible}, 13 sites that accept two groups of four"),
        "001.8a": counted(r["example maekawa-m"]["blocked"], "Maekawa_M on the paper's quorums"),
        "001.8b": counted(
            1 - r["example manabe-park"]["blocked"],
            "with quorums of which any two meet, as theorem 1 asks",
        ),
    }


def blocking_figures(r: Named) -> list[Figure]:
    shares = [share(r, label) for label in FORMS]
    xs = tuple(map(float, range(len(FORMS))))
    bars = Line("blocked", xs, tuple([s.mean for s in shares]), tuple([s.half for s in shares]))
    return [
        Figure(
            "001-blocking", "Paper 001: blocked though the pivot's group would do", "",
            (Panel("per cent of the compatible", (bars,)),),
            "13 sites on a projective plane, requests name two of four groups; looked at when "
            "nothing is on its way.",
            ticks=tuple(FORMS),
        )
    ]  # fmt: skip


def checked(scale: Scale) -> dict[str, Task]:
    made: dict[str, Any] = {"algorithm": "manabe-park", "n": 3}
    return {
        f"{choice} {sets}": task(
            "explored.explored", **made, options={"choice": choice}, groups=1 + sets, sets=sets
        )
        for choice in ("any", "waiters")
        for sets in (1, 2)
    }


def read_checked(r: Named) -> dict[str, Measured]:
    wrong = sum([len(run["violated"]) for run in r.values()])
    return {"001.7a": counted(wrong, explored_note(*r.values()))}


def quorums(scale: Scale) -> dict[str, Task]:
    return {str(n): task("systems.apart", n=n, groups=4) for n in (7, 13, 25)}


def read_quorums(r: Named) -> dict[str, Measured]:
    pairs = sum([run["pairs"] for run in r.values()])
    return {"001.6": counted(sum([run["apart"] for run in r.values()]), f"of {pairs} pairs")}


EXPERIMENTS: Final = (
    of_scenes("001-counts", "Messages, section 4.4",
              "Requesters outside their quorums of 3, as the paper counts; channels of one unit of "
              "time.", counts, read_counts),
    of_scenes("001-blocking", "Unnecessary blocking",
              "A pivot is whoever came in when nobody was inside, while it stays.", blocking,
              read_blocking, blocking_figures),
    of_scenes("001-checked", "Exclusion and service", "The checker.", checked, read_checked),
    of_scenes("001-quorums", "Quorums of sets of groups", "The quorum library.", quorums,
              read_quorums),
)  # fmt: skip
