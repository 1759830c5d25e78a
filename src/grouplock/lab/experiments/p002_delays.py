"""Paper 002: the cases of its analysis, delay and throughput over E/T."""

from __future__ import annotations

from typing import Any, Final

from grouplock.lab.claims.claim import Measured
from grouplock.lab.experiments import sweep as s
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
from grouplock.lab.experiments.sweep import mean_of
from grouplock.lab.runs import Task, task
from grouplock.lab.summary import Estimate

# The cases of section 5.1.2, and the scenes of 5.2.1.

CASES: Final = {
    "21a": "1", "21b": "2.1", "21c": "2.2", "21d": "3", "21e": "4.1", "21f": "5", "22": "4.2",
}  # fmt: skip
CASE_NOTES: Final = {
    "21b": "the fifth of the paper's list, a transfer, is sent because of the next request",
    "21c": "and the permission that was given up has to come to its owner once more",
    "21e": "and the displaced head is named once more when it is next",
    "21f": "it is told that it fails, and the displaced head is named once more",
    "22": "the inquire was sent because of the old head, which is why it is not in the list",
}


def cases(scale: Scale) -> dict[str, Task]:
    found = {name: task("arbiters.case", name=name) for name in CASES.values()}
    for label, (name, options) in {
        "ours": ("cao-singhal", {}), "direct": ("cao-singhal", {"direct": "on"}),
        "maekawa": ("maekawa", {}),
    }.items():  # fmt: skip
        for late in (False, True):
            found[f"{label} {late}"] = task(
                "arbiters.pending", algorithm=name, options=options, late=late
            )
    for name in ("lamport", "ricart-agrawala"):
        found[name] = task("arbiters.alone_then", algorithm=name, n=5)
    found["handover"] = scene(
        "handover", algorithm="cao-singhal", n=25, quorum="grid", holder=3, waiter=7
    )
    return found


def read_cases(r: Named) -> dict[str, Measured]:
    found = {}
    for letter, name in CASES.items():
        kinds = ", ".join([f"{kind} {count / 3:g}" for kind, count in r[name]["kinds"].items()])
        note = CASE_NOTES.get(letter, "")
        found[f"002.{letter}"] = counted(
            r[name]["added"], f"for each arbiter: {kinds}{'; ' if note else ''}{note}"
        )
    riding = r["2.1"]["kinds"].get("Transfer", 0)
    found["002.19"] = counted(riding, "case 2.1: the transfer rides on the inquire")
    found["002.29"] = counted(r["handover"]["hops"])
    found["002.30a"] = counted(r["ours False"]["hops"])
    found["002.30b"] = counted(r["direct False"]["hops"])
    found["002.31a"] = counted(
        r["direct True"]["hops"],
        f"with the transfer on inquire; {r['ours True']['hops']:g} without",
    )
    found["002.31b"] = counted(r["maekawa True"]["hops"])
    found["002.31c"] = counted(r["lamport"]["hops"])
    found["002.31d"] = counted(r["ricart-agrawala"]["hops"])
    return found


def kinds(scale: Scale) -> dict[str, Task]:
    return {
        "loop": scene(
            "loop",
            algorithm="cao-singhal",
            n=25,
            quorum="grid",
            requests=20,
            think=4.0,
            stay=1.0,
            seed=1,
            fixed=False,
        ),
        "response": task("arbiters.response", n=25, stay=3.0),
    }


def read_kinds(r: Named) -> dict[str, Measured]:
    names = ", ".join(r["loop"]["kinds"])
    return {
        "002.18": counted(len(r["loop"]["kinds"]), names),
        "002.28": counted(r["response"]["time"]),
    }


# Delay and throughput over E/T.

