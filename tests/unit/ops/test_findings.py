"""Numbers that once differed from TensorFlow's. Every expected value is TensorFlow 2.21's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

INF = float("inf")
TALL = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
WIDE = [[1.0, 3.0, 5.0], [2.0, 4.0, 6.0]]


def gradient(function: Callable[[Any], Any], x: Any) -> Any:
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x)


def unknown(function: Callable[..., Any], *values: Any) -> Any:
    """The result of a function that is traced with nothing known of the shapes."""
    values = tuple(tf.constant(v) for v in values)
    return tf.function(function, input_signature=[tf.TensorSpec(None, v.dtype) for v in values])(*values)


# ---------------------------------------------------------------- losses


@pytest.mark.parametrize("labels", [[1.0], 1.0, [[1.0, 0.0]]])
def test_binary_cross_entropies_refuse_other_shapes(labels: Any) -> None:
    """FINDINGS A8"""
    with pytest.raises(ValueError, match="`logits` and `labels` must have the same shape"):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=[1.0, 2.0])
    with pytest.raises(ValueError, match="`logits` and `labels` must have the same shape"):
        tf.nn.weighted_cross_entropy_with_logits(labels=labels, logits=[1.0, 2.0], pos_weight=2.0)


def test_binary_cross_entropies_of_infinite_logits() -> None:
    """FINDINGS A8"""
    labels, logits = [1.0, 0.0, 1.0, 0.0], [INF, INF, -INF, -INF]
    plain = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    np.testing.assert_array_equal(plain, [np.nan, np.nan, INF, np.nan])
    weighted = tf.nn.weighted_cross_entropy_with_logits(labels=labels, logits=logits, pos_weight=2.0)
    np.testing.assert_array_equal(weighted, [np.nan, INF, np.nan, np.nan])
    got = gradient(lambda x: tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x), logits)
    np.testing.assert_array_equal(got, [0.0, 1.0, -1.0, 0.0])


# ---------------------------------------------------------------- running sums


@pytest.mark.parametrize(
    "x, options, want",
    [
        ([-200.0, 0.0], {}, [-200.0, 0.0]),
        ([-INF, -INF, 0.0, INF, 1.0], {}, [-INF, -INF, 0.0, INF, INF]),
        ([1.0, 2.0, 3.0], {"exclusive": True}, [-INF, 1.0, 2.3132617]),
        ([1.0, 2.0, 3.0], {"reverse": True}, [3.4076061, 3.3132617, 3.0]),
        ([1.0, 2.0, 3.0], {"exclusive": True, "reverse": True}, [3.3132617, 3.0, -INF]),
        ([], {}, []),
    ],
)
def test_running_logarithms_of_sums(x: Any, options: dict[str, Any], want: list[float]) -> None:
    """FINDINGS A9"""
    x = tf.constant(x, tf.float32)
    np.testing.assert_allclose(tf.math.cumulative_logsumexp(x, **options), want, rtol=1e-6)
    compiled = tf.function(lambda v: tf.math.cumulative_logsumexp(v, **options), jit_compile=True)
    np.testing.assert_allclose(compiled(x), want, rtol=1e-6)


def test_running_logarithms_of_sums_have_gradients() -> None:
    """FINDINGS A9"""
    x = [-200.0, 0.0, 1.0]
    np.testing.assert_allclose(gradient(tf.math.cumulative_logsumexp, x), [1.0, 1.2689414, 0.7310586], rtol=1e-6)
    got = gradient(lambda v: tf.math.cumulative_logsumexp(v, exclusive=True), x)
    np.testing.assert_allclose(got, [1.0, 1.0, 0.0], rtol=1e-6)


# ---------------------------------------------------------------- linear algebra


@pytest.mark.parametrize("fast", [True, False])
def test_least_squares_of_unknown_sizes(fast: bool) -> None:
    """FINDINGS A10"""
    for matrix, rhs, want in (
        (TALL, [[1.0], [2.0], [3.0]], [[0.0], [0.5]]),
        (WIDE, [[1.0], [2.0]], [[5 / 6], [1 / 3], [-1 / 6]]),
    ):
        for got in (
            tf.linalg.lstsq(matrix, rhs, fast=fast),
            unknown(lambda a, b: tf.linalg.lstsq(a, b, fast=fast), matrix, rhs),
        ):
            np.testing.assert_allclose(got, want, atol=2e-5)


def test_least_squares_from_singular_values() -> None:
    """FINDINGS A10"""
    rhs = [[1.0], [2.0], [3.0]]
    deficient = [[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]
    np.testing.assert_allclose(tf.linalg.lstsq(deficient, rhs, fast=False), [[0.2], [0.4]], rtol=1e-5)
    np.testing.assert_allclose(tf.linalg.lstsq(TALL, rhs, 1.0, fast=False), [[0.0], [0.5]], atol=1e-5)
    assert tf.linalg.lstsq(tf.zeros([0, 2]), tf.zeros([0, 1])).numpy().tolist() == [[0.0], [0.0]]


def test_the_gradient_of_eigh_reaches_the_triangle_that_is_read() -> None:
    """FINDINGS D"""
    matrix = [[2.0, 1.0], [1.0, 3.0]]
    np.testing.assert_allclose(gradient(lambda x: tf.linalg.eigh(x)[0], matrix), [[1.0, 0.0], [0.0, 1.0]], atol=1e-6)
    got = gradient(lambda x: tf.abs(tf.linalg.eigh(x)[1]), matrix)
    np.testing.assert_allclose(got, [[0.12996785, 0.0], [0.12996781, -0.12996785]], atol=1e-6)


def test_determinants_of_nan_are_nan() -> None:
    """FINDINGS F"""
    matrix = [[np.nan, 1.0], [1.0, 2.0]]
    assert np.isnan(tf.linalg.det(matrix))
    assert np.isnan(tf.linalg.slogdet(matrix)).all()


# ---------------------------------------------------------------- sizes of zero


def test_draws_of_no_numbers() -> None:
    """FINDINGS B"""
    assert tf.random.truncated_normal([0, 2]).shape == [0, 2]
    assert tf.random.stateless_truncated_normal([2, 0], [1, 2]).shape == [2, 0]


@pytest.mark.parametrize("rows, wanted", [([0], [2]), ([2], [0]), ([2, 0], [2, 2]), ([0, 3], [0, 2]), ([2, 2], [2, 0])])
def test_searching_nothing(rows: list[int], wanted: list[int]) -> None:
    """FINDINGS B"""
    got = tf.searchsorted(tf.zeros(rows), tf.ones(wanted)).numpy()
    np.testing.assert_array_equal(got, np.full(wanted, rows[-1] if rows[-1] else 0, np.int32))


def test_no_numbers_in_a_space() -> None:
    """FINDINGS B"""
    assert tf.linspace(0.0, 1.0, 0).shape == [0]
    assert tf.linspace([0.0, 1.0], [1.0, 2.0], 0).shape == [0, 2]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.linspace(0.0, 1.0, -1)


# ---------------------------------------------------------------- types and bounds


def test_spaces_of_integers_are_doubles() -> None:
    """FINDINGS D"""
    for linspace in (tf.linspace, tf.compat.v1.lin_space):
        got = linspace(0, 10, 5)
        assert got.dtype == tf.float64
        assert got.numpy().tolist() == [0.0, 2.5, 5.0, 7.5, 10.0]
    assert tf.linspace([0.0, 1.0], 1.0, 3).numpy().tolist() == [[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]]
    with pytest.raises(TypeError):
        tf.linspace(0, 10.5, 5)
    with pytest.raises(TypeError):
        tf.linspace(0.0, 1.0, 3.0)


def test_counting_refuses_negative_numbers() -> None:
    """FINDINGS B"""
    for options in ({}, {"weights": [1.0, 2.0]}):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be non-negative"):
            tf.math.bincount([1, -1], **options)


def test_bounds_do_not_enlarge_what_is_clipped() -> None:
    """FINDINGS B"""
    with pytest.raises(ValueError, match="are incompatible"):
        tf.clip_by_value([1.0, 2.0], [[1.0], [2.0]], 3.0)
    with pytest.raises(ValueError, match="are incompatible"):
        tf.clip_by_value(1.0, [1.0, 2.0], [3.0, 4.0])
    assert tf.clip_by_value([[1.0, 5.0]], [2.0, 2.0], [3.0, 4.0]).numpy().tolist() == [[2.0, 4.0]]


def test_means_of_segments() -> None:
    """FINDINGS D"""
    assert tf.math.segment_mean([-3, 0, -1, -4], [0, 0, 1, 1]).numpy().tolist() == [-1, -2]
    assert tf.math.segment_mean(np.complex64([1 + 1j, 2]), [0, 0]).numpy().tolist() == [1.5 + 0.5j]
    got = gradient(lambda x: tf.math.segment_mean(x, [0, 0, 1]), np.complex64([1 + 1j, 2, 3]))
    assert got.numpy().tolist() == [0.5, 0.5, 1.0]


def test_euclidean_norms_of_integers_are_integers() -> None:
    """FINDINGS B"""
    for values in ([3, 4], [3, 5]):
        got = tf.math.reduce_euclidean_norm(values)
        assert (got.dtype, got.numpy()) == (tf.int32, 5)


@pytest.mark.parametrize(
    "dtype, want",
    [
        (tf.int32, [1105988140, 1738052849, -335576002]),
        (tf.uint32, [1105988140, 1738052849, 3959391294]),
        (tf.int64, [7464880146280614444, 1591045637757961278, -1057468755545501549]),
        (tf.uint64, [7464880146280614444, 1591045637757961278, 17389275318164050067]),
    ],
)
def test_integers_of_the_whole_range(dtype: Any, want: list[int]) -> None:
    """FINDINGS B"""
    assert tf.random.stateless_uniform([3], [1, 2], None, None, dtype).numpy().tolist() == want
    with pytest.raises(ValueError, match="maxval|dtype"):
        tf.random.stateless_uniform([3], [1, 2], 0, None, dtype)


def test_bessel_functions_of_half_precision() -> None:
    """FINDINGS D"""
    got = tf.math.bessel_i0e(tf.constant([0.5, 1.0], tf.float16))
    assert got.numpy().tolist() == [0.64501953125, 0.4658203125]
