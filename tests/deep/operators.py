"""Operators that break an algorithm's text in one place: a send dropped, a comparison swapped.

They work on the handlers of the site's class and on the module's functions; what saves and loads
the state, and what a constructor sets up, is judged by the conformance suite.  Assertions are left
alone: to turn one round proves nothing.
"""

from __future__ import annotations

import ast
from collections import Counter
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
    line: int  # of the algorithm's file
    name: str  # function: operator: what stood there; unlike all others
    place: tuple[int, int]  # which node of the text, which of its edits


Edit = Callable[[Any], ast.AST]  # a node of a copy, to what stands there instead


def mutations(source: str) -> list[Mutation]:
    """Every single edit of the text."""
    tree = ast.parse(source)
    places = {node: at for at, node in enumerate(ast.walk(tree))}
    found: list[Mutation] = []
    times: Counter[str] = Counter()
    for function in handlers(tree):
        for node, statement in inside(function, function):
            for which, (operator, _) in enumerate(edits(node)):
                name = f"{function.name}: {operator}: {told(node, statement)}"
                times[name] += 1
                if times[name] > 1:
                    name += f" ({times[name]})"
                line = getattr(node, "lineno", 0)
                found.append(Mutation(line, name, (places[node], which)))
    return found


def told(node: ast.AST, statement: ast.AST) -> str:
    """In one line; a constant with where it stands."""
    shown = statement if isinstance(node, ast.Constant) else node
    if isinstance(shown, (ast.If, ast.While)):
        shown = shown.test
    return " ".join(ast.unparse(shown).split())[:100]


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


def inside(node: ast.AST, statement: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    """Each node, with the statement that it is a part of."""
    yield node, statement
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.Assert):
            yield from inside(child, child if isinstance(child, ast.stmt) else statement)


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
            for at, field in enumerate(target.elts):
                yield f"forget {ast.unparse(field)}", forgetting(at)
        elif remembered(target):
            yield "skip an update", lambda _: ast.Pass()
    elif isinstance(node, ast.AugAssign):
        if remembered(node.target):
            yield "skip an update", lambda _: ast.Pass()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in SWAPS:
        yield "swap a comparison", swapped
    elif isinstance(node, ast.If):
        yield "turn a condition", negated
        if not (asks_for_the_kind(node.test) and not node.orelse):  # the last kind there is
            yield "always", given(True)
        yield "never", given(False)
    elif isinstance(node, ast.BoolOp):
        for at, operand in enumerate(node.values):
            yield f"drop '{ast.unparse(operand)}'", without_operand(at)
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        yield f"{node.value + 1} for {node.value}", lambda twin: ast.Constant(twin.value + 1)
    elif isinstance(node, ast.Constant) and type(node.value) is bool:
        yield f"{not node.value} for {node.value}", lambda twin: ast.Constant(not twin.value)


def asks_for_the_kind(test: ast.expr) -> bool:
    return (
        isinstance(test, ast.Call)
        and isinstance(test.func, ast.Name)
        and test.func.id == "isinstance"
    )


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
