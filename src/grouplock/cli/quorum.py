"""grouplock quorum: quorum systems, what they promise and what they cost."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import numpy as np
import typer
from rich import box
from rich.console import Console
from rich.table import Table

from grouplock.cli.errors import usage
from grouplock.cli.faults import users_faults
from grouplock.cli.options import Json
from grouplock.quorums import KINDS, GroupQuorums, QuorumError, QuorumSystem, build
from grouplock.quorums.availability import Availability
from grouplock.quorums.catalog import COTERIE, find
from grouplock.quorums.report import Reads, Report, report
from grouplock.quorums.system import Quorum
from grouplock.quorums.threshold import slots_among

LIST = "list"
SEED = 1  # of sampled availability
SHOWN = 20  # quorums of a system on the terminal
DOWN = 0.1  # the availability in the table

KindName = Annotated[str, typer.Argument(metavar="KIND", help="A kind of system, or `list`.")]
N = Annotated[int, typer.Option("--n", help="Nodes.")]
K = Annotated[int, typer.Option("--k", help="Quorums that may be disjoint.")]
Groups = Annotated[int | None, typer.Option("--groups", help="Groups (surficial, group-sets).")]
Weights = Annotated[
    str | None, typer.Option("--weights", metavar="A,B,...", help="Votes of the nodes.")
]
Threshold = Annotated[int | None, typer.Option("--threshold", help="Votes that make a quorum.")]
Widths = Annotated[
    str | None, typer.Option("--widths", metavar="A,B,...", help="Rows of a wall, from the top.")
]
Rows = Annotated[int | None, typer.Option("--rows", help="Rows of a torus.")]
Parts = Annotated[int | None, typer.Option("--parts", help="Groups of nodes (grid-set, rst).")]
Virtual = Annotated[
    str | None, typer.Option("--virtual", help="Virtual nodes: folded, kept or shared.")
]


def quorum(
    kind: KindName,
    n: N = 9,
    k: K = 1,
    groups: Groups = None,
    weights: Weights = None,
    threshold: Threshold = None,
    widths: Widths = None,
    rows: Rows = None,
    parts: Parts = None,
    virtual: Virtual = None,
    as_json: Json = False,
) -> None:
    """Show a quorum system, or with `list` all kinds side by side."""
    with users_faults():
        given = {
            "groups": groups,
            "weights": _numbers("weights", weights),
            "threshold": threshold,
            "widths": _numbers("widths", widths),
            "rows": rows,
            "parts": parts,
            "virtual": virtual,
        }
        arguments = {name: value for name, value in given.items() if value is not None}
        if kind == LIST:
            if set(arguments) - {"groups"}:
                usage("list takes --n, --k and --groups; for the rest name a kind")
            _list(n, k, arguments, as_json)
            return
        said = _report(build(kind, n, **_settled(kind, k, arguments)))
        if as_json:
            print(msgspec.json.encode(row(said)).decode())
        else:
            _show(said)


def _report(system: QuorumSystem | GroupQuorums) -> Report:
    chance = np.random.default_rng(SEED)
    return report(system, lambda bits: int.from_bytes(chance.bytes(bits // 8)))


def row(said: Report) -> dict[str, Any]:
    return {
        "kind": said.kind,
        "n": said.n,
        "k": said.k,
        "quorums": said.quorums,
        "assignment": said.assignment,
        "size": {"min": said.size[0], "max": said.size[1]},
        "load": said.load,
        "resilience": said.resilience,
        "availability": _up(said.availability),
        "properties": said.properties._asdict(),
        "degree": said.degree,
        "membership": said.membership and dict(zip(("min", "max"), said.membership, strict=True)),
        "dominated": said.dominated,
        "reads": said.reads and _reads(said.reads),
        "groups": said.groups,
        "how": said.how,
    }


def _reads(said: Reads) -> dict[str, Any]:
    return {
        "quorums": said.quorums,
        "size": {"min": said.size[0], "max": said.size[1]},
        "load": said.load,
        "resilience": said.resilience,
        "availability": _up(said.availability),
        "how": said.how,
    }


def _up(availability: Availability) -> dict[str, float]:
    return {f"{p:g}": value for p, value in availability.value.items()}


def _settled(kind: str, k: int, given: dict[str, Any]) -> dict[str, Any]:
    """What the builder is given: k where it takes one or was given one, three groups by default."""
    takes = find(kind).takes
    settled = dict(given)
    if "k" in takes or k != 1:
        settled["k"] = k
    if "groups" in takes:
        settled.setdefault("groups", 3)
    return settled


def _numbers(name: str, text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise QuorumError(f"--{name} is whole numbers, as in 3,1,1, not '{text}'") from None


def _list(n: int, k: int, given: dict[str, Any], as_json: bool) -> None:
    slots_among(n, k)
    table = Table(
        box=box.SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        pad_edge=False,
        title=f"quorum systems, n={n}, k={k}",
        caption=f"up: availability when nodes are down in {DOWN:.0%}; ≤ ≥ bounds, ≈ sampled",
    )
    # In a narrow terminal a figure goes on in the next line; none is cut off.
    for heading in ("kind", "size", "load", "resilience", "up", "dominated", "holds"):
        table.add_column(heading, no_wrap=heading == "kind", overflow="fold")
    sort = COTERIE
    missing: list[str] = []
    separator = "["
    for name, kind in KINDS.items():
        arguments: dict[str, Any] = {"k": k} if "k" in kind.takes else {}
        if "groups" in kind.takes:
            arguments["groups"] = given.get("groups", 3)
        try:
            system = build(name, n, **arguments)
        except QuorumError as fault:
            missing.append(f"{name}: {fault}")
            continue
        said = _report(system)
        if as_json:
            # One at a time, since assignments of many nodes are large.
            shown = row(said)
            del shown["quorums"], shown["groups"]
            if shown["reads"] is not None:
                del shown["reads"]["quorums"]
            print(separator, msgspec.json.encode(shown).decode(), sep="")
            separator = ","
        else:
            if kind.sort != sort:
                table.add_section()
                sort = kind.sort
            table.add_row(name, *_figures(said), _verdict(said))
    if as_json:
        print("]")
        return
    console = Console()
    console.print(table)
    for line in missing:
        console.print(line, highlight=False)


def _figures(said: Report) -> tuple[str, str, str, str, str]:
    least, most = said.size
    return (
        _range(least, most),
        f"{_bound(said.how['load'])}{said.load:.4f}",
        f"{_bound(said.how['resilience'])}{said.resilience}",
        ("" if said.availability.exact else "≈") + f"{said.availability.value[DOWN]:.4f}",
        {True: "yes", False: "no", None: "-"}[said.dominated],
    )


def _range(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least}-{most}"


def _bound(how: str) -> str:
    """The sign before a figure that is only a bound."""
    return {"at most": "≤", "at least": "≥"}.get(how.partition(",")[0], "")


def _holding(said: Report) -> list[str]:
    names = said.properties._asdict().items()
    return [
        name.replace("_", " ") if holds else f"NOT {name.replace('_', ' ')}"
        for name, holds in names
        if holds is not None
    ]


def _verdict(said: Report) -> str:
    broken = [name for name, holds in said.properties._asdict().items() if holds is False]
    return f"NOT {', '.join(broken)}" if broken else said.how["properties"]


def _show(said: Report) -> None:
    console = Console()
    size, load, resilience, _, dominated = _figures(said)
    table = Table(title=f"{said.kind}, n={said.n}, k={said.k}", show_header=False)
    table.add_row("size", size)
    table.add_row("load", f"{load} ({said.how['load']})")
    table.add_row("resilience", f"{resilience} ({said.how['resilience']})")
    for p, value in said.availability.value.items():
        table.add_row(
            f"availability, {p:.0%} down",
            f"{_about(value, said.availability, p)} ({said.how['availability']})",
        )
    if said.degree is not None:
        table.add_row("degree", str(said.degree))
    if said.membership is not None:
        table.add_row("nodes that use a node", "{} to {}".format(*said.membership))
    if said.dominated is not None:
        table.add_row("dominated", dominated)
    table.add_row("properties", f"{', '.join(_holding(said))} ({said.how['properties']})")
    if said.reads is not None:
        reads = said.reads
        least, most = reads.size
        table.add_section()
        table.add_row("reads: size", _range(least, most))
        table.add_row("reads: load", f"{_bound(reads.how['load'])}{reads.load:.4f}")
        table.add_row("reads: resilience", f"{_bound(reads.how['resilience'])}{reads.resilience}")
        up = reads.availability
        table.add_row(f"reads: up, {DOWN:.0%} down", _about(up.value[DOWN], up, DOWN))
    console.print(table)
    _show_some(console, "quorums", said.quorums, said.groups)
    if said.reads is not None:
        _show_some(console, "read quorums", said.reads.quorums)
    _show_some(console, "one for each node", said.assignment)


def _about(value: float, availability: Availability, down: float) -> str:
    if availability.exact:
        return f"{value:.6f}"
    return f"{value:.4f} ± {availability.margin(down):.4f}"


def _show_some(
    console: Console, title: str, quorums: list[Quorum] | None, groups: list[int] | None = None
) -> None:
    if quorums is None:
        console.print(f"{title}: too many to list")
        return
    console.print(f"{title}:")
    for i, quorum in enumerate(quorums[:SHOWN]):
        whose = f"group {groups[i]}: " if groups else ""
        console.print(f"  {whose}{' '.join(map(str, quorum))}", highlight=False)
    if len(quorums) > SHOWN:
        console.print(f"  and {len(quorums) - SHOWN} more")
