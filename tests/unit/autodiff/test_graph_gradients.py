"""`tf.gradients`: which nodes are differentiated, what a source gets, and what is said where no gradient passes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.engine.autodiff.graph_gradients import may_capture


@pytest.fixture
def graph() -> Iterator[Any]:
    with tf.Graph().as_default() as made:
        yield made


def evaluated(tensors: Any, feeds: Any = None) -> Any:
    with tf.compat.v1.Session() as session:
        return session.run(tensors, feeds)


def test_the_nodes_of_a_gradient_stand_in_its_scope_and_in_one_per_node(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [], name="x")
    y = tf.sin(tf.square(x, name="squared"), name="wave")
    before = len(graph.nodes)
    tf.gradients(y, x, name="slope")
    names = [n.name for n in graph.nodes[before:]]
    assert names[0] == "slope/grad_ys_0"
    assert {n.split("/")[1] for n in names[1:]} == {"wave_grad", "squared_grad"}
    assert all(n.startswith("slope/") for n in names)


def test_only_nodes_between_sources_and_targets_are_differentiated(graph: Any) -> None:
    x, z = tf.compat.v1.placeholder(tf.float32, [], name="x"), tf.compat.v1.placeholder(tf.float32, [], name="z")
    y = tf.sin(x) * tf.exp(tf.cos(z, name="aside"), name="aside2")
    before = len(graph.nodes)
    (dx,) = tf.gradients(y, x)
    assert not [n for n in graph.nodes[before:] if "aside" in n.name]
    assert evaluated(dx, {x: 0.0, z: 0.0}) == pytest.approx(np.e)


def test_targets_are_summed_and_cotangents_may_be_given(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [2])
    y, z = x * x, 3.0 * x
    feeds = {x: [1.0, 2.0]}
    (both,) = tf.gradients([y, z], x)
    (given,) = tf.gradients([y, z], [x], grad_ys=[[1.0, 10.0], None])
    np.testing.assert_array_equal(evaluated(both, feeds), [5, 7])
    np.testing.assert_array_equal(evaluated(given, feeds), [5, 43])
    with pytest.raises(ValueError, match="got 1 and 2"):
        tf.gradients([y, z], x, grad_ys=[None])


def test_a_target_that_is_asked_twice_counts_twice(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [])
    y = x * x
    (slope,) = tf.gradients([y, y], x)
    assert evaluated(slope, {x: 3.0}) == 12


def test_a_target_may_be_a_source_and_a_source_may_lie_above_another(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [])
    y = x * x
    z = y * y
    assert evaluated(tf.gradients(z, [z, y, x]), {x: 2.0}) == [1, 8, 32]


def test_whole_numbers_have_no_gradient_and_unconnected_sources_what_the_policy_says(graph: Any) -> None:
    x, other = tf.compat.v1.placeholder(tf.float32, [2]), tf.compat.v1.placeholder(tf.float32, [3])
    n = tf.cast(x, tf.int32)
    assert tf.gradients(n, x) == [None]
    assert tf.gradients([], [x, other]) == [None, None]
    (none, zeros) = tf.gradients(x * 2.0, [x, other], unconnected_gradients="zero")
    assert evaluated([none, zeros], {x: [1.0, 1.0], other: [1.0, 2.0, 3.0]})[1].tolist() == [0, 0, 0]
    with pytest.raises(ValueError, match=r"receives no gradient\. The target does not depend on it"):
        tf.gradients(x * 2.0, other, unconnected_gradients="error")
    cut = tf.numpy_function(lambda a: a, [x], tf.float32, name="wall")
    with pytest.raises(ValueError, match=r"No gradient passes through wall \(PyFunc, defined at .*grad="):
        tf.gradients(cut * 2.0, x, unconnected_gradients="error")


def test_gradients_stop_where_they_are_told_to(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [])
    y = x * x
    z = y * x
    (full,), (stopped,) = tf.gradients(z, x), tf.gradients(z, x, stop_gradients=y)
    assert evaluated([full, stopped], {x: 3.0}) == [27, 9]
    (of_itself,) = tf.gradients(y, x, stop_gradients=[x])  # x counts as a constant to what x depends on
    assert evaluated([of_itself], {x: 3.0}) == [6]
    assert tf.gradients(y, x, stop_gradients=[y]) == [None]


def test_a_gradient_takes_the_static_shape_of_its_source(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [None, 3])
    (slope,) = tf.gradients(tf.py_function(lambda a: a * 2.0, [x], tf.float32), x)
    assert slope.shape.as_list() == [None, 3]


def test_eager_tensors_are_refused() -> None:
    eager = tf.constant(1.0)
    with pytest.raises(RuntimeError, match=r"symbolic tensors.*GradientTape"):
        tf.gradients(eager, eager)


def test_hessians_are_second_derivatives_per_source(graph: Any) -> None:
    x, y, z = (tf.compat.v1.placeholder(tf.float32, [2]) for _ in range(3))
    value = tf.reduce_sum(x * x * y)
    (of_x,) = tf.hessians(value, [x])
    for apart in (y, z):  # as in TensorFlow, which has no zeros for them either
        with pytest.raises(ValueError, match="not connected|does not depend"):
            tf.hessians(value, [x, apart])
    np.testing.assert_array_equal(evaluated(of_x, {x: [1.0, 2.0], y: [3.0, 4.0]}), [[6, 0], [0, 8]])


def captured(form: str, v: Any) -> Callable[[Any], Any]:
    """A function of a tensor in whose graph nothing shows that a body reads the variable."""

    def body(x: Any) -> Any:
        return tf.ensure_shape(tf.py_function(lambda a: a * v, [x], tf.float32), [])

    forms: dict[str, Callable[[Any], Any]] = {
        "body": body,
        "function": tf.function(body),
        "branch": lambda x: tf.cond(x > 0, lambda: body(x), lambda: x),
        "nested": lambda x: tf.cond(x > 0, lambda: tf.function(body)(x), lambda: x),
        "loop": lambda x: tf.while_loop(lambda i, y: i < 1, lambda i, y: (i + 1, body(y)), [0, x])[1],
    }
    return forms[form]


@pytest.mark.parametrize("form", ["body", "function", "branch", "nested", "loop"])
@pytest.mark.parametrize("how", ["tape", "gradients"])
def test_a_variable_that_a_body_reads_unseen_has_its_gradient(form: str, how: str) -> None:
    v = tf.Variable(2.0)
    forward = captured(form, v)

    @tf.function
    def slopes(x: Any) -> Any:
        if how == "gradients":
            return tf.gradients(forward(x), [x, v])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = forward(x)
        return tape.gradient(y, [x, v])

    assert [float(g) for g in slopes(tf.constant(3.0))] == [2, 3]


def test_only_nodes_of_functions_that_run_bodies_may_read_unseen(graph: Any) -> None:
    x = tf.compat.v1.placeholder(tf.float32, [])
    assert not may_capture(tf.py_function(lambda a: a, [x], tf.float32).op)  # in a plain graph nothing is captured

    @tf.function
    def traced(x: Any) -> Any:
        eager = tf.py_function(lambda a: a, [x], tf.float32)
        own = tf.py_function(lambda a: a, [x], tf.float32, grad=lambda a, y, dy: dy)
        flags.extend(may_capture(t.op) for t in (eager, own, tf.numpy_function(lambda a: a, [x], tf.float32), x * 2.0))
        return eager

    flags: list[bool] = []
    traced(tf.constant(1.0))
    assert flags[:4] == [True, False, False, False]


@pytest.mark.parametrize(
    ("stops", "wanted"), [("ab", [1, 1]), ("a", [3, 1]), ("b", [1, 1]), ("y", [None, None]), ("", [3, 1])]
)
def test_stops_are_constants_to_what_they_depend_on(graph: Any, stops: str, wanted: list[Any]) -> None:
    """FINDINGS A5; the expected numbers are TensorFlow 2.21's."""
    a = tf.constant(0.0)
    b = 2 * a
    tensors = {"a": a, "b": b, "y": a + b}
    found = tf.gradients(tensors["y"], [a, b], stop_gradients=[tensors[name] for name in stops] or None)
    assert [None if g is None else evaluated([g], {})[0] for g in found] == wanted


