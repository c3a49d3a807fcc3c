"""Expressions equal TensorFlow's, recorded by make_expressions.py: eagerly, and in a graph that a session runs."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.misuse import written
from tests.golden.make_expressions import TABLES, expressions, names, plain

RECORDED: dict[str, Any] = json.loads((Path(__file__).parent / "expressions.json").read_text(encoding="utf-8"))[
    "values"
]
NAMES = names(tf)
TOLERANCE = {"float16": 3e-3, "bfloat16": 2e-2, "float32": 4e-6, "complex64": 4e-6, "float64": 1e-8, "complex128": 1e-8}
DTYPES = {*TOLERANCE, *(d.name for d in (tf.int8, tf.int16, tf.int32, tf.int64, tf.bool)), "object"}
DTYPES |= {"uint8", "uint16", "uint32", "uint64"}
DIFFERENT: dict[str, str] = {
    "arrays: grad(lambda x, y: tf.dynamic_stitch([[0, 1], [1]], [x, y]), [1.0, 2.0], [3.0])": (
        "meant: a value that another one replaced has no influence, so its gradient is zero"
    ),
    "reductions: tf.argmax([nan, 1.0, 2.0])": "meant: NumPy's and XLA's answer, the first nan",
}
"""Expressions whose value is another one here, and why. Those that are meant say so; the others want to be mended."""


_COMPOSITES = (tf.Tensor, tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices, tf.experimental.StructuredTensor)
"""A function of tensors that declares one returns a composite of a composite."""
KINDS: dict[Any, Callable[[Any], bool]] = {
    "Tensor": lambda value: isinstance(value, _COMPOSITES),
    "list[Tensor]": lambda value: type(value) is list and all(isinstance(v, _COMPOSITES) for v in value),
    "tuple[Tensor, Tensor]": lambda value: isinstance(value, tuple) and len(value) == 2,
    "Operation | None": lambda value: value is None,
    "TensorShape": lambda value: isinstance(value, tf.TensorShape),
    "bool": lambda value: isinstance(value, (bool, np.bool_)),
    "int": lambda value: isinstance(value, int),
    "str": lambda value: isinstance(value, str),
}
"""Declared result -> whether an eager value is one."""


def test_the_recorded_expressions_are_those_computed() -> None:
    assert set(DIFFERENT) <= set(RECORDED)
    assert list(RECORDED) == [f"{table}: {expression}" for table in TABLES for expression in expressions(table)]


@pytest.mark.parametrize(
    "expression",
    [
        pytest.param(e, marks=pytest.mark.xfail(strict=True, reason=DIFFERENT[e])) if e in DIFFERENT else e
        for e in RECORDED
    ],
)
def test_equals_tensorflow(expression: str) -> None:
    code = compile(expression.split(": ", 1)[1], expression, "eval")
    value = eval(code, NAMES)
    assert is_as_declared(expression.split(": ", 1)[1], value), f"{type(value)} is returned"
    compare(plain(value), RECORDED[expression])
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        got = tf.nest.map_structure(lambda v: run(session, v), eval(code, NAMES))
    compare(plain(got), RECORDED[expression])


def is_as_declared(source: str, value: Any) -> bool:
    """Whether a value is what the function declares that the expression calls, as far as it declares any of `KINDS`."""
    call = ast.parse(source, mode="eval").body
    if not isinstance(call, ast.Call):
        return True
    function = written(eval(ast.unparse(call.func), NAMES))
    declared = getattr(function, "__annotations__", {}).get("return")
    return declared not in KINDS or KINDS[declared](value)


def run(session: Any, value: Any) -> Any:
    """A fetched value; what is no tensor stays."""
    if isinstance(value, tf.Tensor):
        fetched = session.run(value)
        assert value.shape.is_compatible_with(np.shape(fetched)), f"{value.shape} was inferred of {np.shape(fetched)}"
        return fetched
    return session.run(value) if isinstance(value, (tf.RaggedTensor, tf.SparseTensor)) else value


def is_tensor(value: Any) -> bool:
    """Whether a recorded value is [dtype, shape, values]."""
    if not isinstance(value, list) or len(value) != 3 or not isinstance(value[0], str):
        return False
    return value[0] in DTYPES and isinstance(value[1], list)


def compare(got: Any, want: Any) -> None:
    """Equal structures, dtypes, shapes and values; numbers up to rounding."""
    if is_tensor(want) and want[0] in TOLERANCE:
        assert got[:2] == want[:2]
        tolerance = TOLERANCE[want[0]]
        np.testing.assert_allclose(got[2], want[2], rtol=tolerance, atol=tolerance)
    elif isinstance(want, dict):
        assert list(got) == list(want)
        for key, value in want.items():
            compare(got[key], value)
    elif isinstance(want, list) and not is_tensor(want):
        assert isinstance(got, list) and len(got) == len(want)
        for g, w in zip(got, want, strict=True):
            compare(g, w)
    else:
        assert got == want
