"""What the lock service's commands share: where the cluster is, how they end without it."""

from __future__ import annotations

import os
import sys
from collections.abc import Coroutine
from typing import Annotated, Any, Final

import typer

from grouplock.cli.errors import BAD_USAGE, INTERRUPTED
from grouplock.client.cluster import Remote, connect
from grouplock.client.errors import GroupLockError, Refused, Unavailable
from grouplock.client.routes import DEFAULT_PORT
from grouplock.net import loops

UNAVAILABLE: Final = 69  # as sysexits.h has it; flock ends with others of that list

Cluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        metavar="ADDRESS,...",
        envvar="GROUPLOCK_CLUSTER",
        help="HOST:PORT or unix:PATH of one node or several.",
    ),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print exact values as JSON.")]
HERE: Final = f"127.0.0.1:{DEFAULT_PORT}"


def cluster_at(where: str) -> Remote:
    """A token comes from the environment alone: what is on a command line everybody can read."""
    token = os.environ.get("GROUPLOCK_TOKEN", "")
    return connect(where, token=token, tls_ca=os.environ.get("GROUPLOCK_TLS_CA"))


def run(main: Coroutine[Any, Any, int]) -> int:
    """The command's status; what the lock service says against it is one line."""
    try:
        return loops.run(main)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Unavailable as fault:
        return told(fault, UNAVAILABLE)
    except Refused as fault:
        return told(fault, BAD_USAGE)
    except GroupLockError as fault:
        return told(fault, BAD_USAGE)


def told(fault: BaseException, status: int) -> int:
    print(f"grouplock: {fault}", file=sys.stderr)
    return status
