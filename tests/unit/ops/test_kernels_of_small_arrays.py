"""Kernels that plans write for small arrays give what the ops give, and their errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.tuning import TUNING

RNG = np.random.default_rng(5)


def hot(function: Any, *inputs: Any) -> Any:
    """The result of a plan that is written as source."""
    compiled = tf.function(function)
    for _ in range(5):
        result = compiled(*map(tf.constant, inputs))
    return result.numpy()


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64])
@pytest.mark.parametrize("shape", [(), (0,), (3, 5)])
def test_sigmoid(dtype: Any, shape: tuple[int, ...]) -> None:
    x = (RNG.standard_normal(shape) * 9).astype(dtype)
    result = hot(tf.sigmoid, x)
    assert result.dtype == dtype and result.shape == shape
    np.testing.assert_array_equal(result, tf.sigmoid(x).numpy())


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("dtype", [np.int32, np.float32, np.float64])
def test_bias_add(dtype: Any, large: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if large:
        monkeypatch.setattr(TUNING, "in_place_elements", 1)
    x, bias = (RNG.standard_normal(s).astype(dtype) for s in ((2, 3, 4), (4,)))
    np.testing.assert_array_equal(hot(lambda x, b: tf.nn.bias_add(x * 2, b), x, bias), x * 2 + bias)


def test_a_bias_of_another_length_is_refused_in_the_words_of_the_op() -> None:
    add = tf.function(tf.nn.bias_add, input_signature=[tf.TensorSpec([None, None]), tf.TensorSpec([None])])
    for _ in range(5):
        add(tf.zeros([2, 3]), tf.zeros([3]))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must provide as many biases as the channels"):
            add(tf.zeros([2, 3]), tf.zeros([1]))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize(
    ("shape", "axis", "num"),
    [((6, 8), 1, 4), ((2, 3, 8), 2, 2), ((2, 3, 8, 2), 2, 4), ((2, 3, 8, 2), 1, 3), ((2, 0, 4), 2, 2), ((0, 4), 1, 2),
     ((3, 4), 0, 3), ((5, 8), -1, 8), ((1, 6), 1, 3), ((4, 600), 1, 2), ((2, 0), 1, 3)],
)  # fmt: skip
def test_split(shape: tuple[int, ...], axis: int, num: int, order: Any) -> None:
    x = np.asarray(RNG.standard_normal(shape).astype(np.float32), order=order)
    parts = [p.numpy() for p in tf.split(tf.constant(x), num, axis)]
    for ours, theirs in zip(parts, np.split(x, num, axis), strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_short_runs_of_a_split_lie_in_one_piece() -> None:
    x = np.zeros((4, 16), np.float32)
    assert all(p.numpy().flags.c_contiguous for p in tf.split(tf.constant(x), 4, 1))
    words = tf.split(tf.constant([["a", "bc"], ["d", "e"]]), 2, 1)
    assert [w.numpy().tolist() for w in words] == [[[b"a"], [b"d"]], [[b"bc"], [b"e"]]]


def test_concat_of_what_does_not_fit_is_refused_in_the_words_of_the_op() -> None:
    unknown = tf.TensorSpec(None)
    join = tf.function(lambda x, y: tf.concat([x, y], 0), input_signature=[unknown, unknown])
    for _ in range(5):
        assert join(tf.zeros([1, 2]), tf.ones([1, 2])).shape == [2, 2]
        with pytest.raises(tf.errors.InvalidArgumentError, match="Can't concatenate scalars"):
            join(tf.constant(1.0), tf.constant(2.0))
        with pytest.raises(tf.errors.InvalidArgumentError, match="Ranks of all input tensors should match"):
            join(tf.zeros([1, 2]), tf.zeros([1]))


def test_operators_of_bools() -> None:
    x, y = np.array([True, True, False, False]), np.array([True, False, True, False])
    np.testing.assert_array_equal(hot(lambda x, y: (x & y) | tf.logical_not(x), x, y), (x & y) | ~x)
    assert hot(lambda x: (x < 1.0) & (x > -1.0), np.float32(0.5)) == np.True_
