"""variable_scope and get_variable: names, sharing, defaults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import context

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


def test_scopes_prefix_names_of_variables_and_nodes():
    with tf.variable_scope("a"):
        with tf.variable_scope("b"):
            w, x = tf.get_variable("w", [2]), tf.constant(1.0)
    assert (w.name, x.name) == ("a/b/w:0", "a/b/Const:0")


def test_name_scopes_do_not_prefix_variables():
    with tf.name_scope("n"), tf.variable_scope("a"):
        assert tf.get_variable("w", [2]).name == "a/w:0"
        assert tf.constant(1.0).name == "n/a/Const:0"


def test_a_second_variable_of_a_name_is_refused():
    tf.get_variable("w", [2])
    with pytest.raises(ValueError, match="Variable w already exists, disallowed.*reuse=tf.AUTO_REUSE.*test_scope.py"):
        tf.get_variable("w", [2])


def test_reuse_shares():
    with tf.variable_scope("a"):
        w = tf.get_variable("w", [2])
    with tf.variable_scope("a", reuse=True):
        assert tf.get_variable("w") is w
        with tf.variable_scope("inner"):
            assert tf.get_variable_scope().reuse is True
        with pytest.raises(ValueError, match="Variable a/missing does not exist"):
            tf.get_variable("missing", [2])


def test_auto_reuse_makes_or_shares():
    made = []
    for _ in range(2):
        with tf.variable_scope("a", reuse=tf.AUTO_REUSE):
            made.append(tf.get_variable("w", [2]))
    assert made[0] is made[1]


def test_reuse_variables_switches_in_the_middle():
    with tf.variable_scope("a") as scope:
        w = tf.get_variable("w", [2])
        scope.reuse_variables()
        assert tf.get_variable("w", [2]) is w
    v = tf.get_variable("root", [1])
    tf.get_variable_scope().reuse_variables()
    assert tf.get_variable("root", [1]) is v


def test_sharing_checks_shape_and_type():
    tf.get_variable("w", [2])
    with tf.variable_scope(tf.get_variable_scope(), reuse=True):
        with pytest.raises(ValueError, match=r"specified shape \(3,\) and found shape \(2,\)"):
            tf.get_variable("w", [3])
        with pytest.raises(ValueError, match="specified dtype float64 and found dtype float32"):
            tf.get_variable("w", [2], tf.float64)


def test_a_scope_object_enters_again_from_anywhere():
    with tf.variable_scope("a") as scope:
        w = tf.get_variable("w", [2])
    with tf.variable_scope("other"), tf.variable_scope(scope, reuse=True) as again:
        assert tf.get_variable("w") is w
        assert again.name == "a"
        assert tf.constant(0).name == "other/a/Const:0"


def test_default_names_are_made_unique():
    names = []
    for _ in range(3):
        with tf.variable_scope(None, "layer"):
            names.append(tf.get_variable("w", [1]).name)
    assert names == ["layer/w:0", "layer_1/w:0", "layer_2/w:0"]


def test_entering_again_starts_default_names_again():
    for reuse in (False, True):
        with tf.variable_scope("model", reuse=reuse):
            with tf.variable_scope(None, "layer"):
                w = tf.get_variable("w", [1])
            assert w.name == "model/layer/w:0"


def test_scopes_give_defaults():
    with tf.variable_scope("a", initializer=tf.constant_initializer(3.0), dtype=tf.float64):
        with tf.variable_scope("b"):
            w = tf.get_variable("w", [2])
        x = tf.get_variable("x", [2], initializer=tf.ones_initializer())
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run([w, x])
    assert [g.dtype for g in got] == [np.float64] * 2 and [g[0] for g in got] == [3.0, 1.0]


@pytest.mark.parametrize("given", [tf.zeros_initializer, tf.zeros_initializer(), lambda shape: tf.zeros(shape)])
def test_initializers_may_be_objects_classes_and_functions(given):
    w = tf.get_variable("w", [2, 3], initializer=given)
    with tf.Session() as session:
        session.run(w.initializer)
        assert session.run(w).tolist() == [[0, 0, 0], [0, 0, 0]]


def test_values_bring_shape_and_type():
    w = tf.get_variable("w", initializer=np.int64([1, 2]))
    assert (w.dtype, w.shape.as_list()) == (tf.int64, [2])
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        tf.get_variable("x", [2], initializer=tf.constant([1.0, 2.0]))


def test_a_shape_is_needed():
    with pytest.raises(ValueError, match=r"Shape of a new variable \(w\) must be fully defined"):
        tf.get_variable("w")
    with pytest.raises(ValueError, match=r"Shape of a new variable \(w\) must be fully defined.*\(None, 2\)"):
        tf.get_variable("w", [None, 2])


def test_default_initializers_depend_on_the_type():
    w, n, b = tf.get_variable("w", [3, 5]), tf.get_variable("n", [2], tf.int32), tf.get_variable("b", [2], tf.bool)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        got = session.run([w, n, b])
    assert np.abs(got[0]).max() <= np.sqrt(6 / 8) and np.ptp(got[0]) > 0
    assert (got[1].tolist(), got[2].tolist()) == ([0, 0], [False, False])
    with pytest.raises(ValueError, match="An initializer for variable s of tf.complex64 is required"):
        tf.get_variable("s", [2], tf.complex64)


def test_regularizers_add_losses(graph):
    with tf.variable_scope("a", regularizer=lambda w: tf.reduce_sum(w * w)):
        tf.get_variable("w", initializer=[3.0, 4.0])
    (loss,) = tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES)
    assert loss.name.startswith("a/w/Regularizer/")
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(loss) == 25.0


def test_custom_getters_wrap_from_the_inside_out():
    order = []

    def getter(label):
        def get(make, name, *args, **kwargs):
            order.append((label, name))
            return make(name, *args, **kwargs)

        return get

    with tf.variable_scope("a", custom_getter=getter("outer")), tf.variable_scope("b", custom_getter=getter("inner")):
        tf.get_variable("w", [1])
    assert order == [("inner", "a/b/w"), ("outer", "a/b/w")]


def test_local_variables_are_neither_global_nor_trainable():
    local = v1.get_local_variable("l", [1])
    other = tf.get_variable("g", [1], trainable=False)
    assert (tf.local_variables(), tf.global_variables(), tf.trainable_variables()) == ([local], [other], [])


@pytest.mark.parametrize(
    "arguments, error, match",
    [
        ({"name_or_scope": None}, TypeError, "name_or_scope is required"),
        ({"name_or_scope": "a", "reuse": 3}, ValueError, "must be True or False or None"),
        ({"name_or_scope": None, "default_name": "a", "reuse": True}, ValueError, "cannot be used without a name"),
        ({"name_or_scope": 7}, TypeError, "must be a string or VariableScope"),
    ],
)
def test_senseless_scopes_are_refused(arguments, error, match):
    with pytest.raises(error, match=match):
        tf.variable_scope(**arguments)


def test_every_graph_has_names_of_its_own(graph):
    with tf.variable_scope("a"):
        tf.get_variable("w", [1])
        with tf.Graph().as_default():
            assert tf.get_variable("w", [1]).name == "w:0"


def test_collections_of_a_scope():
    tf.get_variable("w", [1])
    with tf.variable_scope("a") as scope:
        w = tf.get_variable("w", [1])
    assert scope.global_variables() == scope.trainable_variables() == [w]
    assert tf.global_variables("a") == [w]


def test_a_decorated_function_runs_in_the_scope():
    @tf.variable_scope("a")
    def f():
        return tf.get_variable("w", [1]).name

    assert f() == "a/w:0"


def test_eager_get_variable_makes_a_new_one_each_time():
    with context.using(context.State()), tf.variable_scope("a", reuse=True):
        one, two = (v1.get_variable("w", initializer=1.0) for _ in range(2))
        assert one is not two and one.name == "a/w:0"


def test_variables_of_a_branch_belong_to_the_graph(graph):
    flag = tf.placeholder(tf.bool)

    def made():
        return tf.get_variable("w", initializer=5.0) + 1.0

    with tf.variable_scope("a"):
        y = tf.cond(flag, made, lambda: tf.constant(0.0))
    assert [v.name for v in tf.global_variables()] == ["a/w:0"]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [session.run(y, {flag: f}) for f in (True, False)] == [6.0, 0.0]


def test_values_are_read_to_the_device_that_caches_them():
    with tf.device("/cpu:0"), tf.variable_scope("a", caching_device="/job:there"):
        v = tf.get_variable("v", [])
        with tf.variable_scope("b"):
            inner = tf.get_variable("v", [])
        with tf.variable_scope("c", caching_device=""):
            own = tf.get_variable("v", [])
        with tf.variable_scope("d") as scope:
            scope.set_caching_device(lambda op: "/gpu:1" if op.type == "Identity" else None)
            asked = tf.get_variable("v", [])
    assert [w.value().device for w in (v, inner, own, asked)] == ["/job:there", "/job:there", "", "/device:GPU:1"]
    assert {w.device for w in (v, inner, own, asked)} == {"/device:CPU:0"}
    assert (v + 1.0).op.inputs[0].device == "/job:there"


def test_a_cached_value_is_never_an_old_one():
    v = tf.get_variable("v", initializer=3.0, caching_device="/cpu:0")
    with tf.control_dependencies([v.assign_add(2.0)]):
        after = v.value()
    (slope,) = tf.gradients(v * v, v)
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run(after) == 5.0 and session.run(slope) == 10.0


def test_the_parts_follow_a_scope_that_is_changed():
    with tf.variable_scope("a") as scope:
        scope.set_partitioner(tf.compat.v1.fixed_size_partitioner(2))
        assert len(tf.get_variable("v", [4])) == 2


def test_device_functions_meet_a_variable_by_its_type():
    met = []
    with v1.device(lambda op: met.append((op.name, op.type))):
        tf.get_variable("x", [3])  # its first values are random
    assert [name for name, kind in met if kind in ("Variable", "VariableV2", "VarHandleOp")] == ["x"]


def test_a_new_default_graph_starts_names_of_eager_scopes_again():
    with context.using(context.EAGER):
        names = []
        for _ in range(2):
            tf.reset_default_graph()
            for _ in range(2):
                with tf.variable_scope(None, "layer"):
                    names.append(tf.get_variable("w", [2]).name)
            tf.get_variable_scope().set_initializer(tf.ones_initializer())
        tf.reset_default_graph()
        assert tf.get_variable_scope().initializer is None
    assert names == ["layer/w:0", "layer_1/w:0"] * 2


@pytest.mark.parametrize("value", [1, [1.5], np.float32(2.0), np.zeros(3, np.int64)])
def test_a_stated_type_is_that_of_the_first_value(value: Any) -> None:
    """As TensorFlow 2.21; values of other types were cast, and tensors refused with a word about conversion."""
    with tf.Graph().as_default():
        for first in (value, tf.constant(value)):
            with pytest.raises(ValueError, match=r"Initializer type .* and explicit dtype 'tf\.float64' don't match"):
                tf.compat.v1.get_variable("v", initializer=first, dtype=tf.float64)
        own = tf.constant(value).dtype
        assert tf.compat.v1.get_variable("w", initializer=value, dtype=own).dtype is own
