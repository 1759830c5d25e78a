"""The real servers: installed where missing, started on free ports in temporary folders, stopped.

Each is started in a session of its own, so that a ctrl-C reaches this program alone, and it is this
program that stops them, by process id; the kernel does so should this program be killed.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final, NamedTuple

PACKAGES: Final = {
    "redis": ("redis-server",),
    "etcd": ("etcd-server",),
    "zookeeper": ("zookeeper",),
    "postgresql": ("postgresql",),
}
SECRET: Final = "of a benchmark"
PATIENCE_S: Final = 60.0
SET_DEATH_SIGNAL: Final = 1  # of prctl
_libc = ctypes.CDLL(None)


class ServerFailed(Exception):
    pass


class Server(NamedTuple):
    where: str  # what adapters are told: ports, and more where they ask for it
    folder: Path
    pids: list[int]  # whose CPU is counted, with their children


def die_with_parent() -> None:
    _libc.prctl(SET_DEATH_SIGNAL, signal.SIGTERM)


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


def present(server: str) -> bool:
    if server == "zookeeper":
        return ZOOKEEPER_JAR.exists() and shutil.which("java") is not None
    if server == "postgresql":
        return postgresql_bin() is not None
    return shutil.which({"redis": "redis-server", "etcd": "etcd"}[server]) is not None


def install(servers: list[str]) -> None:
    """From Debian's packages.  What they start by themselves on their usual ports is left alone."""
    missing = [one for one in servers if one in PACKAGES and not present(one)]
    if not missing:
        return
    packages = [package for one in missing for package in PACKAGES[one]]
    apt = shutil.which("apt-get")
    if apt is None:
        raise ServerFailed(
            f"{', '.join(missing)} is not installed, and there is no apt-get to install it with;"
            " install it, or leave it out with --without"
        )
    command = [apt, "install", "-y", "--no-install-recommends", *packages]
    print(f"installing {' '.join(packages)}", file=sys.stderr)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ServerFailed(f"{' '.join(command)} failed: {last} (root's rights may be missing)")


@contextmanager
def running(server: str) -> Iterator[Server]:
    """The server, ready, in a temporary folder that is gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix=f"bench-{server}-"))
    started: list[subprocess.Popen[bytes]] = []

    def start(*command: str, user: str | None = None) -> None:
        with (folder / "log").open("ab") as log:
            started.append(
                subprocess.Popen(
                    command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                    user=user, group=user, start_new_session=True, preexec_fn=die_with_parent,
                )
            )  # fmt: skip

    try:
        ports = STARTERS[server](folder, start)
        for port in ports[len(ports) - len(started) :]:
            _await_port(server, port, folder, started)
        where = ",".join(str(port) for port in ports)
        yield Server(where, folder, [one.pid for one in started])
    finally:
        for one in reversed(started):
            stop(one)
        shutil.rmtree(folder, ignore_errors=True)


def stop(process: subprocess.Popen[bytes]) -> None:
    # PostgreSQL: interrupt is "now, but in good order"; the others take it as an end as well.
    process.send_signal(signal.SIGINT)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _await_port(
    server: str, port: int, folder: Path, started: list[subprocess.Popen[bytes]]
) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until:
        if any(one.poll() is not None for one in started):
            break
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            time.sleep(0.05)
    said = (folder / "log").read_text(errors="replace").strip().splitlines()[-3:]
    raise ServerFailed(f"{server} did not start on port {port}: {' / '.join(said)}")


# How each is started; the answer is its ports.

Start = Callable[..., None]


def redis(folder: Path, start: Start) -> list[int]:
    port = free_port()
    start("redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "",
          "--appendonly", "no", "--dir", str(folder))  # fmt: skip
    return [port]


def etcd(folder: Path, start: Start) -> list[int]:
    port, peer = free_port(), f"http://127.0.0.1:{free_port()}"
    mine = f"http://127.0.0.1:{port}"
    start("etcd", "--data-dir", str(folder / "data"), "--listen-client-urls", mine,
          "--advertise-client-urls", mine, "--listen-peer-urls", peer,
          "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}",
          "--log-level", "error")  # fmt: skip
    return [port]


ZOOKEEPER_JAR: Final = Path("/usr/share/java/zookeeper.jar")


def zookeeper(folder: Path, start: Start) -> list[int]:
    port = free_port()
    lines = (f"dataDir={folder}/data", f"clientPort={port}", "clientPortAddress=127.0.0.1",
             "tickTime=2000", "admin.enableServer=false", "maxClientCnxns=0")  # fmt: skip
    (folder / "zoo.cfg").write_text("\n".join(lines) + "\n")
    start("java", "-Xmx512m", "-cp", f"{folder}:{ZOOKEEPER_JAR}",
          "org.apache.zookeeper.server.ZooKeeperServerMain", str(folder / "zoo.cfg"))  # fmt: skip
    return [port]


def postgresql_bin() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    return versions[-1].parent if versions else None


def postgresql(folder: Path, start: Start) -> list[int]:
    """It refuses to run as root: then it runs as the user that the package made."""
    port, programs = free_port(), postgresql_bin()
    assert programs is not None
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user, user)
    data = str(folder / "data")
    made = subprocess.run(
        [programs / "initdb", "-D", data, "-A", "trust", "-U", "postgres", "--no-sync"],
        user=user, group=user, cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if made.returncode:
        raise ServerFailed(f"initdb failed: {made.stderr.strip()}")
    start(str(programs / "postgres"), "-D", data, "-p", str(port), "-k", str(folder),
          "-c", "listen_addresses=127.0.0.1", user=user)  # fmt: skip
    return [port]


def plain(folder: Path, start: Start) -> list[int]:
    port = free_port()
    start(sys.executable, str(Path(__file__).parent / "plain.py"), str(port))
    return [port]


def node(folder: Path, start: Start, number: int, ports: list[int]) -> None:
    """As one would start it: `grouplock serve`, with its data on disk."""
    at = {f"node{one}": f"127.0.0.1:{port}" for one, port in enumerate(ports)}
    nodes, me = ",".join(f"{name}={address}" for name, address in at.items()), f"node{number}"
    program = str(Path(sys.executable).with_name("grouplock"))
    start(program, "serve", "--name", me, "--listen", at[me], "--nodes", nodes,
          "--secret", SECRET, "--data", str(folder / me))  # fmt: skip


def grouplock(folder: Path, start: Start) -> list[int]:
    ports = [free_port() for _ in range(3)]
    for number in range(3):
        node(folder, start, number, ports)
    return ports


def grouplock_here(folder: Path, start: Start) -> list[int]:
    """Two of three: the first is the client's."""
    ports = [free_port() for _ in range(3)]
    for number in (1, 2):
        node(folder, start, number, ports)
    return ports


STARTERS: Final = {
    "grouplock": grouplock,
    "grouplock-here": grouplock_here,
    "redis": redis,
    "etcd": etcd,
    "zookeeper": zookeeper,
    "postgresql": postgresql,
    "plain": plain,
}
