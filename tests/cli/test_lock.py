"""`grouplock lock` and its sisters, as somebody uses them in a terminal and in a script."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from grouplock.cli.cluster import UNAVAILABLE
from grouplock.cli.errors import BAD_USAGE
from grouplock.cli.lock import BUSY, LOST, NOT_EXECUTABLE, NOT_FOUND
from grouplock.cli.locks import NOTHING
from tests.net.processes import grouplock, ran

LEASE_S = 1.0
LONG = "20"  # seconds that nobody waits in these tests, unless one fails

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("node")
    arguments = ("--listen", "127.0.0.1:0", "--unix", str(folder / "s"))
    told = ("--data", str(folder / "data"), "--lease", str(LEASE_S))
    with subprocess.Popen(
        grouplock("serve", *arguments, *told), stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert "serving" in process.stdout.readline()
        yield f"unix:{folder / 's'}"
        process.terminate()
        assert process.wait() == 0


class Held:
    """`grouplock lock` round a command that says so and stays until its input ends."""

    def __init__(self, node: str, *arguments: str, script: str = "echo in; cat") -> None:
        self.process = subprocess.Popen(
            grouplock("lock", "--cluster", node, *arguments, "--", "sh", "-c", script),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "in\n"

    def __enter__(self) -> Held:
        return self

    def __exit__(self, *_: object) -> None:
        self.let_go()

    def close(self) -> None:
        """Its input ends, and nobody listens any more."""
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            pipe.close()

    def let_go(self) -> tuple[int, str]:
        """The status of the wrapper and what it had to say."""
        said = self.process.communicate()[1]
        return self.process.returncode, said


@pytest.fixture
def lock(node: str) -> Command:
    return lambda *arguments: ran("lock", "--cluster", node, *arguments)


def seen(node: str, name: str) -> Any:
    return json.loads(ran("show", name, "--cluster", node, "--json").stdout)


def test_the_command_runs_with_what_it_holds_and_its_status_is_ours(lock: Command) -> None:
    script = 'echo "$GROUPLOCK_LOCK $GROUPLOCK_GROUP $GROUPLOCK_SLOT $GROUPLOCK_FENCE"; exit 7'
    done = lock("-g", "llama", "--slots", "2", "gpus", "--", "sh", "-c", script)
    assert done.returncode == 7
    assert re.fullmatch(r"gpus llama [01] \d+\n", done.stdout)
    assert done.stderr == ""


def test_no_shell_and_standard_input_is_passed_on(node: str) -> None:
    done = subprocess.run(
        grouplock("lock", "--cluster", node, "plain", "cat", "-"),
        input="$HOME; `id`\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "$HOME; `id`\n"


@pytest.mark.parametrize(
    ("command", "status"), [("/nowhere/nothing", NOT_FOUND), ("/etc/passwd", NOT_EXECUTABLE)]
)
def test_a_command_that_cannot_run(lock: Command, node: str, command: str, status: int) -> None:
    done = lock("never", "--", command)
    assert done.returncode == status
    assert done.stderr.startswith(f"grouplock: {command}: ")
    assert seen(node, "never")["sessions"] == []


def test_a_command_that_a_signal_ends(lock: Command) -> None:
    assert lock("dies", "--", "sh", "-c", "kill -9 $$").returncode == 128 + signal.SIGKILL


def test_giving_up_at_once_or_after_a_while_and_joining(node: str, lock: Command) -> None:
    with Held(node, "-g", "v1", "bench"):
        assert lock("-n", "-g", "v2", "bench", "--", "true").returncode == BUSY
        assert lock("-n", "-E", "9", "bench", "--", "true").returncode == 9
        assert lock("-w", "0.05", "-g", "v2", "bench", "--", "true").returncode == BUSY
        assert lock("-n", "-g", "v1", "bench", "--", "echo", "joined").stdout == "joined\n"
        done = lock("-n", "-g", "v2", "-g", "v1", "bench", "--", "printenv", "GROUPLOCK_GROUP")
        assert done.stdout == "v1\n"
    assert lock("-w", LONG, "-g", "v2", "bench", "--", "true").returncode == 0


def test_signals_are_for_the_command(node: str) -> None:
    script = "trap 'echo told; exit 3' TERM; exec 3<&0; echo in; cat <&3 & wait"
    held = Held(node, "signals", script=script)
    held.process.send_signal(signal.SIGTERM)
    said, _ = held.process.communicate()
    assert (held.process.returncode, said) == (3, "told\n")


def test_a_signal_while_it_waits_withdraws_the_request(node: str) -> None:
    with Held(node, "-g", "a", "queue"):
        waiting = subprocess.Popen(grouplock("lock", "--cluster", node, "queue", "true"))
        while not seen(node, "queue")["queue"]:
            assert waiting.poll() is None
        waiting.send_signal(signal.SIGTERM)
        assert waiting.wait() == 128 + signal.SIGTERM
        assert seen(node, "queue")["queue"] == []


def test_killing_the_wrapper_frees_nothing_before_its_command_ends(
    node: str, lock: Command
) -> None:
    held = Held(node, "-g", "a", "orphan")
    held.process.kill()
    assert held.process.wait() == -signal.SIGKILL
    # For longer than a lease nobody else gets in, as the command still runs; then at once.
    waits = str(2.5 * LEASE_S)
    assert lock("-w", waits, "-g", "b", "orphan", "--", "true").returncode == BUSY
    held.close()
    assert lock("-w", LONG, "-g", "b", "orphan", "--", "true").returncode == 0


def test_a_command_that_closes_what_it_inherited_keeps_its_lock(node: str, lock: Command) -> None:
    script = "import os; os.closerange(3, 1024); print('in', flush=True); os.read(0, 1)"
    with Held(node, "-g", "a", "closed", script=f'exec {sys.executable} -c "{script}"'):
        for _ in range(3):
            assert lock("-n", "-g", "b", "closed", "--", "true").returncode == BUSY
    assert lock("-w", LONG, "-g", "b", "closed", "--", "true").returncode == 0


def test_an_operator_ends_a_hold(node: str, lock: Command) -> None:
    held = Held(node, "-g", "a", "forced")
    number = seen(node, "forced")["sessions"][0]["holders"][0]["hold"]
    assert ran("release", "forced", number, "--cluster", node).returncode == BAD_USAGE
    assert ran("release", "forced", "7", "--force", "--cluster", node).returncode == NOTHING
    assert ran("release", "forced", number, "--force", "--cluster", node).returncode == 0
    status, said = held.let_go()
    assert status == LOST
    assert "lock 'forced' is lost; its command gets SIGTERM" in said
    assert lock("-w", LONG, "-g", "b", "forced", "--", "true").returncode == 0


def test_a_command_that_ignores_its_loss_is_killed(node: str) -> None:
    held = Held(node, "-g", "a", "stubborn", script="trap '' TERM; echo in; cat")
    number = seen(node, "stubborn")["sessions"][0]["holders"][0]["hold"]
    ran("release", "stubborn", number, "--force", "--now", "--cluster", node)
    assert held.process.wait() == LOST
    held.close()


def test_what_is_in_use_is_listed(node: str) -> None:
    with Held(node, "-g", "b", "listed"):
        shown = ran("ls", "--cluster", node)
        assert re.search(r"^listed +1 +b +1 +0 +- +\d+ +0", shown.stdout, re.MULTILINE)
        rows = json.loads(ran("ls", "--cluster", node, "--json").stdout)
        assert [row["lock"] for row in rows] == ["listed"]
        assert isinstance(rows[0]["sessions"][0]["fence"], str)
        page = ran("show", "listed", "--cluster", node).stdout
        assert "held" in page
        lines = ran("watch", "--times", "2", "--every", "0.1", "--cluster", node, "--json")
        assert len(lines.stdout.splitlines()) == 2
        assert "listed" in ran("watch", "listed", "--times", "1", "--cluster", node).stdout
    assert ran("show", "nobody-asked", "--cluster", node).returncode == NOTHING


@pytest.mark.parametrize("command", ["ls", "show x", "watch", "release x 1 --force", "lock x true"])
def test_without_a_node_it_is_one_line(command: str, tmp_path: Path) -> None:
    name, *rest = command.split()
    done = ran(name, "--cluster", f"unix:{tmp_path / 'none'}", *rest)
    assert done.returncode == UNAVAILABLE
    assert re.fullmatch(r"grouplock: no node of the cluster answers .*\n", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["lock", "x"], "Missing argument"),
        (["lock", "x", "--"], "say what to run"),
        (["lock", "-n", "-w", "3", "x", "true"], "take one of them"),
        (["lock", "--slots", "0", "x", "true"], "--slots"),
        (["lock", "--cluster", "nowhere:x", "x", "true"], "is no address"),
        (["release", "x", "seven", "--force"], "is no hold"),
    ],
)
def test_wrong_use_is_one_line(arguments: list[str], said: str) -> None:
    done = ran(*arguments)
    assert done.returncode == BAD_USAGE
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1
