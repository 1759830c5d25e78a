"""What the catalog says of an algorithm: what it takes, what it promises, what it costs."""

from __future__ import annotations

import ast
import itertools
import math
import operator
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from grouplock.catalog.choosers import DEFAULT_KIND, Chooser, GroupChooser, chooser
from grouplock.protocol.channel import Channel
from grouplock.protocol.message import Messages
from grouplock.protocol.pick import Pick
from grouplock.protocol.site import Site
from grouplock.protocol.system import Options, System
from grouplock.quorums.catalog import GROUPS


class BadOption(ValueError):
    """An option that the algorithm does not have, or a value that the option does not take."""


class Option(NamedTuple):
    name: str
    values: tuple[str, ...]  # the first is the default
    meaning: str
    number: bool = False  # any whole number from 1 on will do as well


class Bounds(NamedTuple):
    """Upper bounds on messages per request, as expressions in names.

    n sites; quorums of q, of which q-1 are others, in virtual nodes v and v-1; those that meet
    them, of r, and both together u; m groups; k slots; lg is log2(n); an option that is a number,
    by its name.  Both are amortised over a run, what is told later because of a request included.
    `light`: nobody else asks meanwhile, and all sites ask equally often.
    """

    light: str
    worst: str


class Hops(NamedTuple):
    """A number, or an expression as above; a handover is from an exit to an entry that waited."""

    waiting: float | str
    handover: float | str


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
    # Whether a site is handed the list of all others.  Among n sites those are n² numbers, so an
    # algorithm that knows whom to ask by its quorums alone does without, and n is in its options.
    peers: bool = True
    patience: str = "0"  # where overtaking is bounded: by so many sessions, and one for each other
    # What else holds with these options: the entry with its fields changed, or `BadOption`.
    variant: Callable[[Algorithm, Mapping[str, str]], Algorithm] | None = None

    @property
    def shared(self) -> bool:
        """Whether holders of one group may be inside together."""
        return self.family != "mutex"

    @property
    def numbered(self) -> bool:
        """Whether a grant says which slot: with k disjoint quorums there are no numbers."""
        return self.family != "k-groups"

    def system(
        self,
        n: int,
        given: Mapping[str, str],
        slots: int = 1,
        quorum: str | None = None,
        groups: int = 1,
        pick: Pick | None = None,
    ) -> System:
        """The algorithm among n sites, as the value that a driver is handed.

        `quorum` is a kind of quorum system; an algorithm that needs none does not mind.  `groups`
        is how many there are, for those that have to know.  A `pick` of one's own goes before both.
        """
        settled = self.settle(given)
        entry = self.with_options(settled)
        kind = (quorum or DEFAULT_KIND[entry.quorums]) if entry.quorums else ""
        if kind and pick is None:
            pick = chooser(kind, n, entry.quorums, slots, groups)
        options: Options = {**settled, "slots": slots, "n": n}
        names = names_of(n, groups, slots, settled, pick)

        def make(me: int) -> Site[Any]:
            peers = [site for site in range(n) if site != me] if entry.peers else []
            return entry.make(me, peers, options, pick)

        return System(
            name=entry.name,
            options=settled,
            n=n,
            slots=slots,
            shared=entry.shared,
            channel=entry.channel,
            supports=entry.supports,
            promises=entry.promises,
            messages=entry.messages,
            make=make,
            light=evaluate(entry.bounds.light, **names),
            worst=evaluate(entry.bounds.worst, **names),
            quorum=kind,
            patience=evaluate(entry.patience, **names),
            groups=groups if entry.quorums == GROUPS else 0,
            numbered=entry.numbered,
        )

    def hops_among(self, n: int, given: Mapping[str, str], groups: int = 1) -> tuple[float, float]:
        """The hops to enter and to hand over among n sites, over the default kind of quorums."""
        settled = self.settle(given)
        entry = self.with_options(settled)
        pick = None
        if entry.quorums:
            pick = chooser(DEFAULT_KIND[entry.quorums], n, entry.quorums, 1, groups)
        names = names_of(n, groups, 1, settled, pick)
        waiting, handover = entry.hops
        return evaluate(str(waiting), **names), evaluate(str(handover), **names)

    def with_options(self, settled: Mapping[str, str]) -> Algorithm:
        """What holds with these options, or `BadOption` where they do not go together."""
        return self.variant(self, settled) if self.variant else self

    def settle(self, given: Mapping[str, str]) -> dict[str, str]:
        """All options, the given ones checked and the others at their defaults."""
        known = {o.name: o for o in self.options}
        for name, value in given.items():
            if name not in known:
                has = ", ".join(known) or "none"
                raise BadOption(f"{self.name} has no option '{name}' (it has: {has})")
            option = known[name]
            if option.number and value.isdecimal() and 1 <= int(value) <= LARGEST:
                continue
            if value not in option.values:
                takes = ", ".join(option.values)
                more = f", or a whole number from 1 to {LARGEST}" if option.number else ""
                raise BadOption(f"{self.name}: {name}={value} is not one of {takes}{more}")
        return {o.name: given.get(o.name, o.values[0]) for o in self.options}

    def settings(self) -> list[dict[str, str]]:
        """Every combination of the options' listed values that goes together."""
        names = [option.name for option in self.options]
        found = []
        for values in itertools.product(*[option.values for option in self.options]):
            settled = dict(zip(names, values, strict=True))
            try:
                self.with_options(settled)
            except BadOption:
                continue
            found.append(settled)
        return found


def names_of(
    n: int, groups: int, slots: int, settled: Mapping[str, str], pick: Pick | None
) -> dict[str, float]:
    """What the names in bounds stand for."""
    names: dict[str, float] = {"n": n, "m": groups, "k": slots, "q": n, "v": n, "r": n, "u": n}
    names["lg"] = math.log2(n)
    if isinstance(pick, (Chooser, GroupChooser)):
        names["q"], names["v"] = pick.largest(), pick.virtual()
    if isinstance(pick, Chooser) and pick.system.reads is not None:
        names["r"], names["u"] = pick.reading(), pick.union()
    return names | {name: int(value) for name, value in settled.items() if value.isdigit()}


LARGEST: Final = 1 << 31  # of an option that is a number

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