def test_complex_targets_need_cotangents(graph: Any) -> None:
    """FINDINGS F: not refused."""
    x = tf.constant(1 + 2j)
    with pytest.raises(TypeError, match="must set grad_ys"):
        tf.gradients(x * x, x)
    assert evaluated(tf.gradients(x * x, x, grad_ys=[tf.constant(1 + 0j)]), {}) == [2 - 4j]


def test_a_cotangent_may_be_rows() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        x = tf.compat.v1.placeholder(tf.float32)
        rows = tf.IndexedSlices(tf.compat.v1.placeholder(tf.float32), tf.compat.v1.placeholder(tf.int32))
        same = tf.gradients(tf.identity(x), x, grad_ys=rows)[0]
        doubled = tf.gradients(x * 2.0, x, grad_ys=rows)[0]
        both = tf.gradients([tf.identity(x), x * 2.0, tf.identity(x)], x, grad_ys=[rows, None, rows])[0]
        feeds = {x: np.ones([3, 2]), rows.indices: [2, 0], rows.values: [[1.0, 2.0], [3.0, 4.0]]}
        found, given = session.run([same, rows], feeds)
        assert found.dense_shape is None and found.indices.tolist() == given.indices.tolist() == [2, 0]
        assert found.values.tolist() == given.values.tolist()
        assert session.run(doubled, feeds).tolist() == [[6.0, 8.0], [0.0, 0.0], [2.0, 4.0]]
        assert session.run(both, feeds).tolist() == [[8.0, 10.0], [2.0, 2.0], [4.0, 6.0]]


def test_whole_numbers_have_a_derivative_by_themselves_alone(graph: Any) -> None:
    n = tf.constant([1, 2])
    assert [tf.gradients(y, n)[0] for y in (tf.identity(n), n * n)] == [None, None]
    found = [tf.gradients(n, n)[0], tf.gradients([n, n], n, grad_ys=[None, tf.constant([3, 4])])[0]]
    assert [value.tolist() for value in evaluated(found, {})] == [[1, 1], [4, 5]]