STAYS: Final = (0.01, 0.1, 0.25, 0.5, 0.75, 1.0, 2.0, 5.0, 10.0)
ONE: Final = [[24]] * 25
FORMS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "maekawa": ("maekawa", {}),
    "off": ("cao-singhal", {}),
    "ahead": ("cao-singhal", {"options": {"ahead": "on"}}),
    "both": ("cao-singhal", {"options": {"ahead": "on", "direct": "on"}}),
}
SYSTEMS: Final = (("grid", 25), ("plane", 31), ("tree", 31), ("majority", 15))
NS: Final = (9, 16, 25, 49)


def over(scale: Scale) -> dict[str, Task]:
    found = {}
    for seed in range(scale.of(6, 3)):
        for form, (name, more) in FORMS.items():
            for stay in STAYS:
                found[f"{form} {stay} {seed}"] = scene(
                    "loop", algorithm=name, n=25, quorum="grid", requests=scale.of(20, 6),
                    think=0.3, stay=stay, seed=1 + seed, **more,
                )  # fmt: skip
        found[f"one 0.5 {seed}"] = scene(
            "loop", algorithm="cao-singhal", n=25, quorums=ONE, requests=scale.of(20, 6),
            think=0.3, stay=0.5, seed=1 + seed,
        )  # fmt: skip
    found["p"] = task("systems.both_in", kind="grid", n=25)
    return found


def pooled(r: Named, form: str, stay: float, figure: str) -> Estimate:
    """Over the seeds."""
    runs = [run for name, run in r.items() if name.rpartition(" ")[0] == f"{form} {stay}"]
    return mean_of([run[figure] for run in runs])


def paired(r: Named, form: str, base: str, stay: float, figure: str) -> Estimate:
    ratios = [
        run[figure] / r[f"{base} {stay} {name.rpartition(' ')[2]}"][figure]
        for name, run in r.items()
        if name.rpartition(" ")[0] == f"{form} {stay}"
    ]
    return mean_of(ratios)


def read_over(r: Named) -> dict[str, Measured]:
    plain, ahead = pooled(r, "off", 0.5, "delay"), pooled(r, "ahead", 0.5, "delay")
    p = r["p"]["p"]
    both = pooled(r, "both", 0.5, "delay")
    one = pooled(r, "one", 0.5, "delay")
    more = paired(r, "ahead", "off", 0.5, "messages")
    along = ", ".join([f"{pooled(r, 'off', e, 'delay').mean:.2f} at {e:g}" for e in STAYS])
    return {
        "002.33": Measured(
            plain.mean - (1 + p / 2), plain.half,
            f"p = {p:.2f}, delay {plain.mean:.3f}; over E/T: {along}",
        ),
        "002.34b": Measured(
            one.mean, one.half,
            "one arbiter for all: every other handover finds its transfer on the way",
        ),
        "002.36a": Measured(
            ahead.mean, ahead.half, f"with the transfer on inquire too {both.mean:.3f}"
        ),
        "002.36b": Measured(
            more.mean, more.half,
            "who is named one step ahead and then displaced has to be named again",
        ),
    }  # fmt: skip


def line(r: Named, label: str, form: str, figure: str, base: str = "") -> Line:
    at = {
        e: paired(r, form, base, e, figure) if base else pooled(r, form, e, figure) for e in STAYS
    }
    return s.drawn(label, at)


