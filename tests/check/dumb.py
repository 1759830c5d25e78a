"""Another explorer, as plain as can be: a dictionary of saved states and no cleverness.

It shares no code with the checker beyond the algorithms themselves, and knows requests, exits,
withdrawals and messages in order or in any order.
"""

from __future__ import annotations

import itertools
from collections import deque
from typing import Any

from grouplock.protocol.effects import GRANTED, SEND, WITHDRAWN, Effects
from grouplock.protocol.system import System

# A state: the saved sites; for each site how many requests it made and its open ones as
# (rid, "waiting", groups), (rid, "inside", group) or (rid, "withdrawing", None); the messages
# under way, oldest first.
State = tuple[tuple[Any, ...], tuple[Any, ...], tuple[Any, ...]]


def explore(
    system: System, groups: int, requests: int, sets: int = 1, withdraw: bool = False
) -> tuple[int, int, bool]:
    """States, transitions, and whether two groups were ever inside together."""
    start: State = (
        tuple(site.save() for site in system.sites()),
        tuple((0, ()) for _ in range(system.n)),
        (),
    )
    in_order = system.channel.fifo
    seen = {key(start, in_order): start}
    todo = deque([start])
    transitions = 0
    mixed = False
    while todo:
        state = todo.popleft()
        inside = {call[2] for _, calls in state[1] for call in calls if call[1] == "inside"}
        mixed = mixed or len(inside) > 1
        nexts = {}
        for do in moves(system, state, groups, requests, sets, withdraw):
            nexts[do] = step(system, state, do)
        transitions += len(nexts)
        for fresh in nexts.values():
            if key(fresh, in_order) not in seen:
                seen[key(fresh, in_order)] = fresh
                todo.append(fresh)
    return len(seen), transitions, mixed


def key(state: State, in_order: bool) -> Any:
    """Which message was sent first matters within one channel, and only if it keeps order."""
    sites, clients, mail = state
    mail = tuple(sorted(mail, key=lambda m: m[:2] if in_order else repr(m)))
    return sites, clients, mail


def moves(
    system: System, state: State, groups: int, requests: int, sets: int, withdraw: bool
) -> set[tuple[Any, ...]]:
    _, clients, mail = state
    found: set[tuple[Any, ...]] = set()
    for message in mail:
        src, dst, _ = message[:3]
        if system.channel.fifo:
            message = next(m for m in mail if m[:2] == (src, dst))
        found.add(("deliver", *message))
    for site, (made, calls) in enumerate(clients):
        if made < requests and not calls:
            for choice in itertools.combinations(range(groups), sets):
                found.add(("request", site, (site << 32) + made + 1, choice))
        for rid, phase, _ in calls:
            if phase == "inside":
                found.add(("release", site, rid))
            if withdraw and phase != "withdrawing":
                found.add(("withdraw", site, rid))
    return found


def step(system: System, state: State, do: tuple[Any, ...]) -> State:
    saved, clients, mail = state
    me = do[2] if do[0] == "deliver" else do[1]
    site = system.make(me)
    site.load(saved[me])
    out = Effects()
    made, calls = clients[me]
    open_calls = {call[0]: call for call in calls}
    left = list(mail)
    if do[0] == "deliver":
        left.remove(do[1:])
        site.on_message(do[1], system.messages.unpack(do[3], system.n), out)
    elif do[0] == "request":
        made += 1
        open_calls[do[2]] = (do[2], "waiting", do[3])
        site.request(do[2], do[3], out)
    elif do[0] == "release":
        del open_calls[do[2]]
        site.release(do[2], out)
    else:
        open_calls[do[2]] = (do[2], "withdrawing", None)
        site.withdraw(do[2], out)
    effects = out.take()
    while effects:
        effect = effects.pop(0)
        if effect[0] == SEND and effect[1] == me:
            site.on_message(me, effect[2], out)
            effects += out.take()
        elif effect[0] == SEND:
            left.append((me, effect[1], system.messages.pack(effect[2])))
        elif effect[0] == GRANTED:
            open_calls[effect[1]] = (effect[1], "inside", effect[2])
        elif effect[0] == WITHDRAWN:
            del open_calls[effect[1]]
    sites = (*saved[:me], site.save(), *saved[me + 1 :])
    fresh = (*clients[:me], (made, tuple(open_calls.values())), *clients[me + 1 :])
    return sites, fresh, tuple(left)
