"""What a user's program sees: names, types, and an import that stays light."""

from __future__ import annotations

import subprocess
import sys

import grouplock
import grouplock.sync
from tests.rules import rules

PUBLIC = [
    "ConfigMismatch", "GroupLockError", "Hold", "Lock", "LockLost", "LockTimeout", "Mutex", "Node",
    "NotHeld", "RWLock", "Refused", "RegistryRegressed", "Semaphore", "SetupFailed", "Unavailable",
    "WouldDeadlock", "any_of", "connect", "local",
]  # fmt: skip

PROGRAM = """
import grouplock
import grouplock.sync

async def load(old: str | None, new: str) -> None: ...
async def load_slot(old: str | None, new: str, slot: int) -> None: ...

async def main() -> None:
    async with grouplock.connect("127.0.0.1:7400") as cluster:
        gpus = cluster.lock("gpus", slots=2, linger=1.5)
        reveal_type(gpus)
        async with gpus.hold("llama", timeout=30, setup=load) as hold:
            reveal_type(hold)
            reveal_type(hold.group)
            reveal_type(hold.fence)
            reveal_type(hold.lost)
        async with gpus.hold(grouplock.any_of("a", "b"), setup=load_slot, on_lost="event"):
            pass
        reveal_type(await gpus.try_hold("x"))
        async with cluster.hold_all({"a": "x"}) as holds:
            reveal_type(holds)
        gpus.hold(7)
        gpus.hold("a", on_lost="never")
    async with grouplock.Node(listen="127.0.0.1:0") as node, grouplock.Mutex(node, "m").hold():
        reveal_type(node.lock("x"))

with grouplock.sync.local() as plain:
    reveal_type(plain.lock("x", slots=2).try_hold("a"))
    plain.lock("x", slot=2)
"""

REVEALED = [
    "grouplock.client.locks.Lock",
    "grouplock.client.locks.Hold",
    "str",
    "int",
    "asyncio.locks.Event",
    "grouplock.client.locks.Hold | None",
    "dict[str, grouplock.client.locks.Hold]",
    "grouplock.client.locks.Lock",
    "grouplock.sync.Hold | None",
]


def test_the_names_are_these_and_the_same_without_a_loop() -> None:
    assert [name for name in sorted(grouplock.__all__) if name != "__version__"] == PUBLIC
    without = {*grouplock.sync.__all__, "Cluster"}
    assert sorted(without - {"Cluster"}) == PUBLIC
    assert all(hasattr(grouplock, name) for name in PUBLIC)
    assert set(PUBLIC) <= set(dir(grouplock))


def test_what_users_type_checker_sees() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "-c", PROGRAM],
        capture_output=True,
        text=True,
        timeout=110,
        cwd=rules.ROOT,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [x.split('"')[1] for x in lines if "Revealed type" in x] == REVEALED, done.stdout
    errors = [line for line in lines if ": error:" in line]
    assert len(errors) == 3, done.stdout
    assert 'incompatible type "int"' in errors[0]
    assert 'incompatible type "Literal[' in errors[1] or "never" in errors[1]
    assert 'Unexpected keyword argument "slot"' in errors[2]


def test_who_studies_algorithms_does_not_import_the_client() -> None:
    said = "import sys, grouplock, grouplock.catalog; print('grouplock.client' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", said], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "False\n"


def test_each_error_says_whether_it_happened() -> None:
    assert issubclass(grouplock.LockTimeout, TimeoutError)
    assert issubclass(grouplock.Unavailable, ConnectionError)
    assert grouplock.LockTimeout.happened is False
    assert grouplock.LockLost.happened is True
    named = [getattr(grouplock, name) for name in PUBLIC]
    errors = [e for e in named if isinstance(e, type) and issubclass(e, Exception)]
    assert all(issubclass(e, grouplock.GroupLockError) for e in errors)
    assert len(errors) == 10
