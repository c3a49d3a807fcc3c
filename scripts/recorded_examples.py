"""Examples of public functions: expressions whose value was recorded from TensorFlow, short ones first.

tests/golden/test_expressions.py holds that inlay gives the recorded values.
"""

from __future__ import annotations

import ast
import functools
import json
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.golden.test_expressions import DIFFERENT

ROOT = Path(__file__).resolve().parents[1]
RECORDED = ROOT / "tests" / "golden" / "expressions.json"
LENGTH = 96
"""Characters of a line of an example."""
SHOWN = 2
"""Examples of a function."""
WHOLE = {
    "v1": "tf.compat.v1",
    "tnp": "tf.experimental.numpy",
    "ds": "tf.compat.v1.distributions",
    "inf": "np.inf",
    "nan": "np.nan",
}
"""The tests' short names, as users spell them."""
DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
    "c64": "complex64", "c128": "complex128", "text": "string",
}  # fmt: skip
"""The tests' short constructors of tensors, and the dtype of each."""


class _Spelled(ast.NodeTransformer):
    """An expression with the tests' short names spelled as users spell them."""

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.parse(WHOLE[node.id], mode="eval").body if node.id in WHOLE else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in DTYPES and len(node.args) == 1:
            code = f"tf.constant({ast.unparse(node.args[0])}, tf.{DTYPES[node.func.id]})"
            return ast.parse(code, mode="eval").body
        return node


def examples(root: ModuleType) -> dict[int, list[str]]:
    """The identity of each public function that an expression calls -> lines of code, the result as a comment."""
    ranked: dict[int, list[tuple[int, str]]] = {}
    for name, value in json.loads(RECORDED.read_text(encoding="utf-8"))["values"].items():
        result = None if name in DIFFERENT else _result(value)
        if result is None or len(result) > LENGTH - 2:
            continue
        tree = _Spelled().visit(ast.parse(name.split(": ", 1)[1], mode="eval")).body
        code = ast.unparse(tree)
        if len(code) > LENGTH or not _is_self_contained(tree):
            continue
        line = f"{code}  # {result}" if len(code) + len(result) + 4 <= LENGTH else f"{code}\n# {result}"
        for called, depth in _called(tree, 0):
            target = _resolved(root, called)
            if callable(target):
                ranked.setdefault(id(target), []).append((_rank(code, result, depth), line))
    return {key: [line for _, line in sorted(lines)[:SHOWN]] for key, lines in ranked.items()}


def _rank(code: str, result: str, depth: int) -> int:
    """How little an example shows: nested calls, one number alone, and odd arguments show less than a plain call."""
    odd = sum(code.count(word) for word in ("nan", "inf", "True,", "True)", "None", "[]", "lambda", "0]", "'"))
    return len(code) + 40 * depth + 15 * odd + (0 if "," in result else 30)


def _called(tree: ast.AST, depth: int) -> Iterator[tuple[str, int]]:
    """The functions that an expression calls, each with the number of calls around it."""
    if isinstance(tree, ast.Call):
        name = ast.unparse(tree.func)
        if name.startswith("tf.") and "(" not in name:
            yield name.removeprefix("tf."), depth
        depth += 1
    for child in ast.iter_child_nodes(tree):
        yield from _called(child, depth)


def _is_self_contained(tree: ast.AST) -> bool:
    own = {arg.arg for node in ast.walk(tree) if isinstance(node, ast.Lambda) for arg in node.args.args}
    loops = {
        name.id
        for node in ast.walk(tree)
        if isinstance(node, ast.comprehension)
        for name in ast.walk(node.target)
        if isinstance(name, ast.Name)
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return used <= {"tf", "np", "range", "list", "tuple", "dict", "float", "str"} | own | loops


def _resolved(root: ModuleType, path: str) -> Any:
    try:
        return functools.reduce(getattr, path.split("."), root)
    except AttributeError:
        return None


def _result(value: Any) -> str | None:
    """A recorded result as a comment shows it; None if a line cannot show it."""
    if not isinstance(value, list):
        return None
    if len(value) == 3 and isinstance(value[0], str) and isinstance(value[1], list):
        dtype, shape, flat = value
        if 0 in shape or len(flat) > 24:
            return None
        return _nested(shape, [_number(dtype, number) for number in flat])
    if value and all(isinstance(part, list) for part in value):
        parts = [_result(part) for part in value]
        return None if None in parts else " and ".join(part for part in parts if part)
    return None


def _number(dtype: str, value: Any) -> str:
    if isinstance(value, list):
        real, imaginary = value
        return f"{real:.4g}{imaginary:+.4g}j"
    if dtype == "object":
        return repr(value.encode("latin-1"))
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _nested(shape: list[int], flat: list[str]) -> str:
    if not shape:
        return flat[0]
    size = len(flat) // shape[0]
    rows = [_nested(shape[1:], flat[at : at + size]) for at in range(0, len(flat), size)]
    return f"[{', '.join(rows)}]"
