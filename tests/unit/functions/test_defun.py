"""`Defun`: functions of 1.x with types and gradients of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.programs.functions.defun import Defun

v1 = tf.compat.v1


def _run(*fetches: Any) -> Any:
    with v1.Session() as sess:
        sess.run(v1.global_variables_initializer())
        return sess.run(list(fetches))


def test_a_function_of_declared_types() -> None:
    @Defun(tf.float32, tf.float32)
    def both(x: Any, y: Any) -> Any:
        return x * y, x + y

    with tf.Graph().as_default():
        found = both(2, [1.0, 3.0])
        assert isinstance(found, tuple) and [t.dtype for t in found] == [tf.float32, tf.float32]
        product, total = _run(*found)
        np.testing.assert_array_equal(product, [2, 6])
        np.testing.assert_array_equal(total, [3, 5])
        with pytest.raises(ValueError, match="Expected number of arguments: 2, received: 1"):
            both(1.0)


def test_gradients_as_functions_of_the_application_and_as_functions_of_tensors() -> None:
    @Defun(python_grad_func=lambda op, dy: dy * 10.0 * op.inputs[0] + 0.0 * op.outputs[0])
    def tenfold(x: Any) -> Any:
        return x * x

    @Defun()
    def pair_gradient(x: Any, y: Any, dy: Any) -> Any:
        return dy * 7.0, dy * x

    @Defun(grad_func=pair_gradient, compiled=True)
    def pair(x: Any, y: Any) -> Any:
        return x * y

    with tf.Graph().as_default():
        x, y = tf.constant(3.0), tf.constant(4.0)
        single = tenfold(x)
        assert _run(single, *v1.gradients(single, [x]), *v1.gradients(pair(x, y), [x, y])) == [9.0, 30.0, 7.0, 3.0]


def test_variables_belong_to_the_graph_around() -> None:
    @Defun(tf.float32)
    def scaled(x: Any) -> Any:
        return x * v1.get_variable("scale", initializer=5.0)

    with tf.Graph().as_default():
        y = scaled(2.0)
        assert [v.name for v in v1.global_variables()] == ["scale:0"]
        assert _run(y, *v1.gradients(y, v1.trainable_variables())) == [10.0, 2.0]


def test_declared_shapes() -> None:
    @Defun(shape_func=lambda op: [op.inputs[0].get_shape()])
    def unknown(x: Any) -> Any:
        return tf.py_function(lambda v: v, [x], tf.float32)

    with tf.Graph().as_default():
        assert unknown(tf.zeros([2, 3])).shape == [2, 3]


def test_what_is_refused() -> None:
    with pytest.raises(ValueError, match="defined twice"):
        Defun(grad_func=lambda x, dy: dy, python_grad_func=lambda op, dy: dy)
    with pytest.raises(ValueError, match="not supported"):
        Defun()(lambda x=1: x)
    with pytest.raises(ValueError, match="takes 1 arguments, but 2 types"):
        Defun(tf.float32, tf.float32)(lambda x: x)
