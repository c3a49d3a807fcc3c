"""The places of a module that write its global variables while the program runs, read from the source."""

from __future__ import annotations

import ast
import inspect
import linecache
import types
from collections.abc import Iterator
from typing import NamedTuple

from inlay._src.inspection.checking.tracing import shown

_MUTATORS = frozenset(
    "append extend insert remove pop popitem clear sort reverse update setdefault add discard appendleft popleft "
    "extendleft fill put resize setflags".split()
)


class Writer(NamedTuple):
    """A statement in a function that writes a global variable of its module.

    Attributes:
      function: the name of the function, with those of the classes and functions around it.
      where: the line, for people.
    """

    function: str
    where: str


def writers_of(name: str, reader: types.FunctionType) -> list[Writer]:
    """The functions of a reader's module that write into one of its globals; the reader itself is left out.

    Statements at the level of the module run once, when it is imported, and do not count.
    """
    file = inspect.getsourcefile(reader) or reader.__code__.co_filename
    source = "".join(linecache.getlines(file, reader.__globals__))
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):  # no source, or that of another language
        return []
    own = reader.__code__.co_firstlineno
    return [
        Writer(qualified, f"{shown(file, line)} in {qualified.rpartition('.')[2]}")
        for function, qualified in _functions(tree, "")
        if _first_line(function) != own
        for line in _writes(function, name)
    ]


def _functions(node: ast.AST, prefix: str) -> Iterator[tuple[ast.FunctionDef | ast.AsyncFunctionDef, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child, f"{prefix}{child.name}"
            yield from _functions(child, f"{prefix}{child.name}.")
        elif isinstance(child, ast.ClassDef):
            yield from _functions(child, f"{prefix}{child.name}.")
        else:
            yield from _functions(child, prefix)


def _first_line(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])


def _writes(function: ast.FunctionDef | ast.AsyncFunctionDef, name: str) -> Iterator[int]:
    """The lines of a function, without the functions in it, that write into the global `name`."""
    nodes = list(_own_nodes(function))
    declared = any(isinstance(n, ast.Global) and name in n.names for n in nodes)
    if not declared and _is_local(function, nodes, name):
        return
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)) and node.id == name:
            yield node.lineno
        elif isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            if _base(node) == name:
                yield node.lineno
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _MUTATORS:
            if _base(node.func) == name:
                yield node.lineno


def _own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child
            yield from _own_nodes(child)


def _is_local(function: ast.FunctionDef | ast.AsyncFunctionDef, nodes: list[ast.AST], name: str) -> bool:
    arguments = function.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    if any(parameter is not None and parameter.arg == name for parameter in parameters):
        return True
    return any(isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id == name for n in nodes)


def _base(node: ast.expr) -> str | None:
    """The variable at the beginning of `x.a[0].b`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else None
