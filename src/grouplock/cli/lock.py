"""`grouplock lock`: runs a command while it holds a lock, with the habits of flock(1).

The command is run as it is, without a shell, with our standard files and in our process group.
Where the hold is lost it gets SIGTERM, and SIGKILL while nobody else can be inside yet.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from grouplock.cli.cluster import HERE, Cluster, cluster_at, run, told
from grouplock.cli.errors import INTERRUPTED, usage
from grouplock.client.cluster import Remote
from grouplock.client.errors import LockTimeout
from grouplock.client.groups import any_of
from grouplock.client.guard import guard
from grouplock.client.locks import Hold, Lock
from grouplock.client.sugar import only_me

BUSY: Final = 1
LOST: Final = 75  # EX_TEMPFAIL: the command was ended because the hold was lost; try again
NOT_EXECUTABLE: Final = 126
NOT_FOUND: Final = 127
BY_SIGNAL: Final = 128  # and the signal's number, as a shell has it
MARGIN: Final = 0.25  # of what is left of the lease, for the kernel to end what is killed
MOST_MARGIN_S: Final = 0.5

FORWARDED: Final = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)
OF_THE_TERMINAL: Final = (signal.SIGINT, signal.SIGQUIT)


def lock(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The lock.")],
    command: Annotated[list[str], typer.Argument(metavar="-- CMD...", help="What to run.")],
    group: Annotated[
        list[str] | None,
        typer.Option("-g", "--group", help="To be in; several: any of them. Without: alone."),
    ] = None,
    slots: Annotated[
        int | None, typer.Option("--slots", min=1, help="Groups that may be inside at once.")
    ] = None,
    at_once: Annotated[
        bool, typer.Option("-n", "--nonblock", help="Give up where it is not free at once.")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option("-w", "--timeout", min=0.0, metavar="SECS", help="Give up after so long."),
    ] = None,
    code: Annotated[
        int, typer.Option("-E", "--conflict-exit-code", min=0, max=255, help="When giving up.")
    ] = BUSY,
    cluster: Cluster = HERE,
) -> int:
    """Run a command while holding a lock; its exit status is ours.

    It finds GROUPLOCK_LOCK, GROUPLOCK_GROUP, GROUPLOCK_SLOT and GROUPLOCK_FENCE in its environment.
    """
    if at_once and seconds is not None:
        usage("-n gives up at once and -w after a while; take one of them")
    if command[0] == "--":
        command = command[1:]
    if not command:
        usage("say what to run: grouplock lock NAME -- CMD...")
    return run(
        locked(cluster, name, group or [], slots, 0.0 if at_once else seconds, code, command)
    )


async def locked(
    where: str,
    name: str,
    groups: list[str],
    slots: int | None,
    timeout: float | None,
    code: int,
    command: list[str],
) -> int:
    loop = asyncio.get_running_loop()
    me = asyncio.current_task()
    assert me is not None
    ended_by: list[int] = []

    def told_to_end(number: int) -> None:
        ended_by.append(number)
        me.cancel()

    for number in (*FORWARDED, *OF_THE_TERMINAL):
        loop.add_signal_handler(number, told_to_end, number)
    try:
        async with cluster_at(where) as at:
            wanted = any_of(*groups) if groups else any_of(only_me(at))
            guarded = at.lock(name, slots=slots)
            try:
                hold = await entered(guarded, tuple(wanted), timeout)
            except LockTimeout:
                return code
            if hold is None:
                return code
            async with hold:
                return await Guarded(at, guarded, hold, command).run()
    except asyncio.CancelledError:
        if not ended_by:
            raise
        # Nothing ran and nothing is held: we end as the signal would have ended us.
        return INTERRUPTED if ended_by[0] == signal.SIGINT else BY_SIGNAL + ended_by[0]


async def entered(lock: Lock, groups: tuple[str, ...], timeout: float | None) -> Hold | None:
    wanted = any_of(*groups)
    if timeout == 0.0:
        return await lock.try_hold(wanted, on_lost="event")
    return await lock.hold(wanted, timeout=timeout, on_lost="event")


class Guarded:
    """A command that is run for as long as its hold lasts."""

    def __init__(self, at: Remote, lock: Lock, hold: Hold, command: list[str]) -> None:
        self.at: Final = at
        self.lock: Final = lock
        self.hold: Final = hold
        self.command: Final = command
        self.process: asyncio.subprocess.Process | None = None
        self.early: Final[list[int]] = []  # signals that came before there was a process

    async def run(self) -> int:
        self.forward()
        # Kept open here as well: a command that closes what it inherited is alive all the same.
        with self.inherited() as fds:
            return await self.run_with(fds)

    async def run_with(self, fds: tuple[int, ...]) -> int:
        try:
            process = await asyncio.create_subprocess_exec(
                *self.command, env=self.environment(), pass_fds=fds
            )
        except FileNotFoundError:
            return told(FileNotFoundError(f"{self.command[0]}: no such command"), NOT_FOUND)
        except OSError as fault:
            said = f"{self.command[0]}: {fault.strerror}"
            return told(OSError(said), NOT_EXECUTABLE)
        self.process = process
        for number in self.early:
            self.pass_on(number)
        over = asyncio.ensure_future(process.wait())
        lost = asyncio.ensure_future(self.hold.lost.wait())
        try:
            await asyncio.wait((over, lost), return_when=asyncio.FIRST_COMPLETED)
            if not over.done():
                return await self.end(process, over)
        finally:
            lost.cancel()
        status = await over
        return status if status >= 0 else BY_SIGNAL - status

    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "GROUPLOCK_LOCK": self.lock.name,
            "GROUPLOCK_GROUP": self.hold.group,
            "GROUPLOCK_SLOT": str(self.hold.slot),
            "GROUPLOCK_FENCE": str(self.hold.fence),
        }

    @contextlib.contextmanager
    def inherited(self) -> Iterator[tuple[int, ...]]:
        """What the command has open so that its node knows whether it lives when we do not."""
        path = next((seed for seed in self.at.seeds if isinstance(seed, str)), None)
        if path is None:
            yield ()
            return
        keeper = self.at.keeper_of(self.lock.name)
        with guard(self.at.session, path, keeper, self.at.token) as fd:
            yield (fd,)

    def forward(self) -> None:
        """Signals are for the command.  The terminal's it has already had, as one of our group."""
        loop = asyncio.get_running_loop()
        for number in FORWARDED:
            loop.add_signal_handler(number, self.pass_on, number)
        for number in OF_THE_TERMINAL:
            if in_the_foreground():
                loop.add_signal_handler(number, lambda: None)
            else:
                loop.add_signal_handler(number, self.pass_on, number)

    def pass_on(self, number: int) -> None:
        if self.process is None:
            self.early.append(number)
        else:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                self.process.send_signal(number)

    async def end(self, process: asyncio.subprocess.Process, over: asyncio.Future[int]) -> int:
        """The hold is lost: nobody else is inside before what is left of the lease has passed."""
        left = self.hold.left
        grace = max(0.0, left - min(MOST_MARGIN_S, MARGIN * left))
        name = self.lock.name
        said = f"lock '{name}' is lost; its command gets SIGTERM, and SIGKILL in {grace:.1f} s"
        print(f"grouplock: {said}", file=sys.stderr)
        process.terminate()
        done, _ = await asyncio.wait((over,), timeout=grace)
        if not done:
            process.kill()
            await over
        return LOST


def in_the_foreground() -> bool:
    """Whether the terminal that we have sends its signals to our process group."""
    for fd in range(3):
        with contextlib.suppress(OSError):
            return os.tcgetpgrp(fd) == os.getpgrp()
    return False
