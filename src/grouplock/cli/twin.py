"""grouplock twin: the lock service in a simulated world, with a nemesis, seed by seed."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from grouplock.cli.errors import VIOLATED, usage
from grouplock.cli.options import Json
from grouplock.cli.progress import bar
from grouplock.twin.judge import PROPERTIES
from grouplock.twin.minimise import minimised
from grouplock.twin.scenario import drawn
from grouplock.twin.world import Verdict, run

SEEDS = "1-100"
COUNTED = ("held", "lost", "gave_up", "failed", "written", "refused", "shared", "events")


def twin(
    seeds: Annotated[
        str, typer.Option("--seeds", metavar="A-B", help="From the one to the other.")
    ] = SEEDS,
    seed: Annotated[int | None, typer.Option("--seed", help="This one alone.")] = None,
    as_json: Json = False,
) -> int:
    """Nodes and clients on virtual time: crashes, pauses, partitions, clocks that drift.

    Each seed is another scenario; what goes wrong in one goes wrong in it again.
    """
    first, last = (seed, seed) if seed is not None else ends(seeds)
    began = time.perf_counter()
    bad: list[Verdict] = []
    totals = dict.fromkeys(COUNTED, 0)
    with bar("seeds", last - first + 1) as progress:
        for one in range(first, last + 1):
            verdict = run(drawn(one))
            for what in COUNTED:
                totals[what] += getattr(verdict, what)
            if verdict.violated:
                bad.append(verdict)
                if not as_json:
                    tell(verdict)
            progress.step()
    wall = time.perf_counter() - began
    count = last - first + 1
    if as_json:
        figures = {
            "seeds": [first, last],
            "violations": [v._asdict() for v in bad],
            "properties": {p: sum([v.violated == p for v in bad]) for p in PROPERTIES},
            **totals,
            "wall_s": wall,
            "seeds_per_hour": 3600 * count / wall,
        }
        print(json.dumps(figures))
    else:
        print(
            f"{count} seeds, {len(bad)} violations: {totals['held']} holds, {totals['lost']} of "
            f"them lost, {totals['written']} writes and {totals['refused']} refused as old, "
            f"{totals['events']} events; {3600 * count / wall:,.0f} seeds an hour"
        )
        if seed is not None and bad:
            print(f"smaller: {minimised(drawn(seed))}")
    return VIOLATED if bad else 0


def tell(verdict: Verdict) -> None:
    print(f"seed {verdict.seed} violates {verdict.violated}: {verdict.reason}")
    print(f"  again, and made smaller: grouplock twin --seed {verdict.seed}")


def ends(seeds: str) -> tuple[int, int]:
    first, dash, last = seeds.partition("-")
    if not (first.isdecimal() and (last.isdecimal() or not dash)):
        usage(f"--seeds is '{seeds}'; say A-B, as in {SEEDS}")
    if dash and int(last) < int(first):
        usage(f"--seeds is '{seeds}'; the first is above the last")
    return int(first), int(last) if dash else int(first)
