"""Operators that break an algorithm's text in one place: a send dropped, a comparison swapped.

They work on the handlers of the site's class and on the module's functions; what saves and loads
the state, and what a constructor sets up, is judged by the conformance suite.  Assertions are left
alone: to turn one round proves nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, Final, NamedTuple

LEFT_ALONE: Final = ("__init__", "save", "load", "tokens", "make", "table")
SWAPS: Final[dict[type[ast.cmpop], type[ast.cmpop]]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
CHANGING: Final = ("append", "remove", "clear", "pop", "insert", "extend", "add", "discard", "sort")


class Mutation(NamedTuple):
    operator: str
    function: str
    line: int  # of the algorithm's file
    before: str  # the statement or expression, in one line
    place: tuple[int, int]  # which node of the text, which of its edits

    @property
    def name(self) -> str:
        return f"{self.function}: {self.operator}: {self.before}"


Edit = Callable[[Any], ast.AST]  # a node of a copy, to what stands there instead


def mutations(source: str) -> list[Mutation]:
    """Every single edit of the text."""
    tree = ast.parse(source)
    places = {node: at for at, node in enumerate(ast.walk(tree))}
    return [
        Mutation(
            operator,
            function.name,
            getattr(node, "lineno", 0),
            " ".join(ast.unparse(node).split())[:100],
            (places[node], which),
        )
        for function in handlers(tree)
        for node in inside(function)
        for which, (operator, _) in enumerate(edits(node))
    ]


def mutant(source: str, mutation: Mutation) -> str:
    """The text with the edit made."""
    tree = ast.parse(source)
    at, which = mutation.place
    node = list(ast.walk(tree))[at]
    put(tree, node, list(edits(node))[which][1](node))
    return ast.unparse(tree)


def handlers(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in tree.body:
        functions = node.body if isinstance(node, ast.ClassDef) else [node]
        for function in functions:
            if isinstance(function, ast.FunctionDef) and function.name not in LEFT_ALONE:
                yield function


def inside(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Assert):
            yield from inside(child)


def put(tree: ast.AST, old: ast.AST, new: ast.AST) -> None:
    """The new node in the place of the old one."""
    ast.copy_location(new, old)
    for parent in ast.walk(tree):
        for field, value in ast.iter_fields(parent):
            if value is old:
                setattr(parent, field, new)
            elif isinstance(value, list):
                value[:] = [new if item is old else item for item in value]
    ast.fix_missing_locations(tree)


def edits(node: ast.AST) -> Iterator[tuple[str, Edit]]:
    if isinstance(node, ast.Expr):
        if acts(node.value):
            yield "drop a call", lambda _: ast.Pass()
    elif isinstance(node, ast.Assign):
        target = node.targets[0]
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            for at in range(len(target.elts)):
                yield "forget a field", forgetting(at)
        elif remembered(target):
            yield "skip an update", lambda _: ast.Pass()
    elif isinstance(node, ast.AugAssign):
        if remembered(node.target):
            yield "skip an update", lambda _: ast.Pass()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "swap a comparison", swapped
    elif isinstance(node, ast.If):
        yield "turn a condition", negated
        yield "always", given(True)
        yield "never", given(False)
    elif isinstance(node, ast.BoolOp):
        for at in range(len(node.values)):
            yield "drop an operand", without_operand(at)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield "change a number", lambda twin: ast.Constant(twin.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield "turn a flag", lambda twin: ast.Constant(not twin.value)


def acts(call: ast.expr) -> bool:
    """A call for what it does: an effect, a step of the algorithm, a change of a list."""
    if not isinstance(call, ast.Call):
        return False
    if not isinstance(call.func, ast.Attribute):
        return True
    owner = call.func.value
    by_name = isinstance(owner, ast.Name) and owner.id in ("out", "self")
    return by_name or call.func.attr in CHANGING


def remembered(target: ast.expr) -> bool:
    """What outlives the handler: a field, or a cell of one."""
    return isinstance(target, (ast.Attribute, ast.Subscript))


def forgetting(at: int) -> Edit:
    def edit(twin: ast.Assign) -> ast.AST:
        target = twin.targets[0]
        assert isinstance(target, ast.Tuple)
        target.elts[at] = ast.Name("_", ast.Store())
        return twin

    return edit


def swapped(twin: ast.Compare) -> ast.AST:
    twin.ops[0] = SWAPS[type(twin.ops[0])]()
    return twin


def negated(twin: ast.If) -> ast.AST:
    twin.test = ast.UnaryOp(ast.Not(), twin.test)
    return twin


def given(value: bool) -> Edit:
    def edit(twin: ast.If) -> ast.AST:
        twin.test = ast.Constant(value)
        return twin

    return edit


def without_operand(at: int) -> Edit:
    def edit(twin: ast.BoolOp) -> ast.AST:
        rest = twin.values[:at] + twin.values[at + 1 :]
        return ast.BoolOp(twin.op, rest) if len(rest) > 1 else rest[0]

    return edit
