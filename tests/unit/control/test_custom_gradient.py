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


# ---------------------------------------------------------------- FINDINGS A6; the numbers are TensorFlow 2.21's

w = tf.Variable(5.0)


@tf.custom_gradient
def square(x: Any) -> Any:
    return x * x, lambda upstream: upstream * x * 100.0


@tf.custom_gradient
def with_variable(x: Any) -> Any:
    def grad(upstream: Any, variables: Any = None) -> Any:
        return upstream * 1000.0, [upstream * 7.0] * len(variables)

    return x * w, grad


@tf.custom_gradient
def with_keyword_only(x: Any) -> Any:
    def grad(upstream: Any, *, variables: Any = None) -> Any:
        return upstream * 1000.0, [upstream * 7.0] * len(variables)

    return x * w, grad


@tf.custom_gradient
def with_any_keyword(x: Any) -> Any:
    def grad(upstream: Any, **others: Any) -> Any:
        return upstream * 1000.0, [upstream * 7.0] * len(others["variables"])

    return x * w, grad


def slopes(function: Any, x: Any, *sources: Any) -> list[float]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, [x, *sources])  # type: ignore[no-any-return]


def in_a_loop(x: Any) -> Any:
    return tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, square(a)), [0, x])[1]


def in_a_branch(x: Any) -> Any:
    return tf.cond(x > 0, lambda: square(x), lambda: x)


def in_a_map(x: Any) -> Any:
    return tf.reduce_sum(tf.map_fn(square, tf.stack([x, 1.0])))


BODIES = {square: 300.0, in_a_loop: 270000.0, in_a_branch: 300.0, in_a_map: 300.0}


@pytest.mark.parametrize("body", BODIES, ids=lambda f: f.__name__)
def test_a_gradient_is_used_wherever_its_function_is_applied(body: Any) -> None:
    x = tf.constant(3.0)
    assert [float(g) for g in slopes(tf.function(body), x)] == [BODIES[body]]
    assert [float(g) for g in tf.function(lambda x: slopes(body, x))(x)] == [BODIES[body]]
    assert [float(g) for g in tf.function(lambda x: slopes(tf.function(body), x))(x)] == [BODIES[body]]
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.placeholder(tf.float32, [])
        assert session.run(tf.gradients(body(fed), fed), {fed: 3.0}) == [BODIES[body]]


def test_the_gradient_of_a_function_that_was_run_is_differentiable() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        (first,) = slopes(tf.function(square), x)
    assert float(tape.gradient(first, x)) == 100


@pytest.mark.parametrize("function", [with_variable, with_keyword_only, with_any_keyword], ids=lambda f: f.__name__)
def test_variables_that_the_function_reads_are_passed_to_its_gradient(function: Any) -> None:
    x = tf.constant(3.0)
    ways = [slopes(function, x, w), slopes(tf.function(function), x, w)]
    ways.append(tf.function(lambda x: slopes(function, x, w))(x))
    assert [[float(g) for g in way] for way in ways] == [[1000, 7]] * 3


def test_variables_of_a_plain_graph_are_passed_too() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        a = tf.compat.v1.get_variable("a", initializer=5.0)

        @tf.custom_gradient
        def function(x: Any) -> Any:
            return x * a, lambda upstream, variables: (upstream * 1000.0, [upstream * 7.0] * len(variables))

        x = tf.constant(3.0)
        found = tf.gradients(function(x), [x, a])
        session.run(a.initializer)
        assert session.run(found) == [1000, 7]


def test_a_gradient_that_takes_no_variables_is_refused_where_there_are_some() -> None:
    @tf.custom_gradient
    def careless(x: Any) -> Any:
        return x * w, lambda upstream: upstream

    with pytest.raises(TypeError, match="must accept keyword argument 'variables'"):
        careless(tf.constant(3.0))


def test_a_gradient_says_something_of_each_variable() -> None:
    other = tf.Variable(7.0)

    @tf.custom_gradient
    def careless(x: Any) -> Any:
        return x * w * other, lambda upstream, variables: (upstream, [upstream])

    with pytest.raises(ValueError, match="Must return gradient for each variable"):
        slopes(careless, tf.constant(3.0))


