"""Names, scopes, control inputs, collections and lookups of a graph."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import inlay as tf


def one(*_: Any) -> Any:
    return np.float32(1)


@pytest.fixture(autouse=True)
def graph() -> Any:
    with tf.Graph().as_default() as g:
        yield g
    g.verify()


def test_default_names_count_per_op_type() -> None:
    calls = [
        tf.compat.v1.py_func(one, [], tf.float32),
        tf.compat.v1.py_func(one, [], tf.float32),
        tf.compat.v1.py_func(one, [], tf.float32, stateful=False),
        tf.numpy_function(one, [], tf.float32),
        tf.numpy_function(one, [], tf.float32, stateful=False),
        tf.py_function(one, [], tf.float32),
        tf.py_function(one, [], tf.float32, name="foo"),
        tf.py_function(one, [], tf.float32, name="foo"),
    ]
    assert [c.name for c in calls] == [
        "PyFunc:0", "PyFunc_1:0", "PyFuncStateless:0", "PyFunc_2:0", "PyFuncStateless_1:0", "EagerPyFunc:0", "foo:0",
        "foo_1:0",
    ]  # fmt: skip
    assert [c.op.type for c in calls[:3]] == ["PyFunc", "PyFunc", "PyFuncStateless"]
    assert tf.compat.v1.py_func.__name__ == "py_func"


def test_outputs_inputs_and_attributes() -> None:
    a, b = tf.py_function(lambda x, y: (1.0, 2), [3.0, [1, 2]], [tf.float32, tf.int32], name="z")
    assert [a.name, b.name, *(t.name for t in a.op.inputs)] == ["z:0", "z:1", "z/input_0:0", "z/input_1:0"]
    assert (a.op.get_attr("Tin"), a.op.get_attr("Tout")) == ([tf.float32, tf.int32], [tf.float32, tf.int32])
    assert a.op.get_attr("token") == b"pyfunc_0"
    with pytest.raises(ValueError, match="Operation 'z' has no attr named 'nope'"):
        a.op.get_attr("nope")
    assert str(a) == 'Tensor("z:0", dtype=float32)'
    assert repr(a) == "<tf.Tensor 'z:0' shape=<unknown> dtype=float32>"
    assert repr(a.op) == "<tf.Operation 'z' type=EagerPyFunc>"


def test_scopes() -> None:
    names = []
    with tf.name_scope("sc") as scope:
        names += [scope, tf.py_function(one, [], tf.float32).op.name, tf.constant(1.0, name="c").op.name]
        with tf.name_scope("in"):
            names.append(tf.constant(1.0).op.name)
    with tf.name_scope("sc"):
        names.append(tf.constant(1.0).op.name)
    with tf.name_scope("sc/"):
        names.append(tf.constant(1.0).op.name)
    with tf.name_scope(scope), tf.Graph().as_default():
        names.append(tf.constant(1.0).op.name)
    assert names == ["sc/", "sc/EagerPyFunc", "sc/c", "sc/in/Const", "sc_1/Const", "sc/Const", "Const"]


@pytest.mark.parametrize("bad", ["a b", "_x", "a:0", "é", "-x"])
def test_invalid_names(bad: str) -> None:
    with pytest.raises(ValueError, match="is not a valid root scope name. A root scope name has to match"):
        tf.py_function(one, [], tf.float32, name=bad)
    with pytest.raises(TypeError, match="expected string or bytes-like object, got 'int'"):
        tf.py_function(one, [], tf.float32, name=3)


@given(st.lists(st.sampled_from(["a", "A", "a_1", "a_2", "b", "a_1_1"]), max_size=12))
def test_names_are_unique_and_lead_back(wanted: list[str]) -> None:
    with tf.Graph().as_default() as g:
        made = [tf.constant(0.0, name=n) for n in wanted]
        names = [t.op.name for t in made]
        assert len({n.lower() for n in names}) == len(names)
        assert all(n.lower().startswith(w.lower()) for n, w in zip(names, wanted, strict=True))
        assert all(g.get_tensor_by_name(t.name) is t for t in made)
        g.verify()


def test_lookups(graph: Any) -> None:
    x = tf.constant(1.0, name="x")
    assert graph.get_operation_by_name("x") is x.op and graph.get_tensor_by_name("x:0") is x
    assert graph.as_graph_element("x") is x.op and graph.as_graph_element("x:0") is x
    with pytest.raises(KeyError, match="refers to an Operation not in the graph"):
        graph.get_operation_by_name("y")
    with pytest.raises(ValueError, match="refers to an Operation, not a Tensor"):
        graph.get_tensor_by_name("x")
    with pytest.raises(TypeError, match="Can not convert a int into a Tensor or Operation"):
        graph.as_graph_element(3)
    assert graph.get_operations() == [x.op] and x.consumers() == []
    assert (x + 1.0).op in x.consumers()


def test_control_inputs() -> None:
    a, b = tf.constant(1.0, name="a"), tf.no_op("b")
    before = tf.constant(2.0)
    with tf.control_dependencies([a, b]):
        inside = tf.constant(3.0)
        with tf.control_dependencies([before.op]):
            both = tf.constant(4.0)
        with tf.control_dependencies(None):
            free = tf.constant(5.0)
    found = [t.op.control_inputs for t in (before, inside, both, free, tf.constant(6.0))]
    assert found == [[], [a.op, b], [a.op, b, before.op], [], []]
    for bad in (3, "a", None):
        with pytest.raises(TypeError, match="Can not convert a .* into a Tensor or Operation"):
            tf.control_dependencies([bad]).__enter__()


def test_what_follows_through_its_inputs_is_not_told_to_follow() -> None:
    a, b = tf.constant(1.0), tf.constant(2.0)
    with tf.control_dependencies([a]):
        made = tf.constant(3.0)
        outer = tf.identity(b)
        with tf.control_dependencies([b]):
            inner, of_control, after = tf.identity(made), tf.identity(b), tf.identity(outer)
        last = tf.identity(inner)
    found = [t.op.control_inputs for t in (made, outer, inner, of_control, after, last)]
    assert found == [[a.op], [a.op], [b.op], [a.op], [b.op], []]
    assert tf.identity(made).op.control_inputs == []


def test_order_holds_through_inputs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        v = tf.Variable(1.0)
        with tf.control_dependencies([v.assign(5.0)]):
            read = v.read_value()
            result = tf.square(read + 1.0) * tf.cast(tf.size(tf.zeros([3]) + read), tf.float32)
        assert result.op.control_inputs == []
        session.run(v.initializer)
        assert session.run(result) == 108.0


def test_scopes_of_a_graph_that_is_not_in_force_are_its_own() -> None:
    other = tf.Graph()
    with other.name_scope("bar"):
        assert other.unique_name("foo") == "bar/foo" and other.get_name_scope() == "bar"
        with other.name_scope("baz"), tf.name_scope("here"):
            assert tf.constant(1.0, name="c").op.name == "here/c"
            with other.as_default():
                assert tf.constant(1.0, name="c").op.name == "bar/baz/c"
        with other.name_scope(None):
            assert other.unique_name("foo") == "foo"
    assert other.get_name_scope() == "" and other.unique_name("foo") == "foo_1"


def test_what_may_be_fed_is_known_by_identity() -> None:
    eager = tf.init_scope
    with eager():
        value = tf.constant(2.0)
    graph = tf.Graph()
    assert graph.is_feedable(value)
    graph.prevent_feeding(value)
    assert not graph.is_feedable(value)


def test_collections_are_named() -> None:
    graph = tf.Graph()
    assert graph.collections == []
    graph.add_to_collection("key", 12)
    assert graph.collections == ["key"] == graph.get_all_collection_keys()


def test_an_operation_is_no_tensor() -> None:
    with pytest.raises(TypeError, match="can't convert Operation 'nothing' to Tensor"):
        tf.convert_to_tensor(tf.no_op("nothing"))


def test_symbolic_tensors_refuse_to_be_values() -> None:
    t = tf.py_function(one, [], tf.float32, name="t")
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="as a Python `bool`"):
        bool(t)
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError, match="Iterating over a symbolic"):
        list(t)
    with pytest.raises(TypeError, match="len is not well defined for a symbolic Tensor"):
        len(t)
    with pytest.raises(NotImplementedError, match=r"Cannot convert a symbolic tf.Tensor \(t:0\) to a numpy array"):
        np.array(t)
    for convert in (float, int):
        with pytest.raises(TypeError):
            convert(t)
    with pytest.raises(AttributeError):
        t.numpy()
    assert (t == t, t == tf.constant(1.0), len({t, t})) == (True, False, 1)


def test_collections_copy(graph: Any) -> None:
    graph.add_to_collection("k", 1)
    graph.get_collection("k").append(2)
    assert graph.get_collection("k") == [1] and graph.get_all_collection_keys() == ["k"]
    graph.get_collection_ref("k").append(3)
    assert graph.get_collection("k") == [1, 3]
    graph.clear_collection("k")
    assert graph.get_collection("k") == []


def test_many_threads_may_build_one_graph(graph: Any) -> None:
    import threading

    def build(i: int) -> None:
        rand = random.Random(i)
        with graph.as_default():
            mine = [tf.constant(float(i))]
            for _ in range(30):
                mine.append(rand.choice(mine) + rand.choice(mine))

    threads = [threading.Thread(target=build, args=(i,)) for i in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(30)
    graph.verify()
    assert len({n.name for n in graph.get_operations()}) == len(graph.get_operations()) == 6 * 31


def test_operators_name_their_nodes_as_tensorflow_does() -> None:
    """FINDINGS A13 and B; DISAGREEMENTS, names of operators."""
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [2, 2], "x")
        made = [x + 1, 1 + x, x - 1, x * 2, x / 2, x // 2, x % 2, x**2, -x, abs(x), x > 1, x @ x, x[0], tf.add(x, x)]
        made += [tf.divide(x, x), tf.math.floordiv(x, x), tf.math.divide_no_nan(x, x)]
        names = [t.op.name for t in made]
        assert names == (
            ["add", "add_1", "sub", "mul", "truediv", "floordiv", "mod", "pow", "Neg", "Abs", "Greater", "matmul"]
            + ["strided_slice", "Add_2", "truediv_1", "floordiv_1", "div_no_nan"]
        )
        assert [graph.get_operation_by_name(n).type for n in ("add/y", "add_1/x", "sub/y")] == ["Const"] * 3
        kinds = [t.op.type for t in (x @ x, tf.matmul(x, x), tf.matmul(x[None], x[None]), x[0])]
        assert kinds == ["MatMul", "MatMul", "BatchMatMulV2", "StridedSlice"]
        assert tf.nn.bias_add(x, [1.0, 2.0]).op.type == "BiasAdd"


@pytest.mark.parametrize(
    ("kind", "build", "expected"),
    [
        ("MatMul", lambda x: tf.matmul(x, x), 4.0),
        ("BiasAdd", lambda x: tf.nn.bias_add(x, [1.0, 2.0]), 2.0),
        ("StridedSlice", lambda x: x[0], 2.0),
    ],
)
def test_gradients_are_overridden_by_the_types_of_tensorflow(kind: str, build: Any, expected: float) -> None:
    """FINDINGS A13."""
    name = f"Noted{kind}"
    seen: list[str] = []

    def noted(op: Any, dy: Any) -> Any:
        seen.append(op.type)
        return [tf.ones_like(t) for t in op.inputs]

    if not seen:
        tf.RegisterGradient(name)(noted)
    with tf.Graph().as_default() as graph, tf.compat.v1.Session():
        x = tf.ones([2, 2])
        with graph.gradient_override_map({kind: name}):
            y = build(x)
        got = tf.gradients(y, x)[0].eval()
    assert seen == [kind] and got.sum() == (expected if kind != "MatMul" else 8.0) * (2 if kind != "MatMul" else 1)


def test_every_op_is_the_name_of_its_own_gradient() -> None:
    """FINDINGS A13."""
    with tf.Graph().as_default() as graph, tf.compat.v1.Session():
        x = tf.constant([-2.0, 3.0])
        with graph.gradient_override_map({"Sign": "Identity"}):
            y = tf.sign(x)
        assert tf.gradients(y * 3.0, x)[0].eval().tolist() == [3.0, 3.0]
        with graph.gradient_override_map({"Sign": "NoSuchGradient"}):
            y = tf.sign(x)
        with pytest.raises(LookupError, match="gradient registry has no entry for: NoSuchGradient"):
            tf.gradients(y, x)


def test_a_graph_prints_what_is_in_it_and_whether_more_can_be_added(graph: Any) -> None:
    assert repr(graph) == f"<Graph at {id(graph):#x}: 0 operations>"
    one_call = tf.compat.v1.py_func(one, [], tf.float32)
    assert repr(graph) == f"<Graph at {id(graph):#x}: 1 operation, 1 Python function>"
    tf.identity(one_call)
    graph.finalize()
    assert repr(graph) == f"<Graph at {id(graph):#x}: 2 operations, 1 Python function, finalized>"
