"""Ctrl-C, and a command that is killed: one line, the right status, no process left behind."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.net.processes import WITHIN_S, Watched, children_of, grouplock

LONG = ("--n", "200", "--requests", "100000")
WORKER = "spawn_main"


def begun(*arguments: str) -> subprocess.Popen[str]:
    """In a group of its own, as a terminal's job is, and open to ctrl-C, as that is."""
    return subprocess.Popen(
        grouplock(*arguments),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )


def until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Looks again and again; the test's time limit is the failure."""
    while not holds():
        assert process.poll() is None, process.communicate()


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    return [
        pid
        for pid in children_of(process.pid)
        if WORKER in Path(f"/proc/{pid}/cmdline").read_text()
    ]


def works(process: subprocess.Popen[str]) -> bool:
    """Whether its workers are at it: a process that has loaded the kernel has begun."""
    workers = workers_of(process)
    return bool(workers) and all(
        ["_multiarray_umath" in Path(f"/proc/{pid}/maps").read_text() for pid in workers]
    )


@pytest.mark.parametrize("to_all", [True, False])
@pytest.mark.parametrize(
    "command",
    [("compare", "token-gme", "ra1", *LONG), ("sim", "token-gme", *LONG, "--runs", "3")],
)
def test_ctrl_c_ends_the_workers_too(command: tuple[str, ...], to_all: bool) -> None:
    process = begun(*command)
    until(lambda: works(process), process)
    with Watched(children_of(process.pid)) as children:
        if to_all:
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=WITHIN_S)
        assert (process.returncode, out, err) == (130, "", "grouplock: interrupted\n")
        assert children.all_end()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_whoever_started_them(number: int) -> None:
    process = begun("compare", "token-gme", "ra1", *LONG)
    until(lambda: works(process), process)
    with Watched(children_of(process.pid)) as children:
        process.send_signal(number)
        process.communicate(timeout=WITHIN_S)
        assert children.all_end()


def test_ctrl_c_in_one_long_run() -> None:
    process = begun("sim", "token-gme", *LONG, "--trace", "/dev/stdout")
    assert process.stdout is not None
    process.stdout.readline()
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=WITHIN_S)
    assert (process.returncode, err) == (130, "grouplock: interrupted\n")
