"""`grouplock ls`, `show`, `watch`, `release`: what an operator sees of locks, and may end."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Any, Final

import msgspec
import typer
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from grouplock.cli.cluster import HERE, AsJson, Cluster, cluster_at, run
from grouplock.cli.errors import usage

NOTHING: Final = 1  # there is no such lock, or no such hold
Name = Annotated[str, typer.Argument(metavar="NAME", help="The lock.")]
Look = dict[str, Any]


def ls(
    idle: Annotated[
        bool, typer.Option("--all", help="Also locks that nobody is in or waits for.")
    ] = False,
    cluster: Cluster = HERE,
    as_json: AsJson = False,
) -> int:
    """Every lock that is in use: who is inside, who waits."""

    async def look() -> int:
        async with cluster_at(cluster) as at:
            seen = sorted(await at.inspect(), key=lambda lock: str(lock["lock"]))
        seen = [lock for lock in seen if idle or lock["sessions"] or lock["queue"]]
        if as_json:
            print(json(seen))
        else:
            console = Console()
            console.print(table(seen) if seen else "no lock is in use")
        return 0

    return run(look())


def show(name: Name, cluster: Cluster = HERE, as_json: AsJson = False) -> int:
    """One lock: its sessions, its holders, its queue."""

    async def look() -> int:
        async with cluster_at(cluster) as at:
            seen = await at.lock(name).inspect()
        if as_json:
            print(json(seen))
        elif seen is None:
            print(f"grouplock: lock '{name}' is not in use", file=sys.stderr)
        else:
            Console().print(page(seen))
        return NOTHING if seen is None else 0

    return run(look())


def watch(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="The lock; all.")] = None,
    every: Annotated[float, typer.Option(min=0.1, metavar="SECS", help="How often to look.")] = 1.0,
    times: Annotated[
        int | None, typer.Option(min=1, help="How often before it ends; until ctrl-C.")
    ] = None,
    cluster: Cluster = HERE,
    as_json: AsJson = False,
) -> int:
    """The same, again and again: a live view, or with --json a line each time."""

    async def look() -> int:
        console = Console()
        left = times
        async with cluster_at(cluster) as at:
            with Live(console=console, auto_refresh=False, screen=False) as live:
                while True:
                    seen = await at.lock(name).inspect() if name else await at.inspect()
                    if as_json:
                        print(json(seen), flush=True)
                    else:
                        live.update(view(seen, name), refresh=True)
                    left = None if left is None else left - 1
                    if left == 0:
                        return 0
                    await asyncio.sleep(every)

    return run(look())


def release(
    name: Name,
    hold: Annotated[str, typer.Argument(metavar="HOLD", help="Its number, as `show` has it.")],
    force: Annotated[
        bool, typer.Option("--force", help="It is another's: have its holder leave.")
    ] = False,
    now: Annotated[
        bool, typer.Option("--now", help="Do not wait until the holder is out; see below.")
    ] = False,
    cluster: Cluster = HERE,
) -> int:
    """End somebody's hold or request.

    Its holder is told, and keeps the lock until it has left or its lease has run out.  With --now
    the lock is free at once, and the holder may still be inside when the next one comes in: only a
    resource that compares fences is safe from that.
    """
    if not force:
        usage(f"hold {hold} is somebody else's; say --force to end it")
    if not hold.isdecimal():
        usage(f"'{hold}' is no hold; `grouplock show {name}` has their numbers")

    async def end() -> int:
        async with cluster_at(cluster) as at:
            done = await at.force(name, int(hold), now=now)
        if not done:
            print(f"grouplock: lock '{name}' has no hold {hold}", file=sys.stderr)
            return NOTHING
        said = "is ended; its holder may not know yet" if now else "is asked back"
        print(f"hold {hold} of lock '{name}' {said}")
        return 0

    return run(end())


# What is drawn.


def json(seen: Any) -> str:
    return msgspec.json.encode(seen).decode()


def view(seen: Any, name: str | None) -> RenderableType:
    if name is None:
        return table(sorted(seen, key=lambda lock: str(lock["lock"])))
    return page(seen) if seen else Text(f"lock '{name}' is not in use")


def table(locks: list[Look]) -> Table:
    drawn = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("lock", "slots", "inside", "holders", "waiting", "oldest", "switches", "node"):
        drawn.add_column(heading, no_wrap=heading == "lock", overflow="fold")
    for lock in locks:
        sessions, queue = lock["sessions"], lock["queue"]
        drawn.add_row(
            Text(lock["lock"]),
            str(lock["settings"]["slots"]),
            Text(", ".join([session["group"] for session in sessions]) or "-"),
            str(sum([len(session["holders"]) for session in sessions])),
            str(len(queue)),
            age(max([request["age"] for request in queue], default=None)),
            str(lock["switches"]),
            str(lock["node"]),
        )
    return drawn


def page(lock: Look) -> Group:
    settings = lock["settings"]
    head = Text(lock["lock"], style="bold")
    head.append(f"  node {lock['node']}, {lock['switches']} switches", style="dim")
    told = Text("  ".join([f"{key} {value}" for key, value in settings.items() if value]))
    inside = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("slot", "group", "fence", "hold", "client", "does", "for"):
        inside.add_column(heading, overflow="fold")
    for session in sorted(lock["sessions"], key=lambda s: int(s["slot"])):
        for holder in session["holders"]:
            inside.add_row(
                str(session["slot"]),
                Text(session["group"]),
                session["fence"],
                holder["hold"],
                str(holder["client"]),
                holder["phase"],
                age(holder["age"]),
            )
    waiting = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for heading in ("waits for", "hold", "client", "for"):
        waiting.add_column(heading, overflow="fold")
    for request in lock["queue"]:
        waiting.add_row(
            Text(" or ".join(request["groups"])),
            request["hold"],
            str(request["client"]),
            age(request["age"]),
        )
    nobody = Text("nobody is inside", style="dim")
    parts: list[RenderableType] = [head, told, inside if lock["sessions"] else nobody]
    if lock["queue"]:
        parts += [Text(), waiting]
    return Group(*parts)


def age(seconds: float | None) -> str:
    """As a person says it: 3 s, 2 min, 5 h."""
    if seconds is None:
        return "-"
    for unit, size in (("d", 86_400.0), ("h", 3600.0), ("min", 60.0)):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.1f} s"
