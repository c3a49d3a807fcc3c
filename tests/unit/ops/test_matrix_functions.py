"""The exponential and the pseudo-inverse of matrices, and Fourier transforms, beside SciPy and NumPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import inlay as tf

RNG = np.random.default_rng(3)


@pytest.mark.parametrize("size", [1e-3, 0.3, 3.0, 30.0])
@pytest.mark.parametrize("kind", ["float32", "complex128"])
def test_the_exponential_is_that_of_scipy(size: float, kind: str) -> None:
    a = size * RNG.normal(size=(3, 4, 4)) + (1j * RNG.normal(size=(3, 4, 4)) if kind == "complex128" else 0)
    wanted = np.stack([scipy.linalg.expm(m) for m in a.astype(kind).astype(np.complex128)])
    found = tf.linalg.expm(a.astype(kind)).numpy()
    assert found.dtype == kind
    np.testing.assert_allclose(found, wanted, atol=(2e-4 if kind == "float32" else 1e-11) * np.abs(wanted).max())


def test_a_rotation_by_many_turns_stays_a_rotation() -> None:
    turned = tf.linalg.expm(np.array([[0.0, -1000.0], [1000.0, 0.0]])).numpy()
    np.testing.assert_allclose(turned, [[np.cos(1000), -np.sin(1000)], [np.sin(1000), np.cos(1000)]], atol=1e-10)


def test_what_has_no_exponential() -> None:
    assert np.isnan(tf.linalg.expm([[np.inf, 0.0], [0.0, 0.0]]).numpy()).all()
    assert tf.linalg.expm(tf.zeros([0, 2, 2])).shape == [0, 2, 2]
    with pytest.raises(ValueError, match="does not support matrices of type int32"):
        tf.linalg.expm([[1, 2], [3, 4]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be square to exponentiate"):
        tf.linalg.expm(tf.zeros([2, 3]))


def test_the_pseudo_inverse_of_any_rank() -> None:
    a = RNG.normal(size=(2, 5, 3))
    a[1, :, 2] = a[1, :, 0] - a[1, :, 1]
    np.testing.assert_allclose(tf.linalg.pinv(a).numpy(), np.linalg.pinv(a), atol=1e-12)
    np.testing.assert_allclose(
        tf.linalg.pinv(a, rcond=[0.9, 0.1]).numpy(), np.linalg.pinv(a, rcond=np.array([0.9, 0.1])), atol=1e-12
    )
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float64)
        y = tf.linalg.pinv(x)
        with tf.compat.v1.Session() as sess:
            np.testing.assert_allclose(sess.run(y, {x: a}), np.linalg.pinv(a), atol=1e-12)


def test_what_has_no_pseudo_inverse() -> None:
    with pytest.raises(TypeError, match="saw complex64"):
        tf.linalg.pinv(tf.zeros([2, 2], tf.complex64))
    with pytest.raises(ValueError, match="at least 2 dimensions"):
        tf.linalg.pinv([1.0, 2.0])


@pytest.mark.parametrize("name", ["fft", "ifft"])
def test_transforms_are_those_of_numpy(name: str) -> None:
    x = RNG.normal(size=(2, 6)) + 1j * RNG.normal(size=(2, 6))
    transform, wanted = getattr(tf.signal, name), getattr(np.fft, name)(x)
    np.testing.assert_allclose(transform(x).numpy(), wanted, atol=1e-14)
    assert transform(x.astype(np.complex64)).dtype is tf.complex64
    assert transform([1.0, 2.0]).dtype is tf.complex64
    with pytest.raises(tf.errors.InvalidArgumentError):
        transform(tf.constant([1.0, 2.0]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="at least rank 1"):
        transform(tf.constant(1j))


@pytest.mark.parametrize("odd", [np.nan, np.inf, -np.inf])
def test_decompositions_of_matrices_that_are_not_finite_end(odd: float) -> None:
    matrices = np.array([[[-0.5, odd, odd], [odd, 2.8, -2.0], [-0.2, -1.2, odd]], np.diag([3.0, 2.0, 1.0])])
    for made in (tf.linalg.pinv(matrices), tf.linalg.svd(matrices)[1], tf.linalg.lstsq(matrices, matrices, fast=False)):
        assert np.isnan(made[0]).all() and np.isfinite(made[1]).all()
    assert tf.linalg.svd(matrices, compute_uv=False)[1].numpy().tolist() == [3.0, 2.0, 1.0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="not finite"):
        tf.linalg.eigh(matrices)


def test_a_logarithm_draws_nothing_from_numpys_global_generator_and_singular_matrices_have_none() -> None:
    np.random.seed(3)
    first = np.random.uniform(size=4)
    np.random.seed(3)
    matrix = np.random.default_rng(1).normal(size=(32, 32)) + 0j
    logarithm = tf.linalg.logm(matrix)
    np.testing.assert_array_equal(np.random.uniform(size=4), first)
    np.testing.assert_allclose(tf.linalg.expm(logarithm), matrix, atol=1e-11)
    assert np.isnan(tf.linalg.logm(np.array([[1.0, 2.0], [0.0, 0.0]], np.complex64))).all()
