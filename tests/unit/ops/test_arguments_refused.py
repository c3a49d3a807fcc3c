"""Arguments that an op cannot take are refused before anything is computed of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

IMAGE = np.ones([1, 3, 3, 1], np.float32)
KERNEL = np.ones([2, 2, 1, 1], np.float32)
SPARSE = tf.sparse.from_dense([[1, 2], [0, 3]])
PLACEHOLDER = functools.partial(tf.compat.v1.placeholder, tf.float32)
ROWS = tf.ragged.constant([[1.0], [2.0]])

REFUSED: dict[str, Callable[[], Any]] = {
    "bits as truths": lambda: tf.bitcast(tf.constant([1], tf.uint8), tf.bool),
    "squares of bytes, which wrap around": lambda: tf.math.squared_difference(np.uint8(200), np.uint8(1)),
    "moments of bytes": lambda: tf.nn.moments(tf.constant([1, 200], tf.uint8), [0]),
    "bits as text": lambda: tf.bitcast(tf.constant([1], tf.uint8), tf.string),
    "logits that are a scalar": lambda: tf.nn.sparse_softmax_cross_entropy_with_logits(
        tf.constant(0), tf.constant(1.0)
    ),
    "logits of a raw op that are a scalar": lambda: tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(
        features=tf.constant(1.0), labels=tf.constant(0)
    ),
    "sizes whose product is no int32": lambda: tf.unravel_index(tf.constant(3), tf.constant([0x10000000] * 2)),
    "a negative number of samples": lambda: tf.signal.rfft(np.ones(6, np.float32), [-1]),
    "a maximum for another channel": lambda: tf.quantization.fake_quant_with_min_max_vars_per_channel(
        tf.ones([3, 1]), [0.0], [1.0, 1.1]
    ),
    "separators": lambda: tf.sparse.cross([], separator=["a", "b"]),
    "a vector to pad frames with": lambda: tf.signal.frame([1], 1, 1, pad_end=True, pad_value=[1]),
    "two sizes to infer": lambda: tf.sparse.reshape(SPARSE, [-1, -1]),
    "an axis with a fraction's type": lambda: tf.cumsum([1.0, 2.0], axis=1.0),
    "a number to stack the rows of": lambda: tf.stack(np.array(3.0), axis=1),
    "a number to add the terms of": lambda: tf.add_n(np.array(3)),
    "an axis to stack along that is a matrix": lambda: tf.stack([[1.0]], axis=np.ones([2, 2], np.int32)),
    "an axis to stack along that is nowhere": lambda: tf.stack([[1.0]], axis=np.zeros(0, np.int32)),
    "an axis to join along beyond 64 bits": lambda: tf.concat([[1.0], [2.0]], 10**30),
    "frames without an end": lambda: tf.signal.frame(np.ones(4, np.float32), 2, tf.constant(np.inf)),
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
    "a longest count of another type": lambda: tf.math.bincount([1, 2], maxlength=tf.constant(2, tf.int64)),
    "classes and labels of several shapes": lambda: tf.math.confusion_matrix([1, 2, 1], [3], num_classes=4),
    "a row that a permutation has not": lambda: tf.linalg.lu_solve(np.eye(2), [0, 2], np.ones([2, 1])),
    "a row of a permutation from the end": lambda: tf.linalg.lu_reconstruct(np.eye(2), [1, -1]),
    "an axis of statistics that is not there": lambda: tf.nn.sufficient_statistics([1.0], [1]),
    "fewer scales than channels": lambda: tf.compat.v1.nn.fused_batch_norm(np.ones([1, 1, 1, 2]), [1.0, 1.0], [1.0]),
    "bools for sizes": lambda: tf.random.normal([True]),
    "sizes in a matrix": lambda: tf.reshape([1.0, 2.0], [[2]]),
    "a shift's axis with a fraction's type": lambda: tf.signal.fftshift([1.0], axes=0.0),
    "contracted axes of another type": lambda: tf.tensordot([[1.0]], [[1.0]], tf.constant(1, tf.int64)),
    "contracted axes with a fraction's type": lambda: tf.tensordot([[1.0]], [[1.0]], 1.0),
    "parts of a complex number of two types": lambda: tf.complex(tf.constant(1.0, tf.float64), 1.0),
    "bytes of an empty list, which is of numbers": lambda: tf.strings.bytes_split([]),
    "sizes of parts that are an empty list": lambda: tf.split(np.ones([1, 0]), [], axis=1),
    "a greatest number's count of another type": lambda: tf.math.in_top_k(
        tf.constant([0]), [[1.0]], tf.constant(1, tf.int64)
    ),
    "a combiner without a name": lambda: tf.nn.embedding_lookup_sparse([[1.0]], SPARSE, None, combiner=""),
    "squares of whole numbers": lambda: tf.nn.l2_loss([1, 2]),
    "no bound": lambda: tf.strided_slice([[1, 2]], [0, None], [1, 2]),
    "a layout that ends in a space": lambda: tf.nn.bias_add([[1.0]], [1.0], data_format="NHWC "),
    "points of two columns": lambda: tf.nn.separable_conv2d(IMAGE, KERNEL, np.ones([1, 2, 1, 1]), [1] * 4, "SAME"),
    "a sparse axis with a fraction's type": lambda: tf.sparse.expand_dims(SPARSE, axis=-1.0),
    "buckets of sparse strings that are text": lambda: tf.strings.to_hash_bucket(tf.sparse.from_dense([["a"]]), "8"),
    "images without pixels": lambda: tf.image.per_image_standardization(np.ones([0, 2, 3])),
    "several patterns": lambda: tf.strings.regex_replace(["a"], ["a", "b"], "c"),
    "several separators": lambda: tf.strings.split(["a b"], sep=[" "]),
    "a box of fewer axes": lambda: tf.sparse.slice(SPARSE, [1], [2, 2]),
    "a box of a negative size": lambda: tf.sparse.slice(SPARSE, [0, 0], [2, -1]),
    "a matrix of sparse axes": lambda: tf.sparse.reduce_sum(SPARSE, axis=[[0]]),
    "several places for a sparse axis": lambda: tf.sparse.expand_dims(SPARSE, axis=[1]),
    "one row of logits for several of labels": lambda: tf.nn.softmax_cross_entropy_with_logits(
        np.ones([2, 4], np.float32), np.ones([1, 4], np.float32)
    ),
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


def test_images_of_bools_have_no_brightness() -> None:
    with pytest.raises(AttributeError, match="image dtype must be either floating point or integer, got bool"):
        tf.image.convert_image_dtype([[[True]]], tf.float32)


@pytest.mark.parametrize(
    ("error", "build"),
    [
        (TypeError, lambda: tf.bitcast(tf.constant([1], tf.uint8), tf.bool)),
        (ValueError, lambda: tf.compat.v1.scatter_add(tf.Variable(tf.zeros([4, 3])), [0, 1], PLACEHOLDER([3, 3]))),
        (ValueError, lambda: tf.compat.v1.scatter_add(tf.Variable(tf.zeros([4, 3])), [0, 1], PLACEHOLDER([2, 4]))),
        (ValueError, lambda: tf.compat.v1.scatter_add(tf.Variable(tf.zeros([4, 3])), [0, 1], PLACEHOLDER([2]))),
        (ValueError, lambda: tf.sparse.reshape(tf.sparse.SparseTensor([[0, 1]], [1], [2, 3]), [-1, -1])),
        (ValueError, lambda: tf.sparse.reshape(tf.sparse.SparseTensor([[0, 1]], [1], [2, 3]), [-1, 4])),
        (TypeError, lambda: tf.io.decode_csv("1,2", np.zeros(2))),
        (
            ValueError,
            lambda: tf.sparse.sparse_dense_matmul(tf.sparse.SparseTensor([[0, 0]], [1.0], [2, 3]), IMAGE[0, 0, :2]),
        ),
        (ValueError, lambda: tf.signal.frame([1], 1, 1, pad_end=True, pad_value=[1])),
        (ValueError, lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, [[0, 0], [0, -1], [1, 2], [0, 0]])),
        (ValueError, lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, [[1, 0], [0, 0], [0, 0], [0, 0]])),
        (ValueError, lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, [[0, 0], [0, 1], [0, 0], [0, 0]], "NCHW")),
        (ValueError, lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, [[0], [0], [0], [0]])),
        (ValueError, lambda: tf.nn.conv2d(IMAGE, KERNEL, 1, [0, 0, 0, 0])),
        (ValueError, lambda: tf.nn.conv2d(tf.ones([1, 3, 3, 8]), tf.ones([2, 2, 2, 15]), 1, "SAME")),
    ],
)
def test_it_is_refused_while_a_graph_is_built(error: type[Exception], build: Callable[[], Any]) -> None:
    """The classes are those of TensorFlow 2.21."""
    with tf.Graph().as_default(), pytest.raises(error):
        build()


@pytest.mark.parametrize("check", [tf.debugging.assert_rank, tf.debugging.assert_rank_at_least])
def test_a_rank_to_require_is_a_scalar_when_it_runs(check: Callable[..., Any]) -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rank = tf.compat.v1.placeholder(tf.int32)
        with tf.control_dependencies([check(tf.constant([1.0, 2.0]), rank)]):
            checked = tf.identity(1)
        assert session.run(checked, {rank: 1}) == 1
        with pytest.raises(tf.errors.InvalidArgumentError, match="Rank must be a scalar"):
            session.run(checked, {rank: [1, 1]})


@pytest.mark.parametrize("padding", [[[0, 0], [0, -1], [1, 2], [0, 0]], [[1, 0], [0, 0], [0, 0], [0, 0]]])
def test_explicit_padding_is_refused_when_it_runs_at_once(padding: Any) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="explicit padding"):
        tf.nn.conv2d(IMAGE, KERNEL, 1, padding)