def over_figures(r: Named) -> list[Figure]:
    p = r["p"]["p"]
    equation = Line(
        "equation (1)", STAYS, tuple([1 + p / 2 if e < 1 else 1.0 for e in STAYS]), (0.0,) * 9
    )
    labels = {
        "maekawa": "Maekawa", "off": "Cao-Singhal", "ahead": "with 5.3",
        "both": "with 5.3 and transfer on inquire",
    }  # fmt: skip
    delay = [line(r, label, form, "delay") for form, label in labels.items()]
    gain = [
        line(r, labels[form], form, "throughput", "maekawa") for form in ("off", "ahead", "both")
    ]
    own = Line("(2T+E)/(T+E)", STAYS, tuple([(2 + e) / (1 + e) for e in STAYS]), (0.0,) * 9)
    messages = [line(r, label, form, "messages") for form, label in labels.items()]
    waits = [line(r, labels[form], form, "waiting", "maekawa") for form in ("off", "ahead", "both")]
    return [
        Figure(
            "002-overET", "Paper 002: delay and throughput over E/T, 5x5 grid", "E/T",
            (
                Panel("synchronisation delay / T", (*delay, equation)),
                Panel("throughput / Maekawa's", (*gain, own), 1.0),
                Panel("messages a request", tuple(messages)),
                Panel("waiting / Maekawa's", tuple(waits), 1.0),
            ),
            "Channels of one unit of time, everybody asks again after 0.3 T on average.",
            log=True,
        )
    ]  # fmt: skip


# Throughput over N and kinds of quorums.


def rates(scale: Scale) -> dict[str, Task]:
    found = {}
    places = [*SYSTEMS, *[("grid", n) for n in NS if n != 25]]
    for form, (name, more) in FORMS.items():
        for kind, n in places:
            for stay in (0.1, 0.5):
                for seed in range(scale.of(5, 3)):
                    found[f"{form} {kind}:{n}:{stay} {seed}"] = scene(
                        "loop", algorithm=name, n=n, quorum=kind, requests=scale.of(20, 6),
                        think=0.3, stay=stay, seed=1 + seed, **more,
                    )  # fmt: skip
    return found


def read_rates(r: Named) -> dict[str, Measured]:
    def gain(form: str, place: str, figure: str = "throughput") -> Estimate:
        of = {
            name.rpartition(" ")[2]: run[figure]
            for name, run in r.items()
            if name.rpartition(" ")[0] == f"{form} {place}"
        }
        base = {seed: r[f"maekawa {place} {seed}"][figure] for seed in of}
        return mean_of([of[seed] / base[seed] for seed in of])

    short, half = gain("ahead", "grid:25:0.1"), gain("ahead", "grid:25:0.5")
    other = {form: gain(form, "grid:25:0.1").mean for form in ("off", "both")}
    kinds = ", ".join([f"{k} {n}: {gain('ahead', f'{k}:{n}:0.1').mean:.2f}" for k, n in SYSTEMS])
    sizes = ", ".join([f"{gain('ahead', f'grid:{n}:0.1').mean:.2f}" for n in NS])
    waits = gain("ahead", "grid:25:0.1", "waiting")
    base = gain("off", "grid:25:0.1", "waiting")
    forms = f"without 5.3 {other['off']:.2f}, with transfer on inquire too {other['both']:.2f}"
    return {
        "002.37a": Measured(
            short.mean, short.half,
            f"with 5.3, since E < T; {forms}; {kinds}; grids of 9, 16, 25, 49: {sizes}",
        ),
        "002.37b": Measured(
            half.mean, half.half,
            f"with 5.3; without {gain('off', 'grid:25:0.5').mean:.2f}, where a handover takes T or "
            "2T. The empty start and end of the runs are in it",
        ),
        "002.37c": Measured(waits.mean, waits.half, f"with 5.3; without {base.mean:.2f}"),
    }  # fmt: skip


EXPERIMENTS: Final = (
    of_scenes("002-cases", "Sections 5.1.2 and 5.2.1, case by case",
              "Three arbiters; what one more request adds, for each of them.", cases, read_cases),
    of_scenes("002-deadlock", "Kinds of messages, response time", "The 5x5 grid.", kinds,
              read_kinds),
    of_scenes("002-overET", "Synchronisation delay over E/T",
              "Channels of one unit of time T, stays of E, the 5x5 grid.", over, read_over,
              over_figures),
    of_scenes("002-throughput", "Throughput against Maekawa's",
              "The same over N and kinds of quorums, E = T/10 and T/2.", rates, read_rates),
)  # fmt: skip
