"""What generated sources ask the reference counts of: see `interpreter.ownership`."""

from __future__ import annotations

import ast
import gc
import threading
from collections.abc import Iterator
from types import CodeType

import pytest

from inlay._src.base.interpreter.source import Source

COUNT = "ref"
"""The name of `sys.getrefcount` in generated sources."""


def check(source: Source, file: str) -> None:
    """Fails the test that generates a source which asks for the count of a parameter."""
    text = "\n".join(source.lines)
    if f"{COUNT}(" in text and (asked := list(counted_parameters(_parsed(text), {COUNT}))):
        pytest.fail(f"{file} asks for reference counts of {', '.join(asked)}, bound to a parameter:\n{text}")


_PARSING = threading.Lock()


def _parsed(text: str) -> ast.Module:
    """The tree of a source.

    Python 3.11 raises SystemError if a collection runs code in the middle, and another thread parses then
    (https://github.com/python/cpython/issues/106905).
    """
    with _PARSING:
        enabled = gc.isenabled()
        gc.disable()
        try:
            return ast.parse(text)
        finally:
            if enabled:
                gc.enable()


def read_before_compiling() -> pytest.MonkeyPatch:
    """Has every source of this process checked before it is compiled; `undo` of the result ends that."""
    compiled = Source.code

    def code(self: Source, file: str) -> CodeType:
        check(self, file)
        return compiled(self, file)

    patch = pytest.MonkeyPatch()
    patch.setattr(Source, "code", code)
    return patch


def counted_parameters(tree: ast.Module, counts: set[str]) -> Iterator[str]:
    """The arguments of calls of `counts` that are no local variables, or may be bound to an object of a parameter.

    A variable that takes its object out of a container, an attribute or a call has a reference of its own.
    """
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        borrowed, local = _borrowed(function)
        for node in _within(function):
            if isinstance(node, ast.Call) and _name(node.func) in counts:
                for argument in node.args:
                    names = set(_passed(argument))
                    if names & borrowed or not names <= local:
                        yield ast.unparse(argument)


def _name(function: ast.expr) -> str:
    return (
        function.attr if isinstance(function, ast.Attribute) else function.id if isinstance(function, ast.Name) else ""
    )


def _within(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body that it runs itself."""
    for child in ast.iter_child_nodes(function):
        if isinstance(child, ast.arguments):
            continue
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            yield child
            yield from _within(child)


def _borrowed(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> tuple[set[str], set[str]]:
    """The parameters with the variables that are bound to one, directly or through others; and all variables."""
    arguments = function.args
    parameters = {a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
    edges: list[tuple[str, str]] = []
    local: set[str] = set()
    for node in _within(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            local.add(node.id)
        if isinstance(node, ast.Assign):
            for target in node.targets:
                edges += _bindings(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.NamedExpr) and node.value is not None:
            edges += _bindings(node.target, node.value)
    borrowed = set(parameters)
    while more := {to for to, by in edges if by in borrowed} - borrowed:
        borrowed |= more
    return borrowed, local


def _bindings(target: ast.expr, value: ast.expr) -> list[tuple[str, str]]:
    """Pairs of a variable and another whose object an assignment may bind to it."""
    if isinstance(target, ast.Tuple | ast.List):
        if isinstance(value, ast.Tuple | ast.List) and len(value.elts) == len(target.elts):
            return [pair for t, v in zip(target.elts, value.elts, strict=True) for pair in _bindings(t, v)]
        return []
    return [(target.id, name) for name in _passed(value)] if isinstance(target, ast.Name) else []


def _passed(value: ast.expr) -> Iterator[str]:
    """The variables whose object an expression may be."""
    if isinstance(value, ast.Name):
        yield value.id
    elif isinstance(value, ast.NamedExpr):
        yield from _passed(value.target)
        yield from _passed(value.value)
    elif isinstance(value, ast.IfExp):
        yield from _passed(value.body)
        yield from _passed(value.orelse)
    elif isinstance(value, ast.BoolOp):
        for part in value.values:
            yield from _passed(part)
