"""Kernels as the ufuncs that they call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.run.fusion import traced_kernels

X = np.random.default_rng(1).standard_normal(500).astype(np.float32)


def step_of(build: Callable[..., Any], *arrays: Any) -> Any:
    """The one step of a program over vectors."""
    with tf.Graph().as_default() as graph:
        places = [tf.compat.v1.placeholder(a.dtype, [None] * a.ndim) for a in arrays]
        fetched = build(*places)
    with tf.compat.v1.Session(graph=graph) as sess:
        return next(s for s in reversed(sess.plan(fetched, places).steps) if s.ins)


def evaluated(found: Any, inputs: list[Any]) -> Any:
    """What the calls make, one by one."""
    made: list[Any] = []
    for ufunc, operands, dtype in found:
        values = [v[0] if v.__class__ is tuple else inputs[v] if v >= 0 else made[~v - 1] for v in operands]
        made.append(ufunc(*values))
        assert made[-1].dtype == dtype
    return made[-1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16])
@pytest.mark.parametrize(
    "build, count",
    [
        (tf.sigmoid, 4),
        (tf.nn.relu, 1),
        (tf.nn.relu6, 2),
        (tf.math.rsqrt, 2),
        (tf.nn.softsign, 3),
        (lambda x: tf.math.squared_difference(x, x), 3),
    ],
)
def test_calls_make_the_bits_of_the_kernel(build: Callable[..., Any], count: int, dtype: Any) -> None:
    x = np.abs(X).astype(dtype)
    step = step_of(build, x)
    found = traced_kernels.calls(step, [1] * len(step.ins))
    assert found is not None and len(found) == count
    expected = step.opdef.apply(np, [x] * len(step.ins), step.attrs)
    np.testing.assert_array_equal(evaluated(found, [x] * len(step.ins)), expected)


def test_a_power_is_a_product_where_its_exponent_is_known() -> None:
    step = step_of(lambda x: x**3.0, X)
    found = traced_kernels.calls(step, [1, np.float32(3)])
    assert found is not None and [ufunc for ufunc, _, _ in found] == [np.multiply, np.multiply]
    np.testing.assert_array_equal(evaluated(found, [X]), step.opdef.apply(np, [X, np.float32(3)], {}))
    assert traced_kernels.calls(step, [1, 0]) is None  # a number of the run's


@pytest.mark.parametrize("build", [lambda x: tf.where(x > 0, x, x), tf.math.erf])
def test_kernels_that_ask_for_more_stay_as_they_are(build: Callable[..., Any]) -> None:
    step = step_of(build, X)
    assert step.opdef.lowering.ufunc is None
    assert traced_kernels.calls(step, [1] * len(step.ins)) is None
