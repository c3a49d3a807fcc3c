"""`tf.experimental.numpy` gives what NumPy gives: values, dtypes and shapes, also in functions of unknown sizes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core.eager import promotion

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


@pytest.fixture
def modes() -> Iterator[Callable[..., None]]:
    yield promotion.set_mode  # the whole behavior would give tensors methods for the rest of the process
    promotion.set_mode("off")


def test_numbers_of_python_have_the_dtypes_of_the_mode(modes: Callable[..., None]) -> None:
    assert tnp.asarray(1).dtype == tnp.sum([True]).dtype == tnp.argsort([2, 1]).dtype == tf.int64
    assert tnp.asarray(1.0).dtype == tnp.add(1, 2.0).dtype == tnp.ones(2).dtype == tnp.sqrt(4).dtype == tf.float64
    modes("legacy", prefer_float32=True)
    assert tnp.asarray(1.0).dtype == tnp.add(1, 2.0).dtype == tnp.linspace(0, 1, 3).dtype == tf.float32
    assert tnp.asarray(1j).dtype == tf.complex64 and tnp.sqrt(4).dtype == tnp.ones(2).dtype == tf.float64
    modes("all")
    assert tnp.asarray(1).dtype == tnp.sum([True]).dtype == tnp.argsort([2, 1]).dtype == tf.int32
    assert tnp.asarray(1.0).dtype == tnp.sqrt(4).dtype == tnp.ones(2).dtype == tnp.mean([1, 2]).dtype == tf.float32
    assert tnp.matmul(tf.constant([[1]]), tf.constant([[2.0]])).dtype == tf.float32


def test_sizes_may_be_unknown_while_a_function_is_traced() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.int32), tf.TensorSpec([None], tf.int32)])
    def computed(x: Any, y: Any) -> Any:
        return [
            tnp.gcd(x, y), tnp.lcm(x, 6), tnp.array_equal(x, x), tnp.array_equal(y, tnp.append(y, 1)),
            tnp.broadcast_arrays(x, y)[1], tnp.take_along_axis(x, tnp.argsort(x, -1), -1), tnp.tril(x), tnp.kron(x, y),
            tnp.average(x, 0, [1.0, 3.0]), tnp.compress(y > 2, x, 1), tnp.roll(x, 1), tnp.diagonal(x, 1), tnp.vander(y),
            tnp.tri(tnp.size(y), k=-1), tnp.pad(x, ((1, 0), (0, 2)), "constant"), tnp.diff(x), tnp.dstack([x, x]),
        ]  # fmt: skip

    x, y = np.array([[12, 5, 8], [9, 4, 6]], np.int32), np.array([8, 5, 2], np.int32)
    want = [
        np.gcd(x, y), np.lcm(x, 6), True, False, np.broadcast_arrays(x, y)[1], np.sort(x), np.tril(x), np.kron(x, y),
        np.average(x, 0, [1.0, 3.0]), np.compress(y > 2, x, 1), np.roll(x, 1), np.diagonal(x, 1), np.vander(y),
        np.tri(3, k=-1), np.pad(x, ((1, 0), (0, 2))), np.diff(x), np.dstack([x, x]),
    ]  # fmt: skip
    for ours, theirs in zip(computed(x, y), want, strict=True):
        np.testing.assert_allclose(np.asarray(ours), theirs)


def test_where_numpy_is_right_its_answer_is_given() -> None:
    same(tnp.around([15, 25], -1), np.around([15, 25], -1))
    same(tnp.isclose([np.inf, -np.inf], [np.inf, np.inf]), [True, False])
    same(tnp.linspace(0, 10, 3, dtype=np.int32), np.linspace(0, 10, 3, dtype=np.int32))
    same(tnp.concatenate(np.ones([2, 3])), np.ones(6))
    same(tnp.lcm(np.int8(6), np.int8(22)), np.int8(66))


def test_dtypes_may_be_said_by_numpy_s_codes() -> None:
    same(tnp.asarray([1], "f4"), np.asarray([1], "f4"))
    assert tnp.asarray([1], "bfloat16").dtype == tf.bfloat16 and tnp.random.randint(3, dtype="l").dtype == tf.int64


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "axis": (lambda: tnp.swapaxes(WHOLE, 0, 5), "axis 5 is out of bounds"),
    "moved axis": (lambda: tnp.moveaxis(WHOLE, 0, 5), "axis 5 is out of bounds"),
    "plane vectors": (lambda: tnp.cross([1], [2]), "2 or 3 numbers"),
    "nothing to join": (lambda: tnp.concatenate([]), "at least one array"),
    "mode of take": (lambda: tnp.take([1], [5], mode="raise"), "mode must be"),
    "mode of pad": (lambda: tnp.pad([1], [[1, 1]], "edge"), "Unsupported padding mode"),
    "kind of sort": (lambda: tnp.sort([1], kind="stable"), "quicksort"),
    "order of sort": (lambda: tnp.argsort([1], order="x"), "order"),
    "sparse grid": (lambda: tnp.meshgrid([1], sparse=True), "sparse=False"),
    "one of two": (lambda: tnp.where([True], [1]), "Both x and y"),
    "no conditions": (lambda: tnp.select([], []), "non-empty"),
    "choices": (lambda: tnp.select([[True]], []), "1 vs 0"),
    "axes of average": (lambda: tnp.average(REAL, axis=(0, 1)), "must be an integer"),
    "rank of a grid's vector": (lambda: tnp.ix_(WHOLE), "arg 0 of rank 2"),
    "rank of powers": (lambda: tnp.vander(WHOLE), "one-dimensional"),
    "rank of a diagonal": (lambda: tnp.diag(3), "vector or a matrix"),
    "step": (lambda: tnp.arange(0, 1, 0), "non-zero"),
    "divisor of fractions": (lambda: tnp.gcd(1.5, 2), "integers"),
    "order of full_like": (lambda: tnp.full_like(REAL, 1, order="F"), "order must be 'K'"),
    "shape of full_like": (lambda: tnp.full_like(REAL, 1, shape=[1]), "call `full`"),
    "where of sign": (lambda: tnp.sign(REAL, where=True), "no argument but x"),
    "casting": (lambda: tnp.einsum("ij", REAL, casting="unsafe"), "casting"),
    "seed": (lambda: tnp.random.seed((1, 3)), "Only integers"),
    "differences": (lambda: tnp.diff(REAL, n=-1), "non-negative"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refused_with_a_reason(what: str) -> None:
    call, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        call()


def test_a_rank_that_is_needed_and_unknown_is_said() -> None:
    traced = tf.function(lambda x: tnp.swapaxes(x, 0, 1), input_signature=[tf.TensorSpec(None, tf.float32)])
    with pytest.raises(ValueError, match="rank of .* must be known here"):
        traced(REAL)


def test_drawn_counts_have_the_shape_behind_that_of_their_means() -> None:
    drawn = tf.experimental.numpy.random.poisson([3.0, 1.0], [4, 2])
    assert drawn.shape == [4, 2, 2] and drawn.dtype == tf.int64


def test_dtypes_are_numpy_s() -> None:
    assert tnp.float32 is np.float32 and tnp.float_ is np.float64 and tnp.iinfo(tnp.int8).max == 127
    assert tnp.finfo(tf.float16).bits == 16 and tnp.promote_types(np.int32, np.float32) == np.float64
    assert tnp.result_type(1, tf.constant(1.0)) == tf.float32 and tnp.isscalar("a") and not tnp.isscalar([1])
