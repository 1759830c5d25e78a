"""grouplock: a distributed group lock, and the reference for the algorithms behind it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from grouplock._build import prefer_sources_if_asked

__version__ = "0.1.0"

prefer_sources_if_asked()

# What applications use, and where it is: imported when it is first asked for, as somebody who
# studies the algorithms needs none of it.
_PUBLIC = {
    "connect": "cluster",
    "Node": "node",
    "local": "node",
    "any_of": "groups",
    "Lock": "locks",
    "Hold": "locks",
    "Mutex": "sugar",
    "RWLock": "sugar",
    "Semaphore": "sugar",
    "GroupLockError": "errors",
    "LockTimeout": "errors",
    "LockLost": "errors",
    "NotHeld": "errors",
    "WouldDeadlock": "errors",
    "ConfigMismatch": "errors",
    "Refused": "errors",
    "SetupFailed": "errors",
    "Unavailable": "errors",
    "RegistryRegressed": "errors",
}

if TYPE_CHECKING:
    from grouplock.client.cluster import connect as connect
    from grouplock.client.errors import ConfigMismatch as ConfigMismatch
    from grouplock.client.errors import GroupLockError as GroupLockError
    from grouplock.client.errors import LockLost as LockLost
    from grouplock.client.errors import LockTimeout as LockTimeout
    from grouplock.client.errors import NotHeld as NotHeld
    from grouplock.client.errors import Refused as Refused
    from grouplock.client.errors import RegistryRegressed as RegistryRegressed
    from grouplock.client.errors import SetupFailed as SetupFailed
    from grouplock.client.errors import Unavailable as Unavailable
    from grouplock.client.errors import WouldDeadlock as WouldDeadlock
    from grouplock.client.groups import any_of as any_of
    from grouplock.client.locks import Hold as Hold
    from grouplock.client.locks import Lock as Lock
    from grouplock.client.node import Node as Node
    from grouplock.client.node import local as local
    from grouplock.client.sugar import Mutex as Mutex
    from grouplock.client.sugar import RWLock as RWLock
    from grouplock.client.sugar import Semaphore as Semaphore

__all__ = ["__version__", *_PUBLIC]


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'grouplock' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"grouplock.client.{_PUBLIC[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