def test_a_variable_is_an_argument() -> None:
    @tf.custom_gradient
    def function(variable: Any) -> Any:
        assert variable is w
        return variable * 2.0, lambda upstream: upstream * 9.0

    with tf.GradientTape() as tape:
        y = function(w)
    assert float(tape.gradient(y, w)) == 9


class Scaled:
    by = 10.0

    @tf.custom_gradient
    def __call__(self, x: Any) -> Any:
        return x * 1.0, lambda upstream: upstream * self.by

    @tf.custom_gradient
    def apply(self, x: Any) -> Any:
        return x * 1.0, lambda upstream: upstream * self.by


def test_methods_bring_gradients() -> None:
    scaled, x = Scaled(), tf.constant(3.0)
    assert [float(g) for g in slopes(scaled.apply, x)] == [10]
    assert [float(g) for g in slopes(scaled, x)] == [10]
    assert [float(g) for g in tf.function(lambda x: slopes(scaled.apply, x))(x)] == [10]


def test_ragged_arguments_have_ragged_cotangents() -> None:
    @tf.custom_gradient
    def doubled(ragged: Any) -> Any:
        return ragged * 2.0, lambda upstream: upstream * 3.0

    @tf.custom_gradient
    def total(ragged: Any, x: Any) -> Any:
        return tf.reduce_sum(ragged) * x, lambda g: (ragged.with_values(g * tf.ones_like(ragged.values)), g * 5.0)

    ragged, x = tf.ragged.constant([[1.0, 2.0], [3.0]]), tf.constant(2.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([ragged.values, x])
        y, z = tf.reduce_sum(doubled(ragged)), total(ragged, x)
    assert tape.gradient(y, ragged.values).numpy().tolist() == [3, 3, 3]
    assert [g.numpy().tolist() for g in tape.gradient(z, [ragged.values, x])] == [[1, 1, 1], 5]


def test_a_gradient_that_cannot_be_traced_fails_when_it_is_asked_for() -> None:
    @tf.custom_gradient
    def function(x: Any) -> Any:
        def grad(upstream: Any) -> Any:
            raise NotImplementedError("no derivative")

        return x * 2.0, grad

    compiled, x = tf.function(function), tf.constant(3.0)
    assert float(compiled(x)) == 6
    with pytest.raises(NotImplementedError, match="no derivative"):
        slopes(compiled, x)


def test_what_is_computed_again_has_the_same_gradients_and_variables() -> None:
    w, runs = tf.Variable(3.0), []

    @tf.recompute_grad
    def block(x: Any) -> Any:
        runs.append(tf.executing_eagerly())
        return x * x * w

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = block(x)
    assert [g.numpy() for g in tape.gradient(y, [x, w])] == [12.0, 4.0] and runs == [True, True]
    assert block.__name__ == "block"


def test_recompute_grad_of_a_dict_that_the_function_changes() -> None:
    a, b = tf.Variable([1.0, 2.0]), tf.Variable(3.0)

    @tf.recompute_grad
    def squared(values: Any) -> Any:
        for key in values:
            values[key] = values[key] * values[key]
        return values

    given = {a.ref(): a, b.ref(): b}
    with tf.GradientTape() as tape:
        y = squared(given)
    assert y[a.ref()].numpy().tolist() == [1.0, 4.0] and float(y[b.ref()]) == 9.0
    assert given[a.ref()] is a and given[b.ref()] is b
    slopes = tape.gradient(list(y.values()), [a, b])
    assert slopes[0].numpy().tolist() == [2.0, 4.0] and float(slopes[1]) == 6.0


def test_a_gradient_that_fails_does_so_where_it_is_asked_for() -> None:
    @tf.custom_gradient
    def broken(x: Any) -> Any:
        def grad(_: Any) -> Any:
            raise AssertionError("the gradient ran")

        return x * 2.0, grad

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        direct, behind = (tf.function(broken)(t) for t in (x, tf.stop_gradient(x)))
    assert float(direct) == 2.0 and tape.gradient(behind, x) is None
    with pytest.raises(AssertionError, match="the gradient ran"):
        tape.gradient(direct, x)
