"""Append against compaction, on a store that fences.

Appenders are inside together; a compaction is inside alone.  One appender is stopped for longer
than its lease and then goes on writing: it does not know, and the store refuses it, because it has
seen a higher fence in that slot.
"""

from __future__ import annotations

import asyncio
from typing import Final

import grouplock

LEASE_S: Final = 1.0


class TooOld(Exception):
    """The store has seen a higher fence in this slot."""


class Store:
    """Keeps the highest fence of each slot; that is all it has to know of the lock."""

    def __init__(self) -> None:
        self.segments: list[list[str]] = [[]]
        self.highest: dict[int, int] = {}

    def admits(self, slot: int, fence: int) -> None:
        if fence < self.highest.get(slot, 0):
            raise TooOld(f"fence {fence} in slot {slot}; {self.highest[slot]} has been here")
        self.highest[slot] = fence

    def append(self, entry: str, hold: grouplock.Hold) -> None:
        self.admits(hold.slot, hold.fence)
        self.segments[-1].append(entry)

    def compact(self, hold: grouplock.Hold) -> None:
        self.admits(hold.slot, hold.fence)
        self.segments = [[entry for segment in self.segments for entry in segment], []]


async def append(lock: grouplock.Lock, store: Store, who: int) -> None:
    for turn in range(10):
        async with lock.hold("append", timeout=30) as hold:
            store.append(f"{who}.{turn}", hold)
            await asyncio.sleep(0)


async def compact(lock: grouplock.Lock, store: Store) -> None:
    for _ in range(3):
        async with lock.hold("compact", timeout=30) as hold:
            store.compact(hold)
        await asyncio.sleep(0)


async def stopped(lock: grouplock.Lock, store: Store, node: grouplock.Node) -> str:
    """As if the machine were suspended: its hold is ended meanwhile, and it has not looked."""
    async with lock.hold("append", on_lost="event") as hold:
        store.append("in time", hold)
        for session in (await lock.inspect() or {})["sessions"]:
            for holder in session["holders"]:
                await node.force("store", int(holder["hold"]), now=True)
        await asyncio.create_task(compact(lock, store))
        try:
            store.append("much too late", hold)
        except TooOld as refused:
            return str(refused)
    return "it was let in"


async def main() -> None:
    store = Store()
    async with grouplock.Node(lease=LEASE_S) as node:
        lock = node.lock("store")
        await asyncio.gather(*[append(lock, store, who) for who in range(4)], compact(lock, store))
        entries = [entry for segment in store.segments for entry in segment]
        assert len(entries) == len(set(entries)) == 40
        print(f"{len(entries)} entries, none lost")
        said = await asyncio.create_task(stopped(lock, store, node))
        print(f"the one that was stopped: {said}")
        assert "has been here" in said
        assert "much too late" not in [e for segment in store.segments for e in segment]


if __name__ == "__main__":
    asyncio.run(main())
