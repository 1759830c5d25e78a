"""Runs of the simulator, on the papers' workload."""

from __future__ import annotations

from typing import Any

from grouplock.lab.cases import Case, run_case
from grouplock.lab.runs import Values
from grouplock.measure.workload import Workload
from grouplock.sim.trouble import Trouble


class Broken(Exception):
    """A promise was violated in a run: the figures of it mean nothing."""


def run(
    algorithm: str,
    options: dict[str, str],
    quorum: str | None,
    workload: dict[str, Any],
    crashes: list[tuple[float, int]] | None = None,
) -> Values:
    """The run's figures.  Channels keep order, as in the papers."""
    given = {**workload, "skew": tuple(workload.get("skew", (50.0, 50.0)))}
    trouble = Trouble(crashes=tuple([(when, site) for when, site in crashes or []]))
    outcome = run_case(
        Case(algorithm, options, Workload(**given).checked(), trouble=trouble, quorum=quorum)
    )
    if outcome.violation is not None:
        raise Broken(f"{outcome.violation.property}: {outcome.violation.reason}")
    return outcome.figures._asdict()
