"""The figures as a page: one table a scenario, one of ratios, one of demands, what is not alike."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bench.locks.scenarios import SCENARIOS
from bench.locks.systems import SYSTEMS
from bench.locks.targets import HERE, OURS, Measured, Verdict, fastest, ratio


def shown(value: float) -> str:
    """Three digits that mean something."""
    if math.isnan(value):
        return "-"
    if value >= 1000:
        return f"{value:,.0f}"
    return f"{value:.3g}" if value < 100 else f"{value:.0f}"


def spread(noise: float) -> str:
    return f"±{noise:.0%}" if noise < 10 else "±1000% or more"


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = list(head)
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *lines)) + "\n"


def of_scenario(name: str, found: list[Measured]) -> str:
    scenario = SCENARIOS[name]
    ours = fastest(found, name, OURS)
    here = fastest(found, name, HERE)
    mine = [one for one in found if one.scenario == name]
    lines = []
    for one in mine:
        cells = [one.system, f"{shown(one.value)} {spread(one.noise)}"]
        cells.append("-" if ours is None or one is ours else f"{shown(ratio(ours, one))}x")
        if here is not None:
            cells.append("-" if one is here else f"{shown(ratio(here, one))}x")
        cells.append(shown(one.cpu_us) if one.cpu_us else "-")
        if not scenario.own:
            cells += [shown(one.longest_ms), str(one.sessions), f"{one.jain:.4f}"]
            cells += [str(one.together), f"{one.conflicts:,}"]
        lines.append(cells)
    head = ["system", f"{scenario.figure}, {scenario.unit}", "ours to it"]
    head += ["ours, here"] if here is not None else []
    head.append("server CPU, µs")
    if not scenario.own:
        head += ["longest wait, ms", "sessions", "Jain", "together", "conflicts"]
    return f"### {name}: {scenario.what}\n\n" + table(head, lines)


def of_verdicts(found: list[Verdict]) -> str:
    lines = [
        [
            f"{one.scenario}, {one.ours}",
            one.against,
            one.other or "-",
            f"{shown(one.ratio)}",
            f"{shown(one.least)}",
            "yes" if one.met else "**no**",
        ]
        for one in found
    ]
    head = ("what", "against", "its fastest here", "ratio", "at least", "met")
    return table(head, lines)


def notes(systems: Iterable[str]) -> str:
    return "".join(f"- {name}: {SYSTEMS[name].note}\n" for name in systems)


def page(found: list[Measured], judged: list[Verdict], conditions: str) -> str:
    names = [name for name in SYSTEMS if any(one.system == name for one in found)]
    parts = [of_scenario(s, found) for s in SCENARIOS if any(m.scenario == s for m in found)]
    met = sum(one.met for one in judged)
    return "\n".join(
        (
            conditions,
            *parts,
            f"### What was to be reached: {met} of {len(judged)}\n",
            of_verdicts(judged),
            "### What is not like for like\n",
            notes(names),
        )
    )
