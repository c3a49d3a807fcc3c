"""Attributes of nodes are data; what is none stands in tables of the graph."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import inlay as tf
from inlay._src.base.types.specs import TensorSpec
from inlay._src.core.graph import Graph
from inlay._src.core.opdef import OPS
from inlay._src.core.tables import Reference, not_data, references


@pytest.fixture
def graph():
    return Graph()


def const(graph, value, **attrs):
    """A node whose attributes are those given."""
    return graph.add(OPS["Const"], (), {"value": value, **attrs}, (tf.float32,), ((),), "node")


# ---- the table


def test_a_table_names_what_it_holds_and_keeps_the_name(graph):
    first, second = object(), object()
    assert graph.functions.add(first, "f") == Reference("functions", "f")
    assert graph.functions.add(second, "f") == Reference("functions", "f_1")
    assert graph.functions.add(first, "other") == Reference("functions", "f")
    assert graph.functions.add([], None) == Reference("functions", "function_2")
    assert list(graph.functions) == ["f", "f_1", "function_2"] and len(graph.functions) == 3
    assert graph.functions["f_1"] is second
    assert graph.referred(Reference("functions", "f")) is first


def test_names_made_of_the_label_and_names_of_its_own_are_told_apart(graph):
    names = [None, None, "resource_1", "Resource_0", None, "x", None]
    made = [graph.resources.add(object(), name).key for name in names]
    assert made == ["resource_0", "resource_1", "resource_1_1", "Resource_0_1", "resource_4", "x", "resource_6"]


def test_a_name_that_was_taken_by_hand_is_not_given_again(graph):
    made = [graph.resources.add(object(), name).key for name in ("resource_1", None, None)]
    assert made == ["resource_1", "resource_1_1", "resource_2"]


def test_a_graph_keeps_its_objects_and_no_longer():
    class Thing:
        pass

    graph, thing = Graph(), Thing()
    held = weakref.ref(thing)
    graph.resources.add(thing)
    del thing
    gc.collect()
    assert held() is not None
    del graph
    gc.collect()
    assert held() is None


def test_equal_objects_are_told_apart(graph):
    assert graph.resources.add([]) != graph.resources.add([])


# ---- what is data


@pytest.mark.parametrize(
    "value",
    [1, 1.5, 1j, True, None, "text", b"bytes", np.float32(1), np.ones(3), np.array([b"a", "b"], object), tf.float32]
    + [tf.TensorShape([None, 2]), TensorSpec([1]), (1, [2, {"k": (3.0,)}]), Reference("functions", "f")],
)
def test_data(value):
    assert not_data(value) == []


@pytest.mark.parametrize("value", [object(), len, lambda: 0, np.array([len], object), {1}, Graph(), tf.constant(1.0)])
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [1, (v,)], lambda v: {"k": v}])
def test_not_data(value, wrap):
    (found,) = not_data(wrap(value))
    assert found is (value[0] if isinstance(value, np.ndarray) else value)


def test_references_are_found_in_nests():
    one, two = Reference("functions", "a"), Reference("functions", "b")
    assert list(references({"branches": (one, two), "n": 1, "deep": [{"k": one}]})) == [one, two, one]


# ---- verify


def test_verify_names_the_node_and_the_attribute_that_is_no_data(graph):
    const(graph, 1.0)
    const(graph, 2.0, rule=[len])
    with pytest.raises(tf.errors.InternalError, match="attribute 'rule' of <tf.Operation 'node_1' .* is not data") as e:
        graph.verify()
    assert "built-in function len" in str(e.value) and "a builtin_function_or_method" in str(e.value)


def test_verify_names_a_reference_that_leads_nowhere(graph):
    const(graph, 2.0, f=Reference("functions", "lost"))
    with pytest.raises(tf.errors.InternalError, match="attribute 'f' of .*'lost'.* is not in the graph"):
        graph.verify()


def test_verify_looks_into_functions():
    @tf.function
    def outer(x):
        return tf.cond(x > 0, lambda: x, lambda: -x)

    with tf.Graph().as_default() as graph:
        outer(tf.compat.v1.placeholder(tf.float32, ()))
        graph.verify()
        inner = graph.functions[next(iter(graph.functions))].graph
        inner.finalized = False
        const(inner, 1.0, live=len)
        with pytest.raises(tf.errors.InternalError, match="attribute 'live'"):
            graph.verify()


# ---- what the ops put into tables


def test_host_calls_refer_to_their_function():
    with tf.Graph().as_default() as graph:
        x = tf.constant(1.0)
        y = tf.numpy_function(np.sin, [x], tf.float32)
        again = tf.py_function(lambda v: v, [y], tf.float32)
    assert (y.op.token, again.op.token) == ("pyfunc_0", "pyfunc_1")
    assert graph.host_functions[y.op.token] is y.op.host
    assert y.op.get_attr("token") == b"pyfunc_0"
    assert x.op.token is None and x.op.host is None
    graph.verify()


def test_branches_and_loops_refer_to_their_programs():
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (), name="x")
        y = tf.cond(x > 0, lambda: x, lambda: -x)
        z = tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])
    assert y.op.attrs["branches"] == (Reference("functions", "cond_true"), Reference("functions", "cond_false"))
    assert z[0].op.attrs["body"] == Reference("functions", "while_body")
    assert list(graph.functions) == ["cond_true", "cond_false", "while_cond", "while_body"]
    graph.verify()


def test_calling_a_function_twice_refers_to_one_program():
    @tf.function
    def f(x):
        return x + 1

    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, (), name="x")
        one, two = f(x), f(x)
    assert one.op.attrs["f"] == two.op.attrs["f"] and len(graph.functions) == 1


def test_variables_refer_to_what_their_handles_stand_for():
    with tf.Graph().as_default() as graph:
        v = tf.Variable(1.0, name="v")
    assert v.handle.op.attrs["handle"] == Reference("resources", "v")
    assert graph.resources["v"].dtype is tf.float32
    graph.verify()


def test_an_eager_variable_in_a_graph_is_a_reference():
    v = tf.Variable(2.0)
    with tf.Graph().as_default() as graph:
        y = v * 3.0
        graph.verify()
        with tf.compat.v1.Session() as sess:
            assert sess.run(y) == 6.0

    concrete = tf.function(lambda: v * 3.0).get_concrete_function()
    concrete.graph.verify()
    (captured,) = [n for n in concrete.graph.nodes if "handle" in n.attrs]
    assert concrete.graph.referred(captured.attrs["handle"]) is v.handle._value


def test_random_numbers_lists_and_own_gradients_are_in_tables():
    @tf.custom_gradient
    def double(x):
        return x * 2, lambda dy: dy * 5

    with tf.Graph().as_default() as graph:
        x = tf.random.uniform(()) + tf.TensorArray(tf.float32, 2).write(0, 1.0).read(0)
        y = double(x)
        (slope,) = tf.gradients(y, x)
        graph.verify()
        with tf.compat.v1.Session() as sess:
            assert sess.run(slope) == 5.0
    assert len(graph.gradients) == 1 and len(graph.resources) == 1


def test_own_gradients_are_used_under_a_tape_over_a_function():
    @tf.custom_gradient
    def double(x):
        return x * 2, lambda dy: dy * 5

    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.function(double)(x)
        z = tf.function(lambda v: tf.cond(v > 0, lambda: double(v), lambda: v))(x)
    assert float(tape.gradient(y, x)) == float(tape.gradient(z, x)) == 5.0
