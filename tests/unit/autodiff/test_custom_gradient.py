"""`custom_gradient`: eager, in sessions and functions, of any order; what stands in the graph is data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf


@tf.custom_gradient
def log1pexp(x: Any) -> Any:
    """The example of TensorFlow's documentation."""
    e = tf.exp(x)

    def grad(upstream: Any) -> Any:
        return upstream * (1 - 1 / (1 + e))

    return tf.math.log(1 + e), grad


@tf.custom_gradient
def sum_and_product(x: Any, y: Any) -> Any:
    def grad(of_sum: Any, of_product: Any) -> Any:
        return of_sum + 10.0 * of_product * y, of_sum + 10.0 * of_product * x

    return (x + y, x * y), grad


def test_the_given_gradient_is_used_where_the_ops_own_would_fail() -> None:
    x = tf.constant(100.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        own, plain = log1pexp(x), tf.math.log(1 + tf.exp(x))
    assert tape.gradient(own, x).numpy() == 1.0
    assert np.isnan(tape.gradient(plain, x).numpy())


def test_several_inputs_and_outputs_keep_their_places() -> None:
    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        total, product = sum_and_product(x, y)
    assert (total.numpy(), product.numpy()) == (7, 10)
    assert [g.numpy() for g in tape.gradient([total, product], [x, y])] == [51, 21]
    assert [g.numpy() for g in tape.gradient(product, [x, y])] == [50, 20]  # the other output's cotangent is zeros
    assert [g.numpy() for g in tape.gradient(total, [x, y])] == [1, 1]


def graph_slopes(how: str, x: float, y: float) -> list[float]:
    if how == "session":
        with tf.Graph().as_default() as graph, tf.compat.v1.Session() as session:
            a, b = tf.compat.v1.placeholder(tf.float32, []), tf.compat.v1.placeholder(tf.float32, [])
            grads = tf.gradients(sum_and_product(a, b)[1], [a, b])
            graph.verify()
            return [float(g) for g in session.run(grads, {a: x, b: y})]

    @tf.function
    def slopes(a: Any, b: Any) -> Any:
        return tf.gradients(sum_and_product(a, b)[1], [a, b])

    return [float(g) for g in slopes(tf.constant(x), tf.constant(y))]


@pytest.mark.parametrize("how", ["session", "function"])
def test_graphs_use_it_too(how: str) -> None:
    assert graph_slopes(how, 2.0, 5.0) == [50, 20]


def test_a_tape_around_a_function_takes_the_gradient_that_its_graph_holds() -> None:
    @tf.custom_gradient
    def pair(x: Any, y: Any) -> Any:
        return (x * y, x + y), lambda dp, ds: (dp * 100.0, ds * 1000.0)

    @tf.function
    def forward(x: Any, y: Any) -> Any:
        product, total = pair(x, y)
        return 2.0 * product + 3.0 * total + x

    x, y = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = forward(x, y)
    assert z.numpy() == 43 and [float(g) for g in tape.gradient(z, [x, y])] == [201, 3000]


def test_the_node_is_data_and_the_graph_owns_the_gradient() -> None:
    with tf.Graph().as_default() as graph:
        log1pexp(tf.constant(1.0))
        (node,) = [n for n in graph.nodes if n.type == "CustomGradient"]
        assert not any(callable(v) for v in node.attrs.values())
        assert callable(graph.referred(node.attrs["gradient"]))
        graph.verify()


def test_the_gradient_may_be_differentiated() -> None:
    @tf.custom_gradient
    def cube(x: Any) -> Any:
        return x * x * x, lambda dy: dy * 3.0 * x * x

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = cube(x)
        slope = inner.gradient(y, x)
    assert slope.numpy() == 12 and outer.gradient(slope, x).numpy() == 12
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        p = tf.compat.v1.placeholder(tf.float32, [])
        (first,) = tf.gradients(cube(p), p)
        (second,) = tf.gradients(first, p)
        assert session.run([first, second], {p: 2.0}) == [12, 12]


def test_nests_in_nests_out_and_no_gradient_for_some() -> None:
    @tf.custom_gradient
    def scaled(pair: Any) -> Any:
        return {"a": pair[0] * 2.0, "b": pair[1] * 3.0}, lambda a, b: (a * 20.0, None)

    x, y = tf.constant(1.0), tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        out = scaled((x, y))
    assert sorted(out) == ["a", "b"]
    found = tape.gradient(out, [x, y])
    assert found[0].numpy() == 20 and found[1] is None


def test_python_values_in_and_out_are_tensors_of_the_inputs_types() -> None:
    @tf.custom_gradient
    def constant(x: Any) -> Any:
        return 7.0, lambda dy: 3

    x = tf.constant(1.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = constant(x)
    grad = tape.gradient(y, x)
    assert y.numpy() == 7 and grad.dtype is tf.float64 and grad.numpy() == 3


def test_a_wrong_number_of_gradients_is_refused() -> None:
    @tf.custom_gradient
    def wrong(x: Any, y: Any) -> Any:
        return x + y, lambda dy: dy

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = wrong(x, x)
    with pytest.raises(ValueError, match="expected to return 2 gradients, but returned 1 instead"):
        tape.gradient(y, x)


def test_keywords_reach_the_function_and_the_decorator_may_be_called() -> None:
    @tf.custom_gradient()
    def power(x: Any, *, n: int) -> Any:
        """x**n."""
        return x**n, lambda dy: dy * 100.0

    assert power.__name__ == "power" and power.__doc__ == "x**n."
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = power(x, n=3)
    assert y.numpy() == 8 and tape.gradient(y, x).numpy() == 100


def test_nobody_listens_nothing_is_kept() -> None:
    assert log1pexp(tf.constant(0.0)).numpy() == pytest.approx(np.log(2))


def test_a_gradient_that_passes_through() -> None:
    rounded, added = tf.grad_pass_through(tf.round), tf.grad_pass_through(lambda x, y: tf.round(x) + tf.round(y))
    x, y = tf.constant([0.4, 1.6]), tf.constant([1.2, 2.9])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, y])
        one, z = rounded(x) * 3.0, tf.round(x)
    assert one.numpy().tolist() == [0, 6] and tape.gradient(one, x).numpy().tolist() == [3, 3]
    assert tape.gradient(z, x) is None or not tape.gradient(z, x).numpy().any()
    assert added(x, y).numpy().tolist() == [1, 5]
