"""Calls for the derivatives of functions whose other calls ask for none, and of what a user's function computes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.recorded.draws import Call, Draws, calls, program


@calls("math.igamma:derivatives math.igammac:derivatives", loose=1000)
def gamma(d: Draws) -> Call:
    kind, shape = d.dtype("wide"), d.shape(0, 2, empty=False)
    return d.call(d.given(kind, shape, 0.5, 4.0, odd=False), d.given(kind, shape, 0.5, 6.0, odd=False), order=1)


@calls("math.zeta:derivatives math.polygamma:derivatives", loose=100)
def zeta(d: Draws) -> Call:
    kind, shape = d.dtype("wide"), d.shape(0, 2, empty=False)
    whole = d.given(kind, shape, 2.0, 4.0, odd=False)
    return d.call(type(whole)(np.rint(whole.array)), d.given(kind, shape, 1.1, 4.0, odd=False), order=1)


@calls("math.betainc:derivatives", loose=1000)
def betainc(d: Draws) -> Call:
    kind, shape = d.dtype("wide"), d.shape(0, 2, empty=False)
    a, b = (d.given(kind, shape, 0.5, 4.0, odd=False) for _ in "ab")
    return d.call(a, b, d.given(kind, shape, 0.1, 0.9, odd=False))


@calls("math.nextafter:derivatives")
def next_after(d: Draws) -> Call:
    return d.call(*d.broadcasting(2, d.dtype("wide")))


@calls("linalg.pinv:derivatives", loose=1000)
def pinv(d: Draws) -> Call:
    shape = d.pick((2, 2), (3, 2), (2, 3), (2, 3, 3))
    return d.call(d.given("wide", shape, odd=False), order=1)


@calls("compat.v1.space_to_depth compat.v1.depth_to_space")
def blocks(d: Draws) -> Call:
    return d.call(d.given(d.dtype("number"), (d.whole(1, 2), 2, 4, 4), odd=False), 2)


def _by_parts(tf: Any, x: Any) -> Any:
    array = tf.TensorArray(x.dtype, 3, clear_after_read=False).write(0, x).write(2, x * x)
    return array.write(1, array.read(0) * array.read(2)).stack()


def _own_gradient(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def twice_the_slope(v: Any) -> Any:
        return v * v * v, lambda dy: dy * 6 * v * v

    return twice_the_slope(x)


FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "py_function": lambda tf, x: tf.py_function(lambda v: v * v * v, [x], x.dtype),
    "py_function_twice": lambda tf, x: tf.py_function(lambda v: [v * v, tf.sin(v)], [x], [x.dtype, x.dtype]),
    "custom_gradient": _own_gradient,
    "function": lambda tf, x: tf.function(lambda v: tf.sin(v) * v)(x),
    "tensor_array": _by_parts,
    "tensor_array_rows": lambda tf, x: tf.TensorArray(x.dtype, tf.shape(x)[0]).unstack(x).concat(),
    "stop_gradient": lambda tf, x: tf.stop_gradient(x) * x * x,
    "sparse_to_dense": lambda tf, x: tf.sparse.to_dense(tf.SparseTensor([[0], [2]], x[:2, 0], [4])),
}
for _name, _function in FUNCTIONS.items():
    program(f"derivatives:{_name}")(_function)


@calls(" ".join(f"derivatives:{name}" for name in FUNCTIONS))
def of_functions(d: Draws) -> Call:
    return d.call(d.given("wide", (d.whole(2, 3), d.whole(1, 3)), -1.5, 1.5, odd=False))
