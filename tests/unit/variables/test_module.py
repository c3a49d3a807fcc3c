"""Module: finding variables and submodules, names."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf


class Dense(tf.Module):
    def __init__(self, inputs, outputs, name=None):
        super().__init__(name)
        with self.name_scope:
            self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b", trainable=False)

    @tf.Module.with_name_scope
    def __call__(self, x):
        if not hasattr(self, "late"):
            self.late = tf.Variable(1.0, name="late")
        return x @ self.w + self.b


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.layers = [Dense(2, 3), {"x": (Dense(3, 1, "last"),)}]
        self.again = self.layers[0]
        self.scale = tf.Variable(2.0)


def test_variables_are_found_once_own_ones_first():
    net = Net()
    first, last = net.layers[0], net.layers[1]["x"][0]
    assert [id(v) for v in net.variables] == [id(v) for v in (net.scale, first.b, first.w, last.b, last.w)]
    assert [id(v) for v in net.trainable_variables] == [id(v) for v in (net.scale, first.w, last.w)]
    assert [id(v) for v in net.non_trainable_variables] == [id(v) for v in (first.b, last.b)]
    assert net.submodules == (first, last)


def test_paths():
    net = Net()
    found = {id(v): path for path, v in net._flatten(predicate=lambda v: isinstance(v, tf.Variable), with_path=True)}
    assert found[id(net.layers[1]["x"][0].w)] == ("layers", 1, "x", 0, "w")


def test_names():
    assert (Net().name, Dense(1, 1, "q").name) == ("net", "q")
    assert Dense(1, 1, "q").w.name == "q/w:0"
    dense = Dense(2, 2)
    dense(tf.ones([1, 2]))
    assert dense.late.name == "dense/late:0"
    with pytest.raises(ValueError, match="'1a' is not a valid module name"):
        tf.Module(name="1a")


def test_names_in_a_graph():
    with tf.Graph().as_default():
        assert Dense(1, 1, "q").w.name == "q/w:0"


def test_a_cycle_is_no_problem():
    one, two = tf.Module(name="one"), tf.Module(name="two")
    one.other, two.other, two.v = two, one, tf.Variable(1.0)
    assert len(one.variables) == 1 and one.submodules == (two,)


def test_gradients_through_a_module():
    net = Dense(2, 1)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(net(tf.constant([[1.0, 2.0]])))
    grads = tape.gradient(y, net.trainable_variables)
    assert [v.name for v in net.trainable_variables] == ["dense/late:0", "dense/w:0"]
    assert grads[0] is None and grads[1].numpy().tolist() == [[1], [2]]


def test_variables_of_a_kind_are_collected_without_an_overridden_property() -> None:
    class Strict(tf.Module):
        @property
        def variables(self) -> Any:
            raise ValueError("no variables yet")

    module = Strict()
    module.scale, module.count = tf.Variable(1.0), tf.Variable(2, trainable=False)
    assert module.trainable_variables == (module.scale,)
    assert module.non_trainable_variables == (module.count,)
