"""No handler drops what a fast path raised but `fall_back`, which counts it and raises in the suite."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.sources import Module, modules

ROOMS = ("core/eager/", "engine/", "programs/program.py", "programs/control/", "programs/functions/")
"""Where fast paths are."""
REVIEWED = {
    "core/eager/opfunction.py": "the kernel raised: the funnel calls it again and words its error",
    "engine/run/fusion/elementwise.py": "the steps raise one by one too: the caller runs them, and words the error",
}
"""Module -> why its one handler may drop what was raised: a kernel's own error comes again where it is worded."""
BROAD = {"Exception", "BaseException"}


def is_broad(handler: ast.ExceptHandler) -> bool:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(t is None or ast.unparse(t) in BROAD for t in types)


def drops(handler: ast.ExceptHandler) -> bool:
    """Whether a handler neither raises, nor uses what it caught (kept for later, say), nor calls `fall_back`."""
    inner = [node for statement in handler.body for node in ast.walk(statement)]
    uses = any(isinstance(n, ast.Name) and n.id == handler.name and handler.name for n in inner)
    return not uses and not any(isinstance(n, ast.Raise) for n in inner)


def dropping(tree: ast.AST) -> Iterator[int]:
    """Lines of handlers that drop any exception, also in text that is generated as source."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and is_broad(node) and drops(node):
            yield node.lineno
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.startswith("except"):
            if node.value.split(" as ")[0].rstrip(":") in ("except", *(f"except {name}" for name in BROAD)):
                if " as " not in node.value:
                    yield node.lineno


def in_rooms() -> list[Module]:
    return [m for m in modules().values() if m.relative.startswith(ROOMS)]


def test_no_handler_drops_what_a_fast_path_raised() -> None:
    found = {m.relative: lines for m in in_rooms() if (lines := list(dropping(m.tree)))}
    assert {name: lines for name, lines in found.items() if name not in REVIEWED or len(lines) > 1} == {}
    assert REVIEWED.keys() <= found.keys(), "an entry that is needed no more"


@pytest.mark.parametrize(
    ("text", "dropped"),
    [
        ("try: f()\nexcept Exception: pass", True),
        ("try: f()\nexcept: g()", True),
        ("try: f()\nexcept (ValueError, BaseException): g()", True),
        ("write('except Exception:', ' pass')", True),
        ("write('except Exception as e: failed(e)')", False),
        ("try: f()\nexcept ValueError: pass", False),
        ("try: f()\nexcept Exception as error: fall_back('name', error)", False),
        ("try: f()\nexcept Exception: raise", False),
    ],
)
def test_the_search_sees_handlers_that_drop(text: str, dropped: bool) -> None:
    assert bool(list(dropping(ast.parse(text)))) is dropped
