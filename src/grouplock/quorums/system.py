"""What every quorum system offers, and the ideas that make each construction short.

What may live here: the vocabulary of the library and what follows from it for every system.
A construction of its own file answers three questions, from which all the rest is derived:

- `preferred(node, turn)`: a quorum when nothing is known to be down. `turn` runs through the
  family, so a node that counts its turns spreads its load without any chance.
- `cheapest(node, turn, cost)`: a quorum whose members cost least together. Which nodes are alive,
  which grants are held, which nodes are busy and the prices of a linear programme are all costs.
- `survivors(alive)`: whether a quorum is alive, for many scenarios in one pass: bit s of
  `alive[v]` says that node v is up in scenario s. All 2^n scenarios make a truth table (exact
  availability, domination), a few thousand random ones a sample, also for families no one can
  list.

Nodes are 0..n-1; a quorum is a sorted tuple.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from enum import Enum
from itertools import islice
from math import inf

Quorum = tuple[int, ...]

LISTED = 4096  # families larger than this are picked from, not listed
GREEDY_UP_TO = 128  # nodes; the balancing below takes n picks of O(n) a pass
GREEDY_PASSES = 6


class QuorumError(ValueError):
    """The system asked for does not exist; the message is one line that says which ones do."""


class Family(Enum):
    """What the quorums of one family promise each other."""

    COTERIE = "every two meet"
    K_COTERIE = "at most k are pairwise disjoint, and fewer can always be extended"
    BICOTERIE = "every write quorum meets every read quorum; two writes need not meet"
    PART = "nothing by itself: it serves in a larger system, or meets the quorums of another"


class QuorumSystem(ABC):
    def __init__(
        self,
        kind: str,
        n: int,
        k: int = 1,
        *,
        family: Family = Family.COTERIE,
        reads: QuorumSystem | None = None,
    ) -> None:
        self.kind = kind
        self.n = at_least_one_node(n)
        self.k = k
        self.family = family
        self.reads = reads  # each of its quorums meets every quorum of this system

    @abstractmethod
    def preferred(self, node: int, turn: int) -> Quorum: ...

    @abstractmethod
    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        """A quorum of least total cost, None when each has a member of infinite cost.
        Costs may be negative. Equal ones are told apart by `node` and `turn`."""

    @abstractmethod
    def survivors(self, alive: Sequence[int]) -> int: ...

    @abstractmethod
    def each(self) -> Iterator[Quorum]:
        """Every quorum once, one at a time."""

    @abstractmethod
    def count(self) -> int:
        """How many quorums `each` would yield."""

    @abstractmethod
    def sizes(self) -> tuple[int, int]:
        """The smallest and the largest quorum, from a formula."""

    def load(self) -> float | None:
        """The load by a formula; None where only the linear programme knows it."""
        return None

    def resilience(self) -> int | None:
        """How many arbitrary nodes may fail, by a formula; None where it must be searched."""
        return None

    def degree(self) -> int | None:
        """How many quorums can be pairwise disjoint; None where it must be searched."""
        match self.family:
            case Family.COTERIE:
                return 1
            case Family.K_COTERIE:
                return self.k
            case _:
                return None

    def pick(
        self,
        node: int,
        turn: int = 0,
        alive: Collection[int] | None = None,
        held: Collection[int] = (),
    ) -> Quorum | None:
        """A quorum of living nodes with as few members as possible that are not held yet;
        None when no quorum is alive. `alive=None` means everybody."""
        if not held:
            quorum = self.preferred(node, turn)
            if alive is None or all([v in alive for v in quorum]):
                return quorum
        fresh = 1.0 if held else 0.0  # with nothing held the turn decides, not the size
        cost = [fresh] * self.n
        for v in held:
            cost[v] = 0.0
        if alive is not None:
            living = set(alive)
            cost = [c if v in living else inf for v, c in enumerate(cost)]
        return self.cheapest(node, turn, cost)

    def quorums(self, limit: int = LISTED) -> list[Quorum] | None:
        """All quorums, or None where they are more than `limit`."""
        return None if self.count() > limit else list(islice(self.each(), limit))

    def own_inside(self, node: int) -> Quorum:
        """A preferred quorum with `node` in it, where the construction permits."""
        return self.preferred(node, 0)

    def assignment(self) -> list[Quorum]:
        """One fixed quorum per node: its own node inside where some quorum has it, and the
        busiest node in as few of them as the construction (or a greedy pass) finds."""
        return self._balanced([self.own_inside(v) for v in range(self.n)])

    def _balanced(self, fixed: list[Quorum]) -> list[Quorum]:
        """Nodes choose again, one after the other and as long as that helps. A member's price is
        several times that of one less used, and a node's own place is worth more than all."""
        if self.n > GREEDY_UP_TO or _is_balanced(fixed):
            return fixed
        use = membership(self.n, fixed)
        chosen, best = [*fixed], fixed
        for _ in range(GREEDY_PASSES):
            for v, quorum in enumerate(chosen):
                for member in quorum:
                    use[member] -= 1
                busiest = max(use)
                cost = [6.0 ** (u - busiest) for u in use]
                cost[v] = -sum(cost)
                again = self.cheapest(v, 0, cost)
                assert again is not None, "everybody is alive"
                chosen[v] = again
                for member in again:
                    use[member] += 1
            if _imbalance(chosen) >= _imbalance(best):
                break
            best = [*chosen]
        return best


def membership(n: int, assignment: Sequence[Quorum]) -> list[int]:
    """In how many of the nodes' quorums each node is: how many may send it requests."""
    use: Counter[int] = Counter()
    for quorum in assignment:
        use.update(quorum)
    return [use[v] for v in range(n)]


def _imbalance(assignment: Sequence[Quorum]) -> tuple[int, int, int]:
    use = membership(len(assignment), assignment)
    strangers = sum(v not in quorum for v, quorum in enumerate(assignment))
    return strangers, max(use), sum(use)


def _is_balanced(assignment: Sequence[Quorum]) -> bool:
    strangers, busiest, total = _imbalance(assignment)
    return strangers == 0 and busiest == -(-total // len(assignment))


def at_least_one_node(n: int) -> int:
    if n < 1:
        raise QuorumError(f"n={n}: a quorum system needs at least one node")
    return n


def nearest(wanted: int, exists: Callable[[int], bool], name: str = "n") -> str:
    """The existing sizes on either side of the one that was wanted, for an error line."""
    below = next((m for m in range(wanted - 1, 0, -1) if exists(m)), None)
    above = next((m for m in range(wanted + 1, 4 * wanted + 64) if exists(m)), None)
    return " or ".join(f"{name}={m}" for m in (below, above) if m is not None)
