"""`input_signature`: one trace of the declared specs serves every call."""

from __future__ import annotations

from typing import Any

import inlay as tf


def test_the_declared_shape_is_traced_and_not_that_of_the_first_call() -> None:
    traced = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32), {"a": tf.TensorSpec([None, 2], tf.int32)}])
    def program(x: Any, rest: Any) -> Any:
        traced.append((x.shape.as_list(), rest["a"].shape.as_list()))
        return tf.reshape(x, [tf.shape(x)[0], 1]), tf.shape(rest["a"])

    for n in (3, 1, 4):
        column, shape = program(tf.ones([n]), {"a": tf.ones([n, 2], tf.int32)})
        assert (column.shape.as_list(), shape.numpy().tolist()) == ([n, 1], [n, 2])
    assert traced == [([None], [None, 2])]
