"""Shape invariants of loops that are specs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf

COUNT = tf.TensorSpec([], tf.int32)


def doubled(x: Any, invariant: Any) -> Any:
    return tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, x], [COUNT, invariant])[1]


@pytest.mark.parametrize(
    ("make", "invariant", "want"),
    [
        (lambda: tf.constant([1]), tf.TensorSpec(None, tf.int32), [1, 1, 1, 1]),
        (lambda: tf.ragged.constant([[1], []]), tf.RaggedTensorSpec([None, None], tf.int32), [[1], []] * 4),
    ],
    ids=["dense", "ragged"],
)
def test_a_spec_states_what_every_turn_has(make: Callable[[], Any], invariant: Any, want: Any) -> None:
    found = tf.function(lambda: doubled(make(), invariant))()
    assert (found.to_list() if isinstance(found, tf.RaggedTensor) else found.numpy().tolist()) == want


@pytest.mark.parametrize(
    ("make", "invariant"),
    [
        (lambda: tf.constant([1]), tf.TensorSpec(None, tf.float32)),
        (lambda: tf.constant([1]), tf.TensorSpec([2], tf.int32)),
        (lambda: tf.constant([1]), tf.SparseTensorSpec([None], tf.int32)),
        (lambda: tf.ragged.constant([[1]]), tf.SparseTensorSpec([None, None], tf.int32)),
        (lambda: tf.sparse.from_dense([1]), tf.TensorSpec([None], tf.int32)),
        (lambda: tf.sparse.from_dense([1]), tf.SparseTensorSpec([None], tf.float32)),
    ],
    ids=["dtype", "shape", "sparse for dense", "sparse for ragged", "dense for sparse", "dtype of sparse"],
)
def test_a_spec_of_something_else_is_refused(make: Callable[[], Any], invariant: Any) -> None:
    def loop() -> Any:
        return tf.while_loop(lambda i, _: i < 2, lambda i, x: (i + 1, x), [0, make()], [COUNT, invariant])

    with pytest.raises(TypeError, match="TypeSpec"), tf.Graph().as_default():
        loop()  # as in TensorFlow 2.21
    with pytest.raises(TypeError, match="TypeSpec"):
        tf.function(loop)()
