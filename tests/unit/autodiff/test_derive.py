"""Derived gradients: one compiled function per pattern, any order, any thread, and the global flag of JAX untouched."""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types.dtypes import FLOATS
from inlay._src.core.eager.declaration import op
from inlay._src.core.opdef import OPS, broadcast, same
from inlay._src.engine.autodiff import derive

tf.Graph  # noqa: B018  (declares the ops)


@pytest.fixture(scope="module")
def swing() -> Iterator[Any]:
    @op("TestSwing", "x:T, y:T -> T", types={"T": FLOATS}, infer=broadcast)
    def swing(xp, x, y):  # type: ignore[no-untyped-def]
        """x**2 sin(y) along a broadcast."""
        return xp.multiply(xp.multiply(x, x), xp.sin(y))

    yield swing
    del OPS["TestSwing"]


def third_order(x: Any, y: Any, function: Any) -> list[Any]:
    """function, d/dx, d2/dx2, d3/dx2dy."""
    with tf.GradientTape() as c:
        c.watch(y)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as a:
                a.watch(x)
                value = function(x, y)
            first = a.gradient(value, x)
        second = b.gradient(first, x)
    return [t.numpy() for t in (value, first, second, c.gradient(second, y))]


def test_derivatives_of_any_order_are_those_of_the_kernel(swing: Any) -> None:
    x, y = tf.constant(np.array([[0.5], [2.0]])), tf.constant(np.array([0.3, 1.1, 2.0]))
    value, first, second, third = third_order(x, y, swing)
    np.testing.assert_allclose(value, x**2 * np.sin(y))
    np.testing.assert_allclose(first, 2 * x * np.sin(y).sum())
    np.testing.assert_allclose(second, np.full((2, 1), 2 * np.sin(y).sum()))
    np.testing.assert_allclose(third, 4 * np.cos(y))


def _compiled(name: str) -> list[Any]:
    return [function for key, function in derive._COMPILED.items() if key[0].opdef.name == name]


def test_one_function_serves_all_sizes(swing: Any) -> None:
    derive._COMPILED.clear()
    for rows in (2, 3, 5, 8):
        x, y = tf.constant(np.full((rows, rows + 1), 2.0)), tf.constant(np.linspace(0, 1, rows + 1))
        with tf.GradientTape() as tape:
            tape.watch(y)
            value = swing(x, y)
        np.testing.assert_allclose(tape.gradient(value, y), 4.0 * rows * np.cos(y))
    assert len(_compiled("TestSwing")) == 1


def test_threads_ask_at_once_and_the_flag_stays(swing: Any) -> None:
    import jax

    derive._COMPILED.clear()
    before, found = jax.config.jax_enable_x64, []

    def ask(k: int) -> None:
        x = tf.constant(np.full(k, 3.0))
        with tf.GradientTape() as tape:
            tape.watch(x)
            value = swing(x, x)
        found.append((k, tape.gradient(value, x).numpy()))

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(2, 10)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    want = 6 * np.sin(3.0) + 9 * np.cos(3.0)
    assert len(found) == 8
    for k, g in found:
        assert g.dtype == np.float64 and g.shape == (k,)
        np.testing.assert_allclose(g, want)
    assert jax.config.jax_enable_x64 == before
    assert len(_compiled("TestSwing")) == 1


def test_a_derived_op_is_found_by_its_name(swing: Any) -> None:
    third_order(tf.constant(1.0), tf.constant(2.0), swing)
    made = [d for d in derive._DERIVED.values() if d.name.startswith("TestSwing")]
    assert len(made) >= 2
    assert all(derive.named(d.name) is d for d in made)
    with pytest.raises(KeyError):
        derive.named("NoSuchOpVjp_1o0t1")


