"""What the catalog says of an algorithm: what it takes, what it promises, what it costs."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from grouplock.catalog.choosers import DEFAULT_KIND, Pick, chooser
from grouplock.protocol.channel import Channel
from grouplock.protocol.message import Messages
from grouplock.protocol.site import Site
from grouplock.protocol.system import System

# What a site is made with: the algorithm's options by name, and `slots`.
Options = Mapping[str, "str | int"]


class BadOption(ValueError):
    """An option that the algorithm does not have, or a value that the option does not take."""


class Option(NamedTuple):
    name: str
    values: tuple[str, ...]  # the first is the default
    meaning: str


class Bounds(NamedTuple):
    """Upper bounds on messages per request, as expressions in n, q, m, k, r.

    Both are amortised over a run, what is told later because of a request included.  `light`:
    nobody else asks meanwhile, and all sites ask equally often.
    """

    light: str
    worst: str


class Hops(NamedTuple):
    waiting: float
    handover: float


class Algorithm(NamedTuple):
    name: str
    family: str  # mutex, group, sets, k-groups, crash-tolerant, ours
    paper: str
    channel: Channel
    supports: tuple[str, ...]
    options: tuple[Option, ...]
    promises: tuple[str, ...]  # names of grouplock.properties
    bounds: Bounds
    hops: Hops
    messages: Messages
    make: Callable[[int, list[int], Options, Pick | None], Site[Any]]
    quorums: str = ""  # the sort of quorum system that it works with, where it does

    @property
    def shared(self) -> bool:
        """Whether holders of one group may be inside together."""
        return self.family != "mutex"

    def system(
        self, n: int, given: Mapping[str, str], slots: int = 1, quorum: str | None = None
    ) -> System:
        """The algorithm among n sites, as the value that a driver is handed.

        `quorum` is a kind of quorum system; one that needs none does not mind.
        """
        kind = (quorum or DEFAULT_KIND[self.quorums]) if self.quorums else ""
        pick = chooser(kind, n, self.quorums) if kind else None
        settled = self.settle(given)
        options: Options = {**settled, "slots": slots}

        def make(me: int) -> Site[Any]:
            peers = [site for site in range(n) if site != me]
            return self.make(me, peers, options, pick)

        return System(
            name=self.name,
            options=settled,
            n=n,
            slots=slots,
            shared=self.shared,
            channel=self.channel,
            supports=self.supports,
            promises=self.promises,
            messages=self.messages,
            make=make,
            quorum=kind,
        )

    def settle(self, given: Mapping[str, str]) -> dict[str, str]:
        """All options, the given ones checked and the others at their defaults."""
        known = {o.name: o for o in self.options}
        for name, value in given.items():
            if name not in known:
                has = ", ".join(known) or "none"
                raise BadOption(f"{self.name} has no option '{name}' (it has: {has})")
            if value not in known[name].values:
                takes = ", ".join(known[name].values)
                raise BadOption(f"{self.name}: {name}={value} is not one of {takes}")
        return {o.name: given.get(o.name, o.values[0]) for o in self.options}


_OPERATORS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def evaluate(bound: str, **names: float) -> float:
    """The value of a bound such as `2*n-1`: numbers, the given names, + - * / and brackets."""

    def value(node: ast.expr) -> float:
        if isinstance(node, ast.BinOp):
            return _OPERATORS[type(node.op)](value(node.left), value(node.right))
        if isinstance(node, ast.Name):
            return names[node.id]
        assert isinstance(node, ast.Constant), f"a bound has no {ast.dump(node)}"
        assert isinstance(node.value, (int, float))
        return node.value

    return value(ast.parse(bound, mode="eval").body)
