"""A test bench: whoever needs the firmware that is on it may use it together.

To install one takes long.  The group is the version; `grouplock.sync` as the jobs are threads.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Final

import grouplock.sync

INSTALL_S: Final = 0.1
TEST_S: Final = 0.02


class Bench:
    """The thing itself, which knows nothing of locks."""

    def __init__(self) -> None:
        self.firmware = "v0"
        self.running = 0
        self.installed: list[str] = []
        self.guard = threading.Lock()

    def install(self, version: str) -> None:
        assert self.running == 0, "somebody is testing"
        time.sleep(INSTALL_S)
        self.firmware = version
        self.installed.append(version)

    def test(self, version: str) -> None:
        with self.guard:
            self.running += 1
        assert self.firmware == version
        time.sleep(TEST_S)
        assert self.firmware == version
        with self.guard:
            self.running -= 1


def job(lock: grouplock.sync.Lock, bench: Bench, version: str) -> None:
    def install(old: str | None, new: str) -> None:
        bench.install(new)

    with lock.hold(version, timeout=60, setup=install):
        bench.test(version)


def main(address: str | None) -> None:
    cluster = grouplock.sync.connect(address) if address else grouplock.sync.local()
    bench = Bench()
    began = time.monotonic()
    with cluster:
        lock = cluster.lock("bench")
        versions = ["v1.2.3", "v1.2.4"] * 6
        jobs = [threading.Thread(target=job, args=(lock, bench, version)) for version in versions]
        for thread in jobs:
            thread.start()
        for thread in jobs:
            thread.join()
    took = time.monotonic() - began
    one_by_one = len(jobs) * (INSTALL_S + TEST_S)
    print(f"{len(jobs)} jobs, {len(bench.installed)} installations: {' '.join(bench.installed)}")
    print(f"{took:.2f} s; one after the other {one_by_one:.2f} s")
    assert bench.running == 0
    assert len(bench.installed) < len(jobs)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
