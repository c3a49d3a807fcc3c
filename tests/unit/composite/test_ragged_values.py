"""A RaggedTensorValue, what a session gives, is taken where a RaggedTensor is, and answers alike."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import inlay as tf

NUMBERS, WORDS = [[2.0, 3.0], [4.0]], [["ab", "c"], ["d"]]
CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "div": lambda x, w: tf.compat.v1.div(x, x),
    "scalar_mul": lambda x, w: tf.math.scalar_mul(2.0, x),
    "divide": lambda x, w: tf.divide(x, 2.0),
    "batch_gather": lambda x, w: tf.compat.v1.batch_gather(x, tf.ragged.constant([[1, 0], [0]])),
    "unsorted_segment_mean": lambda x, w: tf.math.unsorted_segment_mean(x, tf.constant([0, 0]), 1),
    "cross": lambda x, w: tf.ragged.cross([w, w]),
    "cross_hashed": lambda x, w: tf.ragged.cross_hashed([w, w], num_buckets=100),
    "bytes_split": lambda x, w: tf.strings.bytes_split(w),
    "split": lambda x, w: tf.strings.split(w, "b"),
    "split of 1.x": lambda x, w: tf.compat.v1.strings.split(w, "b", result_type="RaggedTensor"),
    "unicode_decode": lambda x, w: tf.strings.unicode_decode(w, "UTF-8"),
    "unicode_split_with_offsets": lambda x, w: tf.strings.unicode_split_with_offsets(w, "UTF-8")[1],
    "unicode_transcode": lambda x, w: tf.strings.unicode_transcode(w, "UTF-8", "UTF-16-BE"),
    "join": lambda x, w: tf.strings.join([w, w]),
    "ngrams": lambda x, w: tf.strings.ngrams(w, 2),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_value_of_a_ragged_tensor_is_taken_as_the_tensor(name: str) -> None:
    values = tf.compat.v1.ragged.constant_value(NUMBERS, dtype="float32"), tf.compat.v1.ragged.constant_value(WORDS)
    want = CALLS[name](tf.ragged.constant(NUMBERS), tf.ragged.constant(WORDS))
    got = CALLS[name](*values)
    assert got.to_list() == want.to_list() and got.dtype == want.dtype
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        assert session.run(CALLS[name](*values)).to_list() == want.to_list()


def test_values_of_sparse_tensors_are_crossed() -> None:
    sparse = tf.compat.v1.SparseTensorValue([[0, 0], [1, 0]], ["a", "b"], [2, 1])
    assert tf.ragged.cross([sparse, tf.ragged.constant(WORDS)]).to_list() == [[b"a_X_ab", b"a_X_c"], [b"b_X_d"]]


def test_rows_of_rows_are_not_crossed() -> None:
    column = tf.RaggedTensor.from_row_splits([[1]], [0, 1])
    for run in (tf.ragged.cross, tf.function(tf.ragged.cross)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="tf.ragged.cross only supports inputs with rank=2"):
            run([column])


@pytest.mark.parametrize("indices", [[[0]], [[0], [0], [0]]])
def test_indices_of_another_number_of_rows_are_refused(indices: Any) -> None:
    params = tf.ragged.constant([[1, 2], [3]])
    for given in (tf.ragged.constant(indices), tf.constant(indices)):
        with pytest.raises(ValueError, match="batch shape from indices .* does not match params shape"):
            tf.gather(params, given, batch_dims=1)


def test_consumers_take_a_part_of_a_ragged_tensor() -> None:
    with tf.Graph().as_default():
        ragged = tf.RaggedTensor.from_row_splits(
            tf.compat.v1.placeholder(tf.int32, [None]), tf.compat.v1.placeholder(tf.int64), validate=False
        )
        ends = tf.identity(ragged.row_splits).op
        doubled = (ragged.flat_values * 2).op
        assert set(ragged.consumers()) == {ends, doubled}
    assert tf.ragged.constant([[1]]).consumers() == []


def test_sparse_and_ragged_tensors_have_a_floating_type() -> None:
    values = [tf.sparse.from_dense([1.0]), tf.ragged.constant([[1.0]]), tf.constant(1.0)]
    assert tf.debugging.assert_same_float_dtype(values) is tf.float32
    with pytest.raises(ValueError, match="float64"):
        tf.debugging.assert_same_float_dtype([*values, tf.constant(1.0, tf.float64)])
