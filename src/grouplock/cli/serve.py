"""`grouplock serve`: one node of the lock service, until it is told to stop."""

from __future__ import annotations

import asyncio
import ipaddress
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Annotated, Any

import typer

from grouplock.cli.errors import BAD_USAGE, NOT_FINISHED, usage
from grouplock.client.config import BadConfig, Config, loaded, nodes_of, printed
from grouplock.client.errors import GroupLockError
from grouplock.client.node import hosted, last_words, tell_on_stderr
from grouplock.client.tls import BadCertificate
from grouplock.net import loops
from grouplock.net.daemon import Host
from grouplock.net.disk import DiskTrouble


def serve(
    listen: Annotated[
        str | None, typer.Option(metavar="HOST:PORT", help="Where clients and nodes call.")
    ] = None,
    data: Annotated[
        str | None, typer.Option(metavar="DIR", help="What outlives the process; made if need be.")
    ] = None,
    unix: Annotated[
        str | None, typer.Option(metavar="PATH", help="A socket for clients of this machine.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="This node, of the cluster's nodes.")] = None,
    nodes: Annotated[
        str | None, typer.Option(metavar="NAME=HOST:PORT,...", help="All nodes of the cluster.")
    ] = None,
    secret: Annotated[str | None, typer.Option(help="What the nodes share.")] = None,
    lease: Annotated[
        float | None, typer.Option(help="Seconds that a hold outlives its client.")
    ] = None,
    algorithm: Annotated[str | None, typer.Option(help="Who is next: see algorithms.")] = None,
    tls_cert: Annotated[str | None, typer.Option(metavar="FILE", help="What we show.")] = None,
    tls_key: Annotated[str | None, typer.Option(metavar="FILE", help="Its key.")] = None,
    tls_ca: Annotated[str | None, typer.Option(metavar="FILE", help="Who signs for nodes.")] = None,
    config: Annotated[Path | None, typer.Option(help="A file with these keys, as TOML.")] = None,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print it, and end.")
    ] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Say whether it would do, and end.")
    ] = False,
) -> int:
    """One node of the lock service.  Each option is a key of the file too, and GROUPLOCK_OPTION."""
    given: dict[str, Any] = {
        "listen": listen, "data": data, "unix": unix, "name": name, "secret": secret,
        "lease": lease, "algorithm": algorithm, "tls_cert": tls_cert, "tls_key": tls_key,
        "tls_ca": tls_ca,
    }  # fmt: skip
    try:
        given["nodes"] = None if nodes is None else nodes_of(nodes)
        settled = loaded(config, os.environ, given)
        if not settled.data:
            settled = loaded(config, os.environ, {**given, "data": str(own_folder(settled))})
        host = hosted(settled, tell_on_stderr)
    except (BadConfig, BadCertificate) as fault:
        usage(str(fault))
    if print_config:
        print(printed(settled), end="")
        return 0
    if check:
        print("grouplock: this configuration will do")
        return 0
    try:
        loops.run(until_told(host, settled))
    except (DiskTrouble, GroupLockError) as fault:
        print(f"grouplock: {fault}", file=sys.stderr)
        return BAD_USAGE
    except OSError as fault:
        print(f"grouplock: {settled.listen}: {fault.strerror or fault}", file=sys.stderr)
        return BAD_USAGE
    return 0


def own_folder(config: Config) -> Path:
    """Where a node that was told no folder keeps its data."""
    base = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(base) / "grouplock" / (config.name or config.listen.replace(":", "-"))


async def until_told(host: Host, config: Config) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for told in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(told, stop.set)
    loop.set_exception_handler(give_up)
    await host.start()
    listens = host.place.listen
    assert listens is not None
    print(f"grouplock: serving on {listens[0]}:{host.port}, data in {config.data}", flush=True)
    if not is_loopback(listens[0]) and not config.tokens:
        warning = "anybody who reaches this address may take and end holds"
        print(f"grouplock: {warning}; keep it inside a trusted network", file=sys.stderr)
    await stop.wait()
    await host.stop(lambda: last_words(host))


def give_up(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """An assertion is a bug of ours: a table that may be wrong grants nothing any more.

    The end is not a clean one, so the next process waits until the holds have run out.
    """
    fault = context.get("exception")
    if isinstance(fault, AssertionError):
        traceback.print_exception(fault)
        sys.stderr.flush()
        os._exit(NOT_FINISHED)
    loop.default_exception_handler(context)


def is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
