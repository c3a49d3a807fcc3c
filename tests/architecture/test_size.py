"""A module above 500 lines or a function above 60 is reviewed and listed with its reason; no dumping grounds."""

from __future__ import annotations

import ast

from tests.architecture.sources import modules

MODULE_LIMIT = 500
FUNCTION_LIMIT = 60
LONG_MODULES = {
    "ops/random.py": "one sampler after the other, each of a few lines",
}
"""Module above the limit -> why it is one concept. Split a module by concept, never to please a number."""
GENERATED = "# Written by scripts/update_generated.py"
DUMPING_GROUNDS = {"util", "utils", "helper", "helpers", "common", "misc"}


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines of a function without its decorators and docstring: documentation is never what makes it too long."""
    lines = (node.end_lineno or node.lineno) - node.lineno + 1
    if ast.get_docstring(node, clean=False) is not None:
        doc = node.body[0]
        lines -= (doc.end_lineno or doc.lineno) - doc.lineno + 1
    return lines


def long_functions(tree: ast.Module, limit: int) -> list[tuple[str, int]]:
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    return [(n.name, size) for n in functions if (size := function_lines(n)) > limit]


def test_modules_longer_than_the_limit_are_listed() -> None:
    sizes = {m.relative: len(m.path.read_text(encoding="utf-8").splitlines()) for m in modules().values()}
    long = {name: size for name, size in sizes.items() if size > MODULE_LIMIT}
    assert {name: size for name, size in long.items() if name not in LONG_MODULES} == {}


def test_no_function_is_longer_than_the_limit() -> None:
    found = modules().values()
    assert [(m.relative, *f) for m in found for f in long_functions(m.tree, FUNCTION_LIMIT)] == []


def test_no_module_is_a_dumping_ground() -> None:
    written = {m.relative for m in modules().values() if GENERATED in m.path.read_text(encoding="utf-8")}
    # Names of namespaces are TensorFlow's: tf.contrib.layers.utils.
    parts = {
        m.relative: {p.strip("_") for p in m.name.split(".")} for m in modules().values() if m.relative not in written
    }
    assert sorted(name for name, names in parts.items() if names & DUMPING_GROUNDS) == []


def test_the_measure_leaves_out_docstrings_and_sees_nested_functions() -> None:
    tree = ast.parse(
        'def f():\n    """One.\n\n    Two.\n    """\n    def g():\n        a = 1\n        return a\n    return g\n'
    )
    assert long_functions(tree, 0) == [("f", 5), ("g", 3)]
