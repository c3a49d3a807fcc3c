"""Functions that TensorFlow has and that were absent (FINDINGS E). Every expected value is TensorFlow 2.21's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf

special = tf.math.special

# name -> values at 0.5, 1, 3, 10 and derivatives at 0.5, 1, 3
SPECIAL: dict[str, tuple[list[float], list[float]]] = {
    "dawsn": ([0.4244364, 0.5380795, 0.178271, 0.05025385], [0.5755636, -0.076159, -0.0696261]),
    "expint": ([0.4542198, 1.8951179, 9.9338331, 2492.22876], [3.2974424, 2.7182817, 6.6951790]),
    "fresnel_cos": ([0.4923442, 0.7798934, 0.6057208, 0.4998988], [0.9238795, 0.0, 0.0]),
    "fresnel_sin": ([0.0647324, 0.4382591, 0.4963130, 0.4681700], [0.3826835, 1.0, 1.0]),
    "spence": ([0.5822405, 0.0, -1.4367464, -3.9506640], [-1.3862944, -1.0, -0.5493062]),
    "bessel_j0": ([0.9384699, 0.7651977, -0.2600519, -0.2459357], [-0.2422685, -0.4400506, -0.3390590]),
    "bessel_j1": ([0.2422685, 0.4400506, 0.3390590, 0.0434728], [0.4539329, 0.3251471, -0.3730716]),
    "bessel_y0": ([-0.4445187, 0.0882570, 0.3768500, 0.0556712], [1.4714724, 0.7812128, -0.3246744]),
    "bessel_y1": ([-1.4714724, -0.7812128, 0.3246744, 0.2490154], [2.4984259, 0.8694698, 0.2686253]),
    "bessel_k0": ([0.9244191, 0.4210244, 0.0347395, 1.778006e-05], [-1.6564410, -0.6019073, -0.0401564]),
    "bessel_k0e": ([1.5241094, 1.1444631, 0.6977617, 0.3916319], [-1.2069001, -0.4916906, -0.1088018]),
    "bessel_k1": ([1.6564410, 0.6019073, 0.0401564, 1.8648772e-05], [-4.2373009, -1.0229318, -0.0481250]),
    "bessel_k1e": ([2.7310095, 1.6361537, 0.8065635, 0.4107665], [-4.2551188, -1.1444631, -0.1600527]),
    "bessel_i0": ([1.0634835, 1.2660660, 4.8807931, 2815.71606], [0.2578943, 0.5651591, 3.9533710]),
    "bessel_i0e": ([0.6450354, 0.4657596, 0.2430004, 0.1278333], [-0.4886146, -0.2578492, -0.0461736]),
    "bessel_i1": ([0.2578943, 0.5651591, 3.9533710, 2670.98804], [0.5476948, 0.7009069, 3.5630026]),
    "bessel_i1e": ([0.1564208, 0.2079104, 0.1968268, 0.1212627], [0.1757729, 0.0499388, -0.0194353]),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_special_functions_and_their_slopes(name: str) -> None:
    values, slopes = SPECIAL[name]
    function = getattr(special, name)
    np.testing.assert_allclose(function([0.5, 1.0, 3.0, 10.0]), values, rtol=2e-6, atol=1e-7)
    assert function(tf.constant([0.5], tf.float64)).dtype == tf.float64
    x = tf.constant([0.5, 1.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    np.testing.assert_allclose(tape.gradient(y, x), slopes, rtol=2e-5, atol=1e-6)


def test_special_functions_at_zero() -> None:
    x = tf.constant([0.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = special.bessel_j1(x)
    assert (y.numpy().tolist(), tape.gradient(y, x).numpy().tolist()) == ([0.0], [0.5])


# ---------------------------------------------------------------- matrices


def test_lu() -> None:
    factors, order = tf.linalg.lu([[[1.0, 2.0], [3.0, 4.0]], [[2.0, 1.0], [1.0, 3.0]]])
    np.testing.assert_allclose(factors, [[[3.0, 4.0], [1 / 3, 2 / 3]], [[2.0, 1.0], [0.5, 2.5]]], rtol=1e-6)
    assert order.numpy().tolist() == [[1, 0], [0, 1]]
    assert tf.linalg.lu([[1.0, 2.0], [3.0, 4.0]], tf.int64).p.dtype == tf.int64
    with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
        tf.linalg.lu([[1.0, 1.0], [1.0, 1.0]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="square"):
        tf.linalg.lu([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])


def test_eigenvalues_of_any_matrix() -> None:
    matrix = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    values, vectors = tf.linalg.eig(matrix)
    assert (values.dtype, vectors.dtype) == (tf.complex64, tf.complex64)
    np.testing.assert_allclose(tf.cast(matrix, tf.complex64) @ vectors, vectors * values[None, :], atol=1e-5)
    turning = sorted(tf.linalg.eigvals(tf.constant([[0.0, 1.0], [-1.0, 0.0]])).numpy(), key=np.imag)
    np.testing.assert_allclose(turning, [-1j, 1j])
    assert tf.linalg.eigvals(tf.zeros([2, 0, 0], tf.float64)).shape == [2, 0]


def test_logarithms_and_roots_of_matrices() -> None:
    got = tf.linalg.logm(np.complex64([[1, 2], [3, 4]]))
    want = [[-0.3504399 + 2.3911178j, 0.9293512 - 1.0937622j], [1.3940269 - 1.6406432j, 1.0435869 + 0.750475j]]
    np.testing.assert_allclose(got, want, rtol=1e-5)
    root = tf.linalg.sqrtm([[4.0, 1.0], [1.0, 3.0]])
    np.testing.assert_allclose(root, [[1.9815780, 0.2708324], [0.2708324, 1.7107457]], rtol=1e-5)
    np.testing.assert_array_equal(tf.linalg.sqrtm([[-1.0, 0.0], [0.0, 1.0]]), np.full([2, 2], np.nan))


def test_normalize() -> None:
    scaled, size = tf.linalg.normalize([3.0, 4.0])
    np.testing.assert_allclose(scaled, [0.6, 0.8])
    assert size.numpy().tolist() == [5.0]
    scaled, size = tf.linalg.normalize([[3.0, 4.0], [1.0, 1.0]], ord=1, axis=1)
    np.testing.assert_allclose(scaled, [[3 / 7, 4 / 7], [0.5, 0.5]])
    assert size.numpy().tolist() == [[7.0], [2.0]]
    assert tf.linalg.normalize(np.complex64([3 + 4j]))[1].numpy().tolist() == [5 + 0j]


# ---------------------------------------------------------------- lists and histograms


def test_what_is_left_of_a_list() -> None:
    left = tf.compat.v1.setdiff1d([1, 2, 3, 4, 2], [2, 4])
    assert (left.out.numpy().tolist(), left.idx.numpy().tolist()) == ([1, 3], [0, 2])
    left = tf.compat.v1.setdiff1d(["a", "b"], ["b"], tf.int64)
    assert (left.out.numpy().tolist(), left.idx.dtype) == ([b"a"], tf.int64)
    left = tf.compat.v1.setdiff1d([1.0, 2.0, np.nan], [1.0, np.nan])
    np.testing.assert_array_equal(left.out, [2.0, np.nan])
    with pytest.raises(tf.errors.InvalidArgumentError, match="1D"):
        tf.compat.v1.setdiff1d([[1]], [1])


def test_histograms() -> None:
    values = [-1.0, 0.0, 1.5, 2.0, 5.0, 15.0]
    assert tf.histogram_fixed_width(values, [0.0, 5.0], nbins=5).numpy().tolist() == [2, 1, 1, 0, 2]
    assert tf.histogram_fixed_width_bins(values, [0.0, 5.0], nbins=5).numpy().tolist() == [0, 0, 1, 2, 4, 4]
    counts = tf.histogram_fixed_width([1, 2, 3], [0, 5], nbins=5, dtype=tf.int64)
    assert (counts.dtype, counts.numpy().tolist()) == (tf.int64, [0, 1, 1, 1, 0])
    assert tf.histogram_fixed_width([[1.0, 2.0], [3.0, 4.0]], [0.0, 5.0]).shape == [100]
    infinite = tf.histogram_fixed_width([np.inf, -np.inf], [0.0, 5.0], nbins=5)
    assert infinite.numpy().tolist() == [1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    "arguments, message",
    [
        (([1.0], [5.0, 0.0]), "must be less than"),
        (([np.nan], [0.0, 5.0]), "must not contain NaN"),
        (([1.0], [0.0, 5.0], 0), "must be a positive number|should be a positive number"),
        (([1.0], [0.0, 5.0, 6.0]), "vector of 2 elements"),
    ],
)
def test_histograms_refuse(arguments: Any, message: str) -> None:
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match=message):
        tf.histogram_fixed_width(*arguments)


# ---------------------------------------------------------------- edit distance


def test_edit_distances() -> None:
    hypothesis = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], ["a", "b", "c"], [3, 2])
    truth = tf.SparseTensor([[0, 0], [1, 0], [2, 0], [2, 1]], ["a", "x", "c", "d"], [3, 2])
    assert tf.edit_distance(hypothesis, truth).numpy().tolist() == [1.0, 1.0, 0.5]
    assert tf.edit_distance(hypothesis, truth, normalize=False).numpy().tolist() == [1.0, 1.0, 1.0]
    one, other = tf.SparseTensor([[0, 0]], [1], [2, 1]), tf.SparseTensor([[2, 0]], [2], [3, 1])
    assert tf.edit_distance(one, other).numpy().tolist() == [np.inf, 0.0, 1.0]


def test_edit_distances_of_other_ranks_are_refused() -> None:
    flat = tf.SparseTensor([[0]], [1], [1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="rank of at least 2"):
        tf.edit_distance(flat, flat)
