"""Calls of fixed shapes: arguments are owned or lent, and results are copied however they lie in memory."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.compilers import xla_ffi

jax = pytest.importorskip("jax")
jnp = jax.numpy

SHAPES = [(), (1,), (8,), (3, 4), (2048,), (40, 50)]
"""Up to 4096 bytes a result is copied in one way, and larger ones in another."""
DTYPES = sorted(xla_ffi.SUPPORTED, key=str)


def _values(shape: tuple[int, ...], dtype: Any) -> np.ndarray:
    return (np.arange(int(np.prod(shape))).reshape(shape) % 2 + 1).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_dtype_and_shape_goes_there_and_back(shape: tuple[int, ...], dtype: Any) -> None:
    with jax.enable_x64(True):
        x = jnp.asarray(_values(shape, dtype))
        for options in ({"mode": "numpy"}, {"mode": "numpy", "copy": False}, {}, {"copy": False}):
            calls = jax.jit(tf.jax.op(lambda a: a, lambda a: a, **options))
            y = calls(x)
            assert y.dtype == dtype and y.shape == shape
            np.testing.assert_array_equal(np.asarray(y), np.asarray(x))


@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("size", [6, 6000])
@pytest.mark.parametrize(
    "view",
    [lambda a: a[::-1], lambda a: np.broadcast_to(a[:1], a.shape), lambda a: a.reshape(2, -1).T.reshape(-1)],
    ids=["reversed", "broadcast", "transposed"],
)
def test_a_view_of_an_argument_may_be_the_result(view: Any, size: int, copy: bool) -> None:
    x = jnp.arange(size, dtype=jnp.float32)
    y = jax.jit(tf.jax.op(view, lambda a: a, mode="numpy", copy=copy))(x)
    np.testing.assert_array_equal(np.asarray(y), view(np.asarray(x)))


def test_results_are_those_of_the_call_when_the_function_writes_into_them_later() -> None:
    mine = np.zeros(4, np.float32)

    def counted(x: Any) -> Any:
        mine[:] += 1
        return mine

    calls = jax.jit(tf.jax.op(counted, lambda x: x, mode="numpy", stateful=True))
    results = [calls(jnp.zeros(4)) for _ in range(40)]  # the first calls run without generated source
    assert [float(r[0]) for r in results] == list(range(1, 41))


def test_an_owned_argument_is_the_functions_to_write_and_to_keep() -> None:
    kept = []

    def body(x: Any) -> Any:
        x *= 2
        kept.append(x)
        return x

    x = jnp.arange(8, dtype=jnp.float32)
    calls = jax.jit(tf.jax.op(body, lambda a: a, mode="numpy"))
    for _ in range(3):
        calls(x).block_until_ready()
    np.testing.assert_array_equal(np.asarray(x), np.arange(8))
    for array in kept:
        np.testing.assert_array_equal(array, np.arange(8) * 2)


def test_a_lent_argument_is_read_only_and_each_call_has_its_own() -> None:
    seen = []

    def body(x: Any) -> Any:
        seen.append(x.shape)
        with pytest.raises(ValueError, match="read-only"):
            x[0] = 1
        y = x.view()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # NumPy 2.5
            x.shape = 2, 4
        return y

    calls = jax.jit(tf.jax.op(body, lambda a: a, mode="numpy", copy=False, stateful=True))
    x = jnp.arange(8, dtype=jnp.float32)
    for _ in range(3):
        np.testing.assert_array_equal(np.asarray(calls(x)), np.arange(8))
    assert seen == [(8,)] * 3


def test_python_numbers_and_lists_are_results() -> None:
    pair = jax.ShapeDtypeStruct((2,), jnp.bool), jax.ShapeDtypeStruct((), jnp.bool)
    first, second = jax.jit(tf.jax.op(lambda x: ([True, False], True), pair, mode="numpy"))(jnp.zeros(2))
    assert first.tolist() == [True, False] and bool(second)


@pytest.mark.parametrize("options", [{"mode": "numpy"}, {}], ids=["arrays", "tensors"])
def test_a_result_of_another_shape_is_refused(options: dict[str, Any]) -> None:
    calls = jax.jit(tf.jax.op(lambda x: x[:3], lambda x: x, **options))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"shape \[3\]; declared is \[8\]"), tf.jax.host_errors():
        calls(jnp.zeros(8)).block_until_ready()


def test_an_error_names_the_arguments_and_the_next_call_works() -> None:
    def body(x: Any) -> Any:
        if x[0] < 0:
            raise KeyError("negative")
        return x

    calls = jax.jit(tf.jax.op(body, lambda x: x, mode="numpy"))
    for _ in range(3):
        with pytest.raises(KeyError, match=r"(?s)negative.*float32"), tf.jax.host_errors():
            calls(jnp.full(8, -1.0)).block_until_ready()
        assert float(calls(jnp.ones(8))[0]) == 1.0


def test_a_function_runs_eagerly_where_a_graph_is_in_force() -> None:
    modes = []

    def body(x: Any) -> Any:
        modes.append(tf.executing_eagerly())
        return tf.square(x)

    calls = jax.jit(tf.jax.op(body, lambda x: x))
    with tf.Graph().as_default():
        assert calls(jnp.array([3.0])).tolist() == [9.0] and not tf.executing_eagerly()
    assert modes == [True]
