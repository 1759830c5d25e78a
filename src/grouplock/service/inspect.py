"""What an operator sees of a lock: plain values, by the names that `--json` prints."""

from __future__ import annotations

from typing import Any

from grouplock.service.keeper import FENCE_BITS, Keeper
from grouplock.service.table import PHASES, WAITING, Lock, Request


def look(keeper: Keeper, lock: Lock, node: int, now: float) -> dict[str, Any]:
    """Ages are in seconds; a fence is a string, as programs in JSON round large numbers."""
    sessions: dict[int, dict[str, Any]] = {}
    queue: list[dict[str, Any]] = []
    for request in lock.requests.values():
        if request.phase == WAITING:
            queue.append(
                {**_who(request), "groups": list(request.groups), "age": _age(request, now)}
            )
        elif request.session:
            session = sessions.setdefault(
                request.session,
                {
                    "slot": request.slot,
                    "group": request.groups[request.place],
                    "fence": str(keeper.epoch << FENCE_BITS | request.session),
                    "holders": [],
                },
            )
            holder = {**_who(request), "phase": PHASES[request.phase], "age": _age(request, now)}
            session["holders"].append(holder)
    return {
        "lock": lock.name,
        "node": node,
        "settings": lock.settled._asdict(),
        "sessions": list(sessions.values()),
        "queue": queue,
        "switches": lock.switches,
    }


def _who(request: Request) -> dict[str, Any]:
    return {"hold": str(request.rid), "client": request.client.number}


def _age(request: Request, now: float) -> float:
    return round(now - request.since, 3)
