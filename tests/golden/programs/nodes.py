"""Graphs: names, scopes, look-ups, control dependencies, collections, what is known of shapes."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.golden.make_programs import refused, rows, session


def names_of_operators(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        got = [x + 1.0, x - 1.0, x * 2.0, x / 2.0, -x, x**2.0, x > 1.0, x[0], abs(x), 1.0 + x, tf.add(x, x)]
        return [t.op.name for t in got]


def names_of_functions(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, 2])
        got = [
            x, tf.identity(x), tf.matmul(x, x), tf.reshape(x, [4]), tf.transpose(x), tf.concat([x, x], 0),
            tf.stack([x, x]), tf.nn.relu(x), tf.cast(x, tf.int32), tf.constant(1.0),
            tf.tanh(x), tf.exp(x), tf.nn.softmax(x), tf.tile(x, [1, 2]), tf.square(x), tf.maximum(x, x),
        ]  # fmt: skip
        return [t.op.name for t in got]


def names_that_are_given(tf: Any) -> Any:
    with tf.Graph().as_default() as g:
        one = tf.constant(1.0, name="one")
        with tf.name_scope("outer") as outer:
            two = tf.add(one, one, name="two")
            with tf.name_scope("inner"):
                three = tf.add(one, two, name="two")
            with tf.name_scope("inner"):
                four = tf.constant(1.0, name="c")
        with tf.name_scope(outer):
            five = tf.constant(1.0, name="two")
        return [
            outer, *[t.name for t in (one, two, three, four, five)], g.unique_name("one"), g.unique_name("one"),
            g.unique_name("new", mark_as_used=False), g.unique_name("new"),
        ]  # fmt: skip


@rows("x:0", "x", "x:1", "none:0", "", "x:y", 3, None)
def tensors_by_name(tf: Any, name: Any) -> Any:
    with tf.Graph().as_default() as g:
        tf.constant([1.0, 2.0], name="x")
        return refused(lambda: g.get_tensor_by_name(name).name)


@rows("x", "none", 3)
def operations_by_name(tf: Any, name: Any) -> Any:
    with tf.Graph().as_default() as g:
        tf.constant([1.0, 2.0], name="x")
        return refused(lambda: g.get_operation_by_name(name).name)


@rows("tensor", "operation", "name", "name of an operation", "variable", "number", "of another graph")
def elements(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with tf.Graph().as_default() as g:
        x = tf.constant(1.0, name="x")
        given = {
            "tensor": x,
            "operation": x.op,
            "name": "x:0",
            "name of an operation": "x",
            "variable": tf.compat.v1.get_variable("v", []),
            "number": 3,
            "of another graph": other,
        }[what]
        return refused(lambda: g.as_graph_element(given).name)


def control_dependencies_of_nodes(tf: Any) -> Any:
    with tf.Graph().as_default() as g:
        a, b = tf.constant(1.0, name="a"), tf.constant(2.0, name="b")
        with tf.control_dependencies([a]):
            c = tf.identity(b, name="c")
            with tf.control_dependencies([b]):
                d = tf.constant(3.0, name="d")
            with g.control_dependencies(None):
                e = tf.identity(a, name="e")
        f = tf.group(c, d, name="f")
        return [sorted(o.name for o in n.control_inputs) for n in (c.op, d.op, e.op, f)]


def order_of_side_effects(tf: Any) -> Any:
    log = []

    def note(what: Any) -> Any:
        log.append(what.decode())
        return np.float32(0)

    with session(tf) as s:
        first = tf.compat.v1.py_func(note, [tf.constant("first")], tf.float32)
        with tf.control_dependencies([first]):
            second = tf.compat.v1.py_func(note, [tf.constant("second")], tf.float32)
        with tf.control_dependencies([second]):
            last = tf.no_op()
        s.run(last)
        s.run(second)
    return log


def collections_are_lists_by_key(tf: Any) -> Any:
    with tf.Graph().as_default() as g:
        g.add_to_collection("numbers", 1)
        g.add_to_collections(["numbers", "more", "numbers"], 2)
        tf.compat.v1.add_to_collection("numbers", 3)
        copy = g.get_collection("numbers")
        copy.append(99)
        g.get_collection_ref("own").append("x")
        found = [g.get_collection("numbers"), g.get_collection("more"), g.get_collection("own"), g.get_collection("no")]
        g.clear_collection("numbers")
        return [*found, g.get_collection("numbers"), sorted(g.collections)]


@rows("add", "matmul", "concat", "reshape", "reduce", "stack", "slice", "gather", "tile", "expand", "where", "one_hot")
def shapes_are_known_as_far_as_they_can_be(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        y = tf.compat.v1.placeholder(tf.float32, [2, None])
        u = tf.compat.v1.placeholder(tf.float32)
        n = tf.compat.v1.placeholder(tf.int32, [None])
        found = {
            "add": lambda: [x + y, x + u, x + 1.0, y + tf.ones([1]), u + u],
            "matmul": lambda: [tf.matmul(y, x), tf.matmul(x, tf.ones([3, 4])), tf.matmul(x, y, transpose_a=True)],
            "concat": lambda: [tf.concat([x, y], 0), tf.concat([x, x], 1), tf.concat([y, y, y], 1)],
            "reshape": lambda: [tf.reshape(x, [-1]), tf.reshape(x, [3, -1]), tf.reshape(u, [2, 2]), tf.reshape(y, n)],
            "reduce": lambda: [
                tf.reduce_sum(x), tf.reduce_sum(x, 0), tf.reduce_sum(x, [0, 1], keepdims=True),
                tf.reduce_sum(x, -1, keepdims=True), tf.argmax(x, 1), tf.reduce_max(u, 0),
            ],
            "stack": lambda: [tf.stack([x, x]), tf.stack([x, y], 2), tf.stack([x, x], -1)],
            "slice": lambda: [x[0], x[:, 1], x[:2], x[..., tf.newaxis], x[-1:, :2], y[0, 0], x[::2]],
            "gather": lambda: [tf.gather(x, [0, 1]), tf.gather(x, n), tf.gather(x, n, axis=1), tf.gather(u, n)],
            "tile": lambda: [tf.tile(x, [2, 2]), tf.tile(y, [2, 2]), tf.tile(u, [1, 1])],
            "expand": lambda: [tf.expand_dims(x, 0), tf.expand_dims(x, -1), tf.squeeze(tf.expand_dims(y, 0), 0)],
            "where": lambda: [tf.where(x > 0.0), tf.where(x > 0.0, x, 0.0), tf.where(x > 0.0, x, y)],
            "one_hot": lambda: [tf.one_hot(n, 4), tf.one_hot(n, 4, axis=0), tf.one_hot([1, 2], 3)],
        }[what]()  # fmt: skip
        return [t.shape for t in found]


@rows([2, 3], [None, 3], [2, None], [None, None], None, [4, 3], [2, 3, 1], [3])
def shapes_that_are_promised(tf: Any, shape: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, None])

        def promise() -> Any:
            x.set_shape(shape)
            return x.shape

        return refused(promise)


@rows("bool", "iterate", "numpy", "float", "len", "in", "format", "int index")
def symbolic_tensors_are_no_values(tf: Any, what: str) -> Any:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2])
        calls = {
            "bool": lambda: bool(x),
            "iterate": lambda: list(tf.compat.v1.placeholder(tf.float32)),
            "numpy": lambda: np.asarray(x),
            "float": lambda: float(x),
            "len": lambda: len(x),
            "in": lambda: 1.0 in x,
            "format": lambda: f"{x.name}",
            "int index": lambda: [1, 2][x],
        }
        return refused(calls[what])


def a_finished_graph_takes_no_more(tf: Any) -> Any:
    with session(tf) as s:
        x = tf.constant(1.0)
        s.graph.finalize()
        return [s.graph.finalized, refused(lambda: tf.constant(2.0)), s.run(x)]


def graphs_nest(tf: Any) -> Any:
    one, two = tf.Graph(), tf.Graph()
    with one.as_default():
        a = tf.constant(1.0)
        with two.as_default():
            b = tf.constant(2.0)
        c = tf.constant(3.0)
    return [a.graph is one, b.graph is two, c.graph is one, [o.name for o in one.get_operations()]]


def operations_say_what_they_are(tf: Any) -> Any:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [2, 3], name="x")
        y = tf.reduce_sum(x, 1, keepdims=True, name="y")
        op = y.op
        return [
            op.type, op.inputs[0].name, [t.name for t in op.outputs],
            [o.name for o in x.consumers()], y.value_index, op.device,
            refused(lambda: op.get_attr("none")),
        ]  # fmt: skip


@rows(None, 2, [1, 2])
def gradients_in_a_graph(tf: Any, cotangent: Any) -> Any:
    with session(tf) as s:
        x = tf.constant([1.0, 2.0])
        y = x**3
        given = None if cotangent is None else [tf.constant(np.broadcast_to(np.float32(cotangent), [2]))]
        return s.run(tf.gradients(y, x, grad_ys=given)[0])


def gradients_of_several_and_none(tf: Any) -> Any:
    with session(tf) as s:
        x, y, z = tf.constant(2.0), tf.constant(3.0), tf.constant(4.0)
        found = tf.gradients([x * y, x * x], [x, y, z])
        zeros = tf.gradients(x * y, [z], unconnected_gradients="zero")
        stopped = tf.gradients(x * tf.stop_gradient(x), x)
        halted = tf.gradients(tf.square(x) * y, [x], stop_gradients=[y])
        return [s.run(found[:2]), found[2] is None, s.run([*zeros, *stopped, *halted])]
