"""Arguments that an op cannot take are refused before anything is computed of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

IMAGE = np.ones([1, 3, 3, 1], np.float32)
KERNEL = np.ones([2, 2, 1, 1], np.float32)
SPARSE = tf.sparse.from_dense([[1, 2], [0, 3]])
ROWS = tf.ragged.constant([[1.0], [2.0]])

REFUSED: dict[str, Callable[[], Any]] = {
    "an axis with a fraction's type": lambda: tf.cumsum([1.0, 2.0], axis=1.0),
    "a shift with a fraction's type": lambda: tf.roll([1.0, 2.0], 1.0, 0),
    "a size with a fraction's type": lambda: tf.reshape([1.0, 2.0], [2.0]),
    "sizes of text": lambda: tf.broadcast_to([1.0], ["2"]),
    "sizes of two kinds": lambda: tf.reshape([1.0, 2.0], [True, 2]),
    "a gathered axis with a fraction's type": lambda: tf.gather([1.0, 2.0], [0], axis=0.0),
    "an axis of a split that is a list": lambda: tf.split([1.0, 2.0], 2, axis=[0]),
    "a mask's axis with a fraction's type": lambda: tf.boolean_mask([1.0], [True], axis=0.0),
    "an axis within a list of axes": lambda: tf.squeeze([[1]], axis=[[0]]),
    "a negative number of slices": lambda: tf.unstack([1.0], num=-1),
    "a scalar for a vector of bounds": lambda: tf.strided_slice([1, 2], 0, [1], [1]),
    "bounds of two types": lambda: tf.strided_slice([1, 2], tf.constant([0]), tf.constant([1], tf.int64), [1]),
    "a flag that is a number": lambda: tf.linalg.svd([[1.0]], compute_uv=0),
    "a sparse reduction's flag that is text": lambda: tf.sparse.reduce_sum(SPARSE, axis=0, keepdims="yes"),
    "a joining's flag that is a number": lambda: tf.strings.reduce_join([["a"]], keepdims=1),
    "a scaling's flag that is a number": lambda: tf.image.resize(IMAGE, [1, 1], antialias=1),
    "sizes of images of another type": lambda: tf.image.resize(IMAGE, tf.constant([1, 1], tf.int64)),
    "quarter turns of another type": lambda: tf.image.rot90(IMAGE, tf.constant(1.0)),
    "padding in small letters": lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, "same"),
    "a window that is a scalar tensor": lambda: tf.nn.max_pool(IMAGE, tf.constant(2), 1, "SAME"),
    "vectors of several shapes": lambda: tf.linalg.cross([[1.0, 2.0, 3.0]], [1.0, 2.0, 3.0]),
    "bands of other rows": lambda: tf.linalg.tridiagonal_matmul(np.ones([3, 1]), np.ones([3, 2])),
    "more diagonals than rows": lambda: tf.linalg.band_part(np.ones([2, 2]), 3, -1),
    "a norm's axis that is a tensor": lambda: tf.linalg.norm([1.0], axis=tf.constant(0)),
    "sizes beside a named axis of size 1": lambda: tf.einsum("ij,ij->", np.ones([2, 1]), np.ones([2, 3])),
    "places of a scalar": lambda: tf.where(True),
    "a rate that is a list": lambda: tf.nn.dropout([1.0], [0.5]),
    "whole numbers for a smooth function": lambda: tf.nn.gelu(1),
    "biases of a vector": lambda: tf.nn.bias_add([1.0], [1.0]),
    "grids of two types": lambda: tf.meshgrid(tf.constant([1.0]), tf.constant([1])),
    "a comparison of two types": lambda: tf.debugging.assert_less(tf.constant([1.0]), tf.constant([2])),
    "a rank of 64 bits": lambda: tf.debugging.assert_rank([1], tf.constant(1, tf.int64)),
    "a list of another type in a sum": lambda: tf.add_n([tf.constant([1.0]), [1]]),
    "labels of another type": lambda: tf.nn.sigmoid_cross_entropy_with_logits(tf.constant([1]), tf.constant([1.0])),
    "sparse sides with a fraction's type": lambda: tf.sparse.eye(2.0),
    "more parts than a sparse axis has": lambda: tf.sparse.split(sp_input=SPARSE, num_split=3, axis=0),
    "rows chosen by bools": lambda: tf.gather(ROWS, tf.constant([True])),
    "an encoding that is missing": lambda: tf.strings.unicode_decode(["a"], None),
    "a longest count with a fraction's type": lambda: tf.math.bincount([1], minlength=3.0),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=list(REFUSED))
def test_it_is_refused(call: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError, tf.errors.InvalidArgumentError)):
        call()


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tf.sparse.concat(0, []), "at least one SparseTensor"),
        (lambda: tf.linalg.tridiagonal_matmul(tf.sparse.eye(3), tf.ones([3, 3])), "SparseTensor"),
        (lambda: tf.reshape([1.0], tf.ragged.constant([[1], [1]])), "a shape of whole numbers"),
    ],
)
@pytest.mark.parametrize("way", [lambda call: call, tf.function])
def test_composites_and_lists_out_of_place_are_named(call: Any, says: str, way: Any) -> None:
    with pytest.raises((TypeError, ValueError), match=says):
        way(call)()
