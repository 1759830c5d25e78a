"""The tree coterie: a root-to-leaf path, where a missing node is replaced by both its subtrees.

What may live here: D. Agrawal and A. El Abbadi, "An efficient and fault-tolerant solution for
distributed mutual exclusion" (1991). For a node v with children l and r a quorum is
    {v} + quorum(l)   or   {v} + quorum(r)   or   quorum(l) + quorum(r),
which is two of three at every node. Sizes run from lg(n+1) to (n+1)/2. Always taking the root
is short but gives it a load of 1. The best load, 2/(h+2) at height h of a full tree, needs the
root left out in h of h+2 choices, and so on at every level; `preferred` does exactly that. Nodes
stand in heap order; for even n one node has an only child, which makes the parent redundant: it
is left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, product
from math import inf

from grouplock.quorums.bits import all_of
from grouplock.quorums.system import Quorum, QuorumSystem

GOLDEN = 0.6180339887498949  # its multiples spread most evenly over a circle


class Tree(QuorumSystem):
    def __init__(self, n: int) -> None:
        super().__init__("tree", n)
        self.loads = self._loads()

    def _children(self, v: int) -> tuple[int, ...]:
        return tuple(range(2 * v + 1, min(self.n, 2 * v + 3)))

    def _loads(self) -> list[float]:
        """The load of each subtree alone. Two of three with loads 1, l and r are used in shares
        inversely to the loads, and the shares sum to 2."""
        loads = [1.0] * self.n
        for v in range(self.n - 1, -1, -1):
            match [loads[c] for c in self._children(v)]:
                case [only]:
                    loads[v] = only
                case [left, right]:
                    loads[v] = 2 / (1 + 1 / left + 1 / right)
        return loads

    def preferred(self, node: int, turn: int) -> Quorum:
        return self._mixed((node + turn) * GOLDEN % 1.0, None)

    def own_inside(self, node: int) -> Quorum:
        return self._mixed(node * GOLDEN % 1.0, node)

    def _mixed(self, point: float, own: int | None) -> Quorum:
        """The quorum at a point of [0, 1): choices have stretches as long as their shares in the
        mix of least load, and a stretch is divided in the same way one level down."""
        quorum: list[int] = []
        below: list[tuple[int, float]] = [(0, point)]
        while below:
            v, at = below.pop()
            children = self._children(v)
            if len(children) < 2:
                if children:
                    below.append((children[0], at))
                else:
                    quorum.append(v)
                continue
            left, right = children
            options = (v, left, right)
            kept = None if own is None else _toward(v, own)
            if kept is None:
                here = self.loads[v]
                out = [1 - here, 1 - here / self.loads[left], 1 - here / self.loads[right]]
            else:
                # With its own subtree always in, each node keeps the load of the mix if v is in
                # as often as in the mix.
                out = [0.0 if w == kept else self.loads[v] for w in options]
                out[0] = 0.0 if v == kept else 1 - self.loads[v]
            at *= sum(out)
            without = 0
            while without < 2 and at >= out[without]:
                at -= out[without]
                without += 1
            while not out[without]:  # where rounding carried the point past its stretch
                without -= 1
            at = min(at / out[without], 1.0)
            for w in options:
                if w == options[without]:
                    continue
                if w == v:
                    quorum.append(v)
                else:
                    below.append((w, at))
        return tuple(sorted(quorum))

    def cheapest(self, node: int, turn: int, cost: Sequence[float]) -> Quorum | None:
        price = [0.0] * self.n
        parts: list[tuple[int, ...]] = [()] * self.n  # of the best choice: v itself and children
        for v in range(self.n - 1, -1, -1):
            children = self._children(v)
            if len(children) < 2:
                parts[v] = children or (v,)
                price[v] = price[children[0]] if children else cost[v]
                continue
            left, right = children
            options = [
                (cost[v] + price[left], (v, left)),
                (cost[v] + price[right], (v, right)),
                (price[left] + price[right], (left, right)),
            ]
            first = (node + turn + v) % 3
            price[v], parts[v] = min(
                options[first:] + options[:first], key=lambda option: option[0]
            )
        if price[0] == inf:
            return None
        quorum: list[int] = []
        below = [0]
        while below:
            v = below.pop()
            for part in parts[v]:
                (quorum if part == v else below).append(part)
        return tuple(sorted(quorum))

    def survivors(self, alive: Sequence[int]) -> int:
        up = [*alive]
        for v in range(self.n - 1, -1, -1):
            match [up[c] for c in self._children(v)]:
                case [only]:
                    up[v] = only
                case [left, right]:
                    up[v] = up[v] & (left | right) | all_of([left, right])
        return up[0]

    def each(self) -> Iterator[Quorum]:
        return (tuple(sorted(quorum)) for quorum in self._below(0))

    def _below(self, v: int) -> Iterator[tuple[int, ...]]:
        match self._children(v):
            case ():
                yield (v,)
            case (only,):
                yield from self._below(only)
            case (left, right):
                for quorum in chain(self._below(left), self._below(right)):
                    yield (v, *quorum)
                for one, other in product([*self._below(left)], [*self._below(right)]):
                    yield (*one, *other)

    def count(self) -> int:
        counts = [1] * self.n
        for v in range(self.n - 1, -1, -1):
            match [counts[c] for c in self._children(v)]:
                case [only]:
                    counts[v] = only
                case [left, right]:
                    counts[v] = left + right + left * right
        return counts[0]

    def sizes(self) -> tuple[int, int]:
        least, most = [1] * self.n, [1] * self.n
        for v in range(self.n - 1, -1, -1):
            match self._children(v):
                case (only,):
                    least[v], most[v] = least[only], most[only]
                case (left, right):
                    least[v] = 1 + min(least[left], least[right])
                    most[v] = max(1 + most[left], 1 + most[right], most[left] + most[right])
        return least[0], most[0]

    def load(self) -> float:
        return self.loads[0]

    def resilience(self) -> int:
        # The cheapest way to stop a subtree is v and the cheaper child.
        hits = [1] * self.n
        for v in range(self.n - 1, -1, -1):
            match [hits[c] for c in self._children(v)]:
                case [only]:
                    hits[v] = only
                case [left, right]:
                    hits[v] = 1 + min(left, right)
        return hits[0] - 1


def _toward(v: int, below: int) -> int | None:
    """v itself, or the child of v whose subtree has the node `below`; None outside of these."""
    if below == v:
        return v
    while below > v:
        parent = (below - 1) // 2
        if parent == v:
            return below
        below = parent
    return None
