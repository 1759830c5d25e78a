"""Options that several commands share: which algorithm, on which workload."""

from __future__ import annotations

from typing import Annotated

import typer

from grouplock.catalog import BadOption, find
from grouplock.measure.workload import BadWorkload, Workload
from grouplock.protocol.system import SETS, SLOTS, System
from grouplock.quorums.catalog import find as find_kind

_D = Workload()

Name = Annotated[str, typer.Argument(metavar="NAME", help="An algorithm; see `algorithms`.")]
Given = Annotated[
    list[str] | None,
    typer.Option("-o", "--option", metavar="KEY=VALUE", help="An option of the algorithm."),
]
N = Annotated[int, typer.Option("--n", help="Sites.")]
Groups = Annotated[int, typer.Option("--groups", help="Groups.")]
Sets = Annotated[int, typer.Option("--sets", help="Acceptable groups that a request names.")]
Slots = Annotated[int, typer.Option("--slots", help="Groups that may be inside at once.")]
Requests = Annotated[int, typer.Option("--requests", help="Requests of each site.")]
Think = Annotated[float, typer.Option("--think", help="Mean time between requests.")]
Inside = Annotated[float, typer.Option("--inside", help="Mean time inside.")]
Delay = Annotated[float, typer.Option("--delay", help="Mean delay of a channel.")]
Bandwidth = Annotated[
    float, typer.Option("--bandwidth", help="Integers per unit of time; 0 is unlimited.")
]
Skew = Annotated[
    str | None,
    typer.Option("--skew", metavar="A,B", help="A% of the groups are drawn B% of the time."),
]
Quorum = Annotated[
    str | None,
    typer.Option(
        "--quorum", metavar="KIND", help="Where it works with quorums; see `quorum list`."
    ),
]
Runs = Annotated[int, typer.Option("--runs", help="Runs, each with the next seed.")]
Seed = Annotated[int, typer.Option("--seed", help="Of the one source of randomness.")]
Json = Annotated[bool, typer.Option("--json", help="Print exact figures as JSON.")]


def parse_given(given: list[str] | None) -> dict[str, str]:
    """`-o key=value` as a dictionary."""
    pairs: dict[str, str] = {}
    for text in given or []:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise BadOption(f"an option is written key=value, not '{text}'")
        pairs[name] = value
    return pairs


def parse_skew(text: str | None) -> tuple[float, float]:
    if text is None:
        return _D.skew
    try:
        share, draws = text.split(",")
        return float(share), float(draws)
    except ValueError:
        raise BadWorkload(f"skew is two percentages, as in 20,80, not '{text}'") from None


def system_for(
    name: str, given: list[str] | None, workload: Workload, quorum: str | None = None
) -> System:
    """The algorithm as asked for, refused where the catalog says that it cannot do this."""
    algorithm = find(name)
    if quorum is not None:
        find_kind(quorum)  # one that needs none does not mind which, but there must be such a one
    if workload.slots > 1 and SLOTS not in algorithm.supports:
        raise BadWorkload(f"{algorithm.name} has one slot; --slots {workload.slots} needs another")
    if workload.sets > 1 and SETS not in algorithm.supports:
        raise BadWorkload(
            f"{algorithm.name} takes one group a request; --sets {workload.sets} needs another"
        )
    return algorithm.system(workload.n, parse_given(given), workload.slots, quorum, workload.groups)


def parse_channel(text: str, system: System) -> bool:
    """Whether channels keep order; refused where the algorithm needs them to and they would not."""
    if text not in ("fifo", "any"):
        raise BadWorkload(f"a channel is fifo or any, not '{text}'")
    if text == "any" and system.channel.fifo:
        raise BadWorkload(f"{system.name} needs channels that keep order; leave out --channel any")
    return text == "fifo"