def test_graphs_hold_derived_ops_without_knowing_shapes(swing: Any) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32)
        (first,) = tf.gradients(swing(x, x), x)
        (second,) = tf.gradients(first, x)
        for size in (1, 3):
            v = np.linspace(0.5, 1, size).astype(np.float32)
            got = session.run([first, second], {x: v})
            np.testing.assert_allclose(got[0], 2 * v * np.sin(v) + v**2 * np.cos(v), rtol=1e-5)
            np.testing.assert_allclose(got[1], 2 * np.sin(v) + 4 * v * np.cos(v) - v**2 * np.sin(v), rtol=1e-5)


def test_an_op_that_is_not_pure_names_itself() -> None:
    with pytest.raises(LookupError, match="PyFunc.*custom_gradient"):
        derive.vjp_of(OPS["PyFunc"])


def test_an_underivable_kernel_says_why() -> None:
    @op("TestOpaque", "x:T -> T", types={"T": FLOATS}, infer=same)
    def opaque(xp, x):  # type: ignore[no-untyped-def]
        """Not for tracers."""
        return np.asarray(x) * 2

    try:
        x = tf.constant([1.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = opaque(x)
        with pytest.raises(Exception, match="No gradient defined for op type TestOpaque, and none could be derived"):
            tape.gradient(y, x)
    finally:
        del OPS["TestOpaque"]


def test_static_inputs_and_attributes_are_told_apart_exactly() -> None:
    derive._COMPILED.clear()

    @op("TestScaled", "x:T -> T", types={"T": FLOATS}, infer=same)
    def scaled(xp, x, *, by):  # type: ignore[no-untyped-def]
        """x / by, where the sign of a zero matters."""
        return xp.divide(x, by)

    def gradient(by: Any) -> float:
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = scaled(x, by)
        return float(tape.gradient(y, x))

    try:
        assert [gradient(by) for by in (0.0, -0.0, 1.0, True, 2)] == [np.inf, -np.inf, 1.0, 1.0, 0.5]
        assert len(_compiled("TestScaled")) == 5
    finally:
        del OPS["TestScaled"]


def test_list_inputs_are_grouped_as_the_kernel_takes_them() -> None:
    @op("TestWeighted", "w:T, parts:*T -> T", types={"T": FLOATS})
    def weighted(xp, w, parts):  # type: ignore[no-untyped-def]
        """The sum of parts, each times one more than the last, times w."""
        return w * sum((k + 1) * p * p for k, p in enumerate(parts))

    try:
        w, parts = tf.constant(2.0), [tf.constant(1.0), tf.constant(3.0), tf.constant(5.0)]
        for count in (1, 2, 3):
            with tf.GradientTape() as tape:
                tape.watch([w, parts])
                y = weighted(w, parts[:count])
            found = tape.gradient(y, [w, *parts[:count]])
            want = [sum((k + 1) * p * p for k, p in enumerate((1.0, 3.0, 5.0)[:count]))]
            want += [4.0 * (k + 1) * p for k, p in enumerate((1.0, 3.0, 5.0)[:count])]
            assert [float(g) for g in found] == want
    finally:
        del OPS["TestWeighted"]


def test_complex_cotangents_are_conjugates_as_in_tensorflow() -> None:
    @op("TestTurned", "x:T -> T", types={"T": frozenset({tf.complex64})}, infer=same)
    def turned(xp, x):  # type: ignore[no-untyped-def]
        """x times 2 + 3i."""
        return x * xp.asarray(2 + 3j, x.dtype)

    try:
        x = tf.constant([1 + 1j], tf.complex64)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = turned(x)
        assert tape.gradient(y, x, tf.constant([1.0 + 0j], tf.complex64)).numpy().tolist() == [2 - 3j]
    finally:
        del OPS["TestTurned"]


def test_derived_ops_pickle_by_name(swing: Any) -> None:
    third_order(tf.constant(1.0), tf.constant(2.0), swing)
    for made in [d for d in derive._DERIVED.values() if d.name.startswith("TestSwing")]:
        assert pickle.loads(pickle.dumps(made)) is made
