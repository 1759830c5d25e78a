"""`grouplock serve` as its user sees it, and the README's program against it."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.net.processes import ran, started
from tests.rules import rules

WITHIN_S = 60.0


def listens(options: tuple[str, ...]) -> list[str]:
    return [] if "--listen" in options else ["--listen", "127.0.0.1:0"]


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A daemon on a free port, and its address."""
    daemon = started("serve", *listens(options), "--data", str(folder), *options)
    try:
        assert daemon.stdout is not None
        said = daemon.stdout.readline()
        found = re.search(r"serving on (\S+:\d+), data in", said)
        assert found, said
        yield found[1], daemon
    finally:
        if daemon.poll() is None:
            daemon.kill()
        daemon.communicate()


def test_it_serves_until_it_is_told_to_stop(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, daemon):
        daemon.send_signal(signal.SIGTERM)
        _, errors = daemon.communicate(timeout=WITHIN_S)
        assert (daemon.returncode, errors) == (0, "")


def test_the_readme_s_program_runs_against_it(tmp_path: Path) -> None:
    readme = (rules.ROOT / "README.md").read_text()
    [program] = [code for code in rules.blocks(readme, "py") if "grouplock.connect" in code]
    assert "127.0.0.1:7400" in program
    with serving(tmp_path) as (address, _):
        done = subprocess.run(
            [sys.executable, "-c", program.replace("127.0.0.1:7400", address)],
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
    assert done.stderr == ""
    said = done.stdout.splitlines()
    assert sorted(line for line in said if " on GPU " in line)[-1].startswith("qwen on GPU")
    assert [line for line in said if line.startswith("loading phi")] == [
        "loading phi in place of None"
    ]
    assert len(said) == 7


def test_ctrl_c_at_a_client_leaves_no_hold(tmp_path: Path) -> None:
    program = """
import asyncio, sys, grouplock
async def main():
    async with grouplock.connect(sys.argv[1]) as cluster:
        async with cluster.lock("x").hold("a"):
            print("inside", flush=True)
            await asyncio.sleep(3600)
asyncio.run(main())
"""
    with serving(tmp_path) as (address, _):
        client = subprocess.Popen(
            [sys.executable, "-c", program, address],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert client.stdout is not None
        assert client.stdout.readline() == "inside\n"
        client.send_signal(signal.SIGINT)
        client.communicate(timeout=WITHIN_S)
        look = f"""
import grouplock.sync
with grouplock.sync.connect("{address}") as cluster:
    print(cluster.lock("x").inspect()["sessions"])
    with cluster.lock("x").hold("b", timeout=0.5):
        print("free")
"""
        looked = subprocess.run(
            [sys.executable, "-c", look],
            capture_output=True,
            text=True,
            timeout=WITHIN_S,
            check=False,
        )
        assert looked.stdout == "[]\nfree\n", looked.stderr


def test_the_configuration_is_printed_and_can_be_read_again(tmp_path: Path) -> None:
    file = tmp_path / "node.toml"
    printed = ran("serve", "--print-config", "--lease", "3", "--data", str(tmp_path))
    assert printed.returncode == 0
    file.write_text(printed.stdout)
    again = ran("serve", "--print-config", "--config", str(file))
    assert again.stdout == printed.stdout
    assert "lease = 3.0" in again.stdout
    assert ran("serve", "--check", "--config", str(file)).returncode == 0


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--lease", "0.2"], "lease"),
        (["--listen", "nowhere:x"], "nowhere:x"),
        (["--algorithm", "raymond"], "raymond"),
        (["--algorithm", "no-such"], "no-such"),
        (["--nodes", "a=1.2.3.4:1,b=1.2.3.4:2"], "name"),
        (["--nodes", "a=1.2.3.4:1,b=1.2.3.4:2", "--name", "a"], "secret"),
        (["--config", "/no/such/file"], "No such file"),
        (["--nodes", "a"], "NAME=HOST:PORT"),
    ],
)
def test_wrong_use_is_one_line(options: list[str], says: str, tmp_path: Path) -> None:
    done = ran("serve", "--check", "--data", str(tmp_path / "d"), *options)
    assert done.returncode == 2, done.stdout
    assert len(done.stderr.splitlines()) == 1
    assert re.search(says, done.stderr)


def test_a_port_that_is_taken_is_one_line(tmp_path: Path) -> None:
    with serving(tmp_path / "a") as (address, _):
        done = ran("serve", "--listen", address, "--data", str(tmp_path / "b"))
        assert done.returncode == 2
        assert len(done.stderr.splitlines()) == 1
        assert address in done.stderr
        same = ran("serve", "--listen", "127.0.0.1:0", "--data", str(tmp_path / "a"))
        assert same.returncode == 2
        assert "another node uses this folder" in same.stderr
