"""`tf.experimental.numpy` gives what NumPy gives: values, dtypes and shapes, also in functions of unknown sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import inlay as tf

tnp = tf.experimental.numpy
WHOLE = np.array([[3, 1, 2], [5, 4, 4]], np.int32)
REAL = np.array([[0.25, 0.75, 0.5], [0.125, 1.0, 0.375]], np.float32)
ELEMENTWISE = (
    "sqrt exp log log1p expm1 floor ceil isnan isinf isfinite sin cos tan sinh cosh tanh arctan square negative sign "
    "absolute conj real imag"
).split()
PAIRS = (
    "add subtract multiply divide true_divide floor_divide mod remainder power maximum minimum equal not_equal less "
    "less_equal greater greater_equal logical_and logical_or logical_xor"
).split()
CALLS: dict[str, Callable[[Any], Any]] = {
    "sum": lambda m: m.sum(WHOLE, axis=1),
    "sum of bytes": lambda m: m.sum(WHOLE.astype(np.uint8), keepdims=True),
    "sum in a type": lambda m: m.sum(WHOLE, dtype=np.float32),
    "prod": lambda m: m.prod(REAL, axis=0),
    "mean": lambda m: m.mean(WHOLE, axis=1, keepdims=True),
    "var": lambda m: m.var(REAL, axis=1, ddof=1),
    "std": lambda m: m.std(WHOLE),
    "max": lambda m: m.max(WHOLE, axis=0),
    "amin": lambda m: m.amin(REAL),
    "any": lambda m: m.any(WHOLE > 4, axis=1),
    "all": lambda m: m.all(WHOLE, axis=1),
    "argmax": lambda m: m.argmax(WHOLE),
    "argmin": lambda m: m.argmin(WHOLE, axis=1),
    "cumsum": lambda m: m.cumsum(WHOLE),
    "cumprod": lambda m: m.cumprod(WHOLE, axis=1),
    "reshape": lambda m: m.reshape(WHOLE, (3, 2), order="F"),
    "reshape to one axis": lambda m: m.reshape(WHOLE, -1),
    "transpose": lambda m: m.transpose(WHOLE),
    "swapaxes": lambda m: m.swapaxes(WHOLE[None], 0, -1),
    "moveaxis": lambda m: m.moveaxis(WHOLE[None], 0, 2),
    "moveaxis of two": lambda m: m.moveaxis(np.zeros([1, 2, 3, 4]), [0, 1], [-1, 0]),
    "squeeze": lambda m: m.squeeze(WHOLE[None], 0),
    "concatenate": lambda m: m.concatenate([WHOLE, REAL], axis=1),
    "stack": lambda m: m.stack([WHOLE, REAL], axis=-1),
    "tile": lambda m: m.tile(WHOLE, (2, 1, 2)),
    "tile fewer": lambda m: m.tile(WHOLE, 2),
    "broadcast_to": lambda m: m.broadcast_to(WHOLE[:, :1], (2, 3)),
    "where": lambda m: m.where(WHOLE > 3, WHOLE, REAL),
    "where alone": lambda m: m.where(WHOLE > 3)[1],
    "clip below": lambda m: m.clip(WHOLE, 2, None),
    "clip": lambda m: m.clip(REAL, 0.25, 0.5),
    "dot of vectors": lambda m: m.dot(WHOLE[0], REAL[0]),
    "dot of matrices": lambda m: m.dot(WHOLE, REAL.T),
    "matmul": lambda m: m.matmul(WHOLE, REAL.T),
    "tensordot": lambda m: m.tensordot(WHOLE, REAL, 2),
    "outer": lambda m: m.outer(WHOLE, REAL[0]),
    "eye": lambda m: m.eye(3, 4, k=-1),
    "arange": lambda m: m.arange(5, 1, -1.5),
    "linspace": lambda m: m.linspace(1, 2, 4, endpoint=False),
    "full_like": lambda m: m.full_like(WHOLE, 7.9),
    "array": lambda m: m.array([1, 2], dtype=float, ndmin=3),
    "size": lambda m: m.size(WHOLE, 1),
}


def same(got: Any, want: Any) -> None:
    got, want = np.asarray(got), np.asarray(want)
    assert (got.dtype, got.shape) == (want.dtype, want.shape)
    np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_element_by_element(name: str) -> None:
    same(getattr(tnp, name)(REAL), getattr(np, name)(REAL))
    got = np.asarray(getattr(tnp, name)(WHOLE))
    np.testing.assert_allclose(got, getattr(np, name)(WHOLE.astype(np.float64)), rtol=1e-12)
    assert got.dtype in (np.float64, np.bool_, np.int32)


@pytest.mark.parametrize("name", PAIRS)
def test_two_operands(name: str) -> None:
    ours, theirs = getattr(tnp, name), getattr(np, name)
    for x, y in ((WHOLE, REAL), (REAL, 2), (REAL, 0.5), (2, WHOLE), (WHOLE, WHOLE.astype(np.int8)), ([1, 2], [2.5, 3])):
        same(ours(x, y), theirs(x, y))
    same(ours(tf.constant(REAL), 1.5), theirs(REAL, 1.5))


@pytest.mark.parametrize("name", CALLS)
def test_along_axes_and_shapes(name: str) -> None:
    same(CALLS[name](tnp), CALLS[name](np))


def test_in_a_function_of_unknown_sizes_and_on_a_tape() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.float32)])
    def reckoned(x: Any) -> Any:
        return tnp.mean(tnp.multiply(tnp.sqrt(x), 2), axis=0), tnp.size(x), tnp.zeros_like(x)

    mean, size, zeros = reckoned(REAL)
    same(mean, np.mean(np.sqrt(REAL) * 2, axis=0))
    assert int(size) == 6 and zeros.shape == (2, 3)
    x = tnp.asarray([1.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        total = tnp.sum(tnp.sqrt(x))
    same(tape.gradient(total, x), [0.5, 0.25])


def test_what_writes_into_a_tensor_is_refused() -> None:
    with pytest.raises(ValueError, match="out is not supported"):
        tnp.mean(WHOLE, out=np.zeros(3))
    with pytest.raises(ValueError, match="order must be 'C' or 'F'"):
        tnp.reshape(WHOLE, [6], order="K")


def test_random_numbers_have_the_shape_that_is_asked_for() -> None:
    random = tf.experimental.numpy.random
    random.seed(3)
    first = random.randn(2, 3)
    random.seed(3)
    assert np.array_equal(random.randn(2, 3), first) and first.shape == [2, 3] and first.dtype == tf.float64
    assert random.rand().shape == [] and random.random([4]).shape == [4]
    bounded = random.uniform([0.0, 10.0], [1.0, 11.0]).numpy()
    assert 0 <= bounded[0] < 1 and 10 <= bounded[1] < 11
    whole = random.randint(3, 5, [100], np.int32)
    assert whole.dtype == tf.int32 and set(whole.numpy().tolist()) == {3, 4}
    assert set(random.randint(2, size=50).numpy().tolist()) == {0, 1}
