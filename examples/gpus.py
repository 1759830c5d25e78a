"""Two GPUs and three models: loading is what costs.

A request names its model as the group.  The lock has two slots, so two models are loaded at once;
the first request of a model loads it, and the others of that model use it together.
"""

from __future__ import annotations

import asyncio
import sys
from typing import Final

import grouplock

LOAD_S: Final = 0.05
ANSWER_S: Final = 0.01
GPUS: Final = ["empty", "empty"]
loads: list[str] = []


async def answer(gpus: grouplock.Lock, model: str) -> None:
    async def load(old: str | None, new: str, slot: int) -> None:
        loads.append(f"{new} in place of {old or 'whatever was there'} on GPU {slot}")
        await asyncio.sleep(LOAD_S)
        GPUS[slot] = new

    async with gpus.hold(model, timeout=30, setup=load) as hold:
        assert GPUS[hold.slot] == model, "nobody swaps a model that is in use"
        await asyncio.sleep(ANSWER_S)
        assert GPUS[hold.slot] == model


async def main(address: str | None) -> None:
    cluster = grouplock.connect(address) if address else grouplock.local()
    async with cluster:
        gpus = cluster.lock("gpus", slots=2)
        wanted = ["llama", "qwen", "phi"] * 8
        await asyncio.gather(*[answer(gpus, model) for model in wanted])
    print(*loads, sep="\n")
    print(f"{len(wanted)} requests for 3 models on 2 GPUs: {len(loads)} loads")
    assert len(loads) < len(wanted) / 3, loads


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None))
