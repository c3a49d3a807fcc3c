"""Matrices by SciPy's LAPACK, in stacks on several threads and side by side: all give what NumPy gives one by one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.interpreter import threads as parked
from inlay._src.base.tuning import TUNING
from inlay._src.ops import lapack

DTYPES = [np.float32, np.float64, np.complex64, np.complex128]
RAND = np.random.default_rng(5)


def numbers(*shape: int, dtype: Any) -> np.ndarray:
    values = RAND.standard_normal(shape)
    return (values + 1j * RAND.standard_normal(shape) if np.dtype(dtype).kind == "c" else values).astype(dtype)


def regular(*shape: int, dtype: Any) -> np.ndarray:
    return numbers(*shape, dtype=dtype) + 2 * np.eye(shape[-1], dtype=dtype) * np.sqrt(shape[-1]).astype(dtype)


def close(result: Any, expected: Any) -> None:
    result, expected = np.asarray(result), np.asarray(expected)
    assert (result.dtype, result.shape) == (expected.dtype, expected.shape)
    np.testing.assert_allclose(result, expected, rtol=1e-4 if result.real.dtype == np.float32 else 1e-11, atol=1e-5)


def as_alone(matrix: np.ndarray, rhs: np.ndarray, lower: bool, adjoint: bool) -> np.ndarray:
    """The solution of triangular systems with 64 bits."""
    triangle = (np.tril(matrix) if lower else np.triu(matrix)).astype(np.result_type(matrix.dtype, np.float64))
    turned = triangle.conj().swapaxes(-1, -2) if adjoint else triangle
    return np.linalg.solve(turned, rhs.astype(turned.dtype)).astype(rhs.dtype)


@pytest.fixture(params=[1, 2], ids=["one thread", "two threads"])
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parked, "_asked", request.param)
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e12)
    monkeypatch.setattr(TUNING, "thread_trials", 0)


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize("side", [3, 20], ids=["side by side", "by BLAS"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("adjoint", [True, False])
def test_triangles_are_solved_as_whole_matrices(
    side: int, dtype: Any, lower: bool, adjoint: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr(TUNING, "scipy_matrix_products", 0)
    monkeypatch.setattr(TUNING, "substituted_matrices", 4)
    monkeypatch.setattr(TUNING, "block_elements", 60)  # of which there are several
    shapes = [((7,), (7,)), ((), ()), ((3, 1), (4,)), ((), (5,)), ((5,), ())]
    for of_matrix, of_rhs in shapes:
        for columns in (1, 4):
            matrix = regular(*of_matrix, side, side, dtype=dtype)
            rhs = numbers(*of_rhs, side, columns, dtype=dtype)
            before = rhs.copy()
            expected = as_alone(matrix, rhs, lower, adjoint)
            matrix[..., 0 if lower else -1, -1 if lower else 0] = np.nan  # in the other triangle
            for m, b in ((matrix, rhs), (np.asfortranarray(matrix), rhs[..., ::-1, :][..., ::-1, :])):
                m.flags.writeable = b.flags.writeable = False
                close(tf.linalg.triangular_solve(m, b, lower=lower, adjoint=adjoint), expected)
            np.testing.assert_array_equal(rhs, before)


@pytest.mark.parametrize("side", [3, 20])
def test_triangles_with_zeros_keep_their_infinities(side: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "scipy_matrix_products", 0)
    monkeypatch.setattr(TUNING, "substituted_matrices", 1)
    matrix, rhs = np.stack([np.eye(side)] * 2), np.ones((2, side, 1))
    matrix[1, 1, 1] = 0.0
    solution = tf.linalg.triangular_solve(matrix, rhs).numpy()
    assert np.argwhere(~np.isfinite(solution)).tolist() == [[1, row, 0] for row in range(1, side)]


def test_nothing_is_solved_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "scipy_matrix_products", 0)
    for matrix, rhs in (((0, 20, 20), (0, 20, 2)), ((20, 20), (20, 0)), ((0, 0), (0, 3)), ((2, 0, 0), (2, 0, 1))):
        assert tf.linalg.triangular_solve(np.ones(matrix), np.ones(rhs)).shape == rhs
        assert tf.linalg.inv(np.ones(matrix)[..., :0, :0]).shape == (*matrix[:-2], 0, 0)
        assert tf.linalg.lu(np.ones(matrix)[..., :0, :0])[0].shape == (*matrix[:-2], 0, 0)


STACKED: dict[str, Callable[[np.ndarray], Any]] = {
    "inv": tf.linalg.inv,
    "det": tf.linalg.det,
    "slogdet": lambda x: list(tf.linalg.slogdet(x)),
    "cholesky": lambda x: tf.linalg.cholesky(x @ x.conj().swapaxes(-1, -2)),
    "solve": lambda x: tf.linalg.solve(x, x[..., ::-1]),
    "qr": lambda x: list(tf.linalg.qr(x)),
    "full qr": lambda x: list(tf.linalg.qr(x[..., :2], full_matrices=True)),
    "svd": lambda x: list(tf.linalg.svd(x[..., :2])),
    "singular values": lambda x: tf.linalg.svd(x, compute_uv=False),
    "eigh": lambda x: list(tf.linalg.eigh(x)),
    "eigvalsh": tf.linalg.eigvalsh,
    "eig": lambda x: list(tf.linalg.eig(x)),
    "lu": lambda x: list(tf.linalg.lu(x)),
}


@pytest.mark.parametrize("lead", [(11,), (3, 5), (1,)])
@pytest.mark.parametrize("name", STACKED)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_parts_of_a_stack_are_those_of_the_whole(
    name: str, dtype: Any, lead: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = regular(*lead, 4, 4, dtype=dtype)
    monkeypatch.setattr(parked, "_asked", 1)
    expected = tf.nest.flatten(STACKED[name](x))
    monkeypatch.setattr(parked, "_asked", 2)
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e12)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    spread, parts = lapack.spread, []

    def counting(work: Callable[[int], None], count: int, threads: int) -> None:
        parts.append(count)
        spread(work, count, threads)

    monkeypatch.setattr(lapack, "spread", counting)
    result = tf.nest.flatten(STACKED[name](x))
    assert bool(parts) == (lead != (1,))
    for a, b in zip(result, expected, strict=True):
        assert (a.dtype, a.shape, a.numpy().tobytes()) == (b.dtype, b.shape, b.numpy().tobytes())


def test_one_matrix_of_a_stack_without_a_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "thread_wakeup_ns", -1e12)
    monkeypatch.setattr(TUNING, "thread_trials", 0)
    monkeypatch.setattr(parked, "_asked", 2)
    x = np.stack([np.eye(3)] * 9)
    x[5, 1, 1] = 0.0
    for function in (tf.linalg.inv, tf.linalg.lu, lambda y: tf.linalg.solve(y, y)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            function(x)
    x[5, 1, 1] = -1.0
    factors = tf.linalg.cholesky(x).numpy()
    assert np.argwhere(np.isnan(factors).all((-2, -1)) | np.isnan(factors[:, 0, 0])).tolist() == [[5]]


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_matrices_by_scipy(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("scipy")
    monkeypatch.setattr(TUNING, "small_matrix_side", 10)
    x = regular(2, 20, 20, dtype=dtype)
    result = []
    for least in (10**9, 0):
        monkeypatch.setattr(TUNING, "scipy_matrix_products", least)
        result.append([tf.linalg.inv(x), tf.linalg.inv(x, adjoint=True), *tf.linalg.lu(x)])
    for a, b in zip(*result, strict=True):
        close(a, b)
    for function in (tf.linalg.inv, tf.linalg.lu):
        with pytest.raises(tf.errors.InvalidArgumentError, match="not invertible"):
            function(np.zeros((20, 20), dtype))


def test_without_scipy_numpy_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "small_matrix_side", 10)
    monkeypatch.setattr(TUNING, "scipy_matrix_products", 0)
    monkeypatch.setattr(lapack, "scipy_is_installed", lambda: False)
    monkeypatch.setattr(lapack, "from_scipy", None)
    x = regular(20, 20, dtype=np.float64)
    close(tf.linalg.inv(x), np.linalg.inv(x))
    close(tf.linalg.triangular_solve(x, x), as_alone(x, x, True, False))
    factors, order = tf.linalg.lu(x)
    close((np.tril(factors, -1) + np.eye(20)) @ np.triu(factors), x[np.asarray(order)])


def test_eigenvalues_alone_have_the_gradient_of_both() -> None:
    x = RAND.standard_normal((3, 4, 4))
    for function in (tf.linalg.eigvalsh, lambda y: tf.linalg.eigh(y)[0]):
        theory, numeric = tf.test.compute_gradient(function, [x])
        np.testing.assert_allclose(theory[0], numeric[0], atol=1e-5)
    with tf.Graph().as_default():
        values = tf.linalg.eigvalsh(tf.constant(x))
        assert [t.shape for t in values.op.outputs] == [[3, 4], [0]]


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint32, np.uint64, np.int16])
def test_products_of_whole_numbers_are_exact_in_every_way(dtype: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TUNING, "whole_products", 0)
    kind = np.iinfo(dtype)
    for most in (9, 2**15 - 1, 2**30, kind.max):
        low, high = max(kind.min, -most), min(kind.max, most)
        a, b = (RAND.integers(low, high, (2, 12, 12), dtype, endpoint=True) for _ in range(2))
        exact = np.matmul(a.astype(object), b.astype(object))
        wrapped = np.vectorize(lambda v, bits=kind.bits: v % 2**bits, otypes=[object])(exact)
        result = tf.matmul(a, b).numpy()
        assert result.dtype == dtype
        assert (result.astype(object) % 2**kind.bits == wrapped).all()
    assert tf.matmul(np.ones((0, 3), dtype), np.ones((3, 2), dtype)).shape == [0, 2]
    assert tf.matmul(np.ones((2, 0), dtype), np.ones((0, 2), dtype)).numpy().tolist() == [[0, 0], [0, 0]]
