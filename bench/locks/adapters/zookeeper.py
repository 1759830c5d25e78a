"""ZooKeeper through kazoo: its Lock, and its read/write recipe with as many sides as groups.

kazoo's ReadLock and WriteLock are its Lock with a name for the side and the names of those that
exclude it; here a side is a group.  kazoo works in threads: one session for a process, a thread for
each client.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from kazoo.client import KazooClient
from kazoo.recipe.lock import Lock


class Recipe:
    def open(self, where: str, clients: Sequence[int]) -> None:
        logging.getLogger("kazoo").setLevel(logging.ERROR)  # a closed connection is no news
        self.session = KazooClient(f"127.0.0.1:{where}")
        self.session.start(timeout=30)

    def handle(self, client: int, lock: str, groups: int) -> RecipeHandle:
        self.session.ensure_path(f"/{lock}")
        if not groups:
            return RecipeHandle([Lock(self.session, f"/{lock}")])
        return RecipeHandle([side(self.session, lock, group, groups) for group in range(groups)])

    def close(self) -> None:
        self.session.stop()
        self.session.close()


def side(session: Any, lock: str, group: int, groups: int) -> Any:
    class Side(Lock):  # type: ignore[misc, unused-ignore]  # kazoo has no types
        _NODE_NAME = f"__{group}__"
        _EXCLUDE_NAMES = [f"__{other}__" for other in range(groups) if other != group]  # noqa: RUF012

    return Side(session, f"/{lock}")


class RecipeHandle:
    def __init__(self, sides: list[Any]) -> None:
        self.sides = sides
        self.held: Any = None

    def enter(self, group: int) -> None:
        held = self.sides[group] if len(self.sides) > 1 else self.sides[0]
        # An object of kazoo's may be used again; only its name for this attempt must be new.
        held.create_tried = False
        held.acquire()
        self.held = held

    def leave(self) -> None:
        self.held.release()
