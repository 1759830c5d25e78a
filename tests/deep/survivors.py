"""Mutants that the judges let live: most do the same, each with the reason; others a test notices."""
# ruff: noqa: E501  the names are what they are

from __future__ import annotations

from typing import Final

RID: Final = "who is idle has no request; its number is not read before the next one sets it"
GROUP: Final = "who is idle has no group; it is not read before the next request sets it"
STAMP: Final = "who is idle has no stamp; it is not read before the next request sets it"
STEPS: Final = "stamps are compared with each other alone; that they grow is enough"
NOT_VIRTUAL: Final = "toyomura has no virtual nodes; this line is maekawa-m's"
NO_NODE: Final = "an empty node is as good as none; it only takes room"
RESET: Final = "self.phase, self.rid, self.group = (IDLE, 0, 0)"
RESET_STAMP: Final = "self.phase, self.rid, self.group, self.stamp = (IDLE, 0, 0, 0)"

# algorithm -> "function: operator: text" -> why it makes no difference
EQUIVALENT: Final[dict[str, dict[str, str]]] = {
    "lamport": {
        f"release: 1 for 0: {RESET}": RID,
        f"release: 1 for 0: {RESET} (2)": GROUP,
    },
    "raymond": {
        f"release: 1 for 0: {RESET}": RID,
        f"release: forget self.rid: {RESET}": RID,
        "request: forget self.phase: self.phase, self.rid, self.group = (WAITING, rid, only(groups))": "only being inside is told from the rest; that we wait stands in the queue",
    },
    "ricart-agrawala": {
        f"release: 1 for 0: {RESET_STAMP}": RID,
        f"release: forget self.rid: {RESET_STAMP}": RID,
        "request: 2 for 1: self.clock += 1": STEPS,
    },
    "ra1": {
        f"release: 1 for 0: {RESET_STAMP}": RID,
        f"release: forget self.rid: {RESET_STAMP}": RID,
        "request: 2 for 1: self.clock += 1": STEPS,
    },
    "singhal-dynamic": {
        f"release: 1 for 0: {RESET_STAMP} (3)": STAMP,
        f"release: forget self.rid: {RESET_STAMP}": RID,
        "request: 2 for 1: self.clock += 1": STEPS,
    },
    "singhal-heuristic": {
        f"release: 1 for 0: {RESET}": RID,
        "request: 2 for 1: self.numbers[self.me] += 1": "numbers of requests are compared with each other alone; that they grow is enough",
    },
    "suzuki-kasami": {
        f"release: 1 for 0: {RESET}": RID,
    },
    "central": {
        "place_for: 2 for 1: free = -1": "any number below nought says that none is free",
    },
    "ra2": {
        "request: 2 for 1: self.clock += 1": STEPS,
        "on_message: drop 'self.phase == WAITING': self.phase == WAITING and msg.number == self.mine()": "who does not wait misses nobody's answer, so there is none to strike off",
    },
    "token-gme": {
        "on_message: always: self.numbers is not None (3)": "the kinds of messages that are left are of bounded numbers alone",
        "may_lend: drop 'self.once': self.once and site in self.lent": "the list of those who were lent to is kept with secondary=once alone",
    },
    "manabe-park": {
        "release: forget self.rid: self.phase, self.rid, self.wanted, self.stamp = (IDLE, 0, NO_GROUPS, 0)": RID,
        "on_cancelled: drop 'self.holder == who': self.status == RECALLED and self.holder == who": "each Cancel is answered once, in order, and the next is sent after the answer",
    },
    "toyomura": {
        "older: swap a comparison: self.site < other.site": "no node has two claims of one site",
        "members: never: self.virtual == SHARED": NOT_VIRTUAL,
        "members: drop a call: found.append((host, list(nodes)))": NOT_VIRTUAL,
        "settle: never: not node.holders": NO_NODE,
        "call_back: always: len(node.holders) >= self.limit and first.older(youngest)": "a host has a lock for every site, so one of the open group never waits in its queue",
    },
    "maekawa-m": {
        "older: swap a comparison: self.site < other.site": "no node has two claims of one site",
        "members: 1 for 0: turn = self.rid if self.turns else 0": "maekawa-m takes turns; the other branch is toyomura's",
        "settle: never: not node.holders": NO_NODE,
    },
    "maekawa": {
        "request: 2 for 1: self.clock += 1": STEPS,
        "release: 1 for 0: self.phase, self.rid, self.group, self.current = (IDLE, 0, 0, 0) (2)": GROUP,
    },
    "maekawa-s": {
        f"release: forget self.rid: {RESET}": RID,
    },
}

# algorithm -> "function: operator: text" -> the ordinary test that fails
NOTICED: Final[dict[str, dict[str, str]]] = {
    "manabe-park": {
        "hear_of: skip an update: self.others[at] = waiter": "tests/algorithms/test_manabe_park.py::test_the_newest_request_of_a_waiter_counts",
    },
}


def reason(algorithm: str, mutant: str) -> str:
    return EQUIVALENT.get(algorithm, {}).get(mutant, "")


def test_of(algorithm: str, mutant: str) -> str:
    return NOTICED.get(algorithm, {}).get(mutant, "")
