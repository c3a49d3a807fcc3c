"""Eager execution by default, and building the default graph as in 1.x."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import context


@pytest.fixture
def graph_mode() -> Any:
    tf.compat.v1.reset_default_graph()
    tf.compat.v1.disable_eager_execution()
    try:
        yield
    finally:
        tf.compat.v1.enable_eager_execution()
        tf.compat.v1.reset_default_graph()


def test_without_eager_execution_ops_are_added_to_the_default_graph(graph_mode: None) -> None:
    x = tf.constant(2.0) * 3.0
    assert not tf.executing_eagerly() and x.graph is tf.compat.v1.get_default_graph()
    with tf.compat.v1.Session() as session:
        assert session.run(x) == 6.0


def test_asking_twice_keeps_the_graph(graph_mode: None) -> None:
    x = tf.constant(1.0)
    tf.compat.v1.disable_eager_execution()
    assert tf.constant(2.0).graph is x.graph


def test_resetting_starts_another_default_graph(graph_mode: None) -> None:
    before = tf.constant(1.0, name="x").graph
    tf.compat.v1.reset_default_graph()
    after = tf.constant(1.0, name="x")
    assert after.graph is not before and after.op.name == "x"


def test_bodies_of_functions_still_run_eagerly(graph_mode: None) -> None:
    seen: list[bool] = []

    def body(v: Any) -> Any:
        seen.append(tf.executing_eagerly())
        return v + 1

    y = tf.py_function(body, [tf.constant(1.0)], tf.float32)
    with tf.compat.v1.Session() as session:
        assert session.run(y) == 2.0
    assert seen == [True]


def test_outside_functions_is_asked_of_what_surrounds_them() -> None:
    seen: list[bool] = []

    @tf.function
    def f() -> tf.Tensor:
        seen.append(tf.compat.v1.executing_eagerly_outside_functions())
        return tf.constant(0)

    f()
    with tf.Graph().as_default():
        seen.append(tf.compat.v1.executing_eagerly_outside_functions())
    assert seen == [True, False]


def test_the_choice_holds_in_every_thread() -> None:
    code = (
        "import inlay as tf, threading; tf.compat.v1.disable_eager_execution(); got = []\n"
        "t = threading.Thread(target=lambda: got.append(tf.executing_eagerly())); t.start(); t.join(); print(got)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=50)
    assert done.stdout.strip() == "[False]", done.stderr


@pytest.mark.parametrize(
    ("value", "is_one"),
    [
        (lambda: tf.constant(1.0), True),
        (lambda: tf.Variable(1.0), True),
        (lambda: tf.ragged.constant([[1], [2, 3]]), True),
        (lambda: tf.sparse.from_dense([[0, 1]]), True),
        (lambda: np.zeros(2), False),
        (lambda: 1.0, False),
        (lambda: [tf.constant(1.0)], False),
        (lambda: None, False),
    ],
)
def test_what_is_a_tensor(value: Any, is_one: bool) -> None:
    assert tf.is_tensor(value()) is is_one


def test_the_arguments_of_1_x_are_taken() -> None:
    tf.compat.v1.enable_eager_execution(config=None, device_policy=None, execution_mode=None)
    assert context.base() is context.EAGER


def test_symbolic_tensors_are_those_of_graphs() -> None:
    found = []

    @tf.function
    def traced(x: Any) -> Any:
        found.append(tf.is_symbolic_tensor(x))
        return x

    with tf.Graph().as_default():
        found += [tf.is_symbolic_tensor(v) for v in (tf.constant(1), tf.ragged.constant([[1]]), tf.Variable(1), "a")]
    traced(tf.constant(1))
    assert found == [True, False, False, False, True]
    assert not any(tf.is_symbolic_tensor(v) for v in (1, tf.constant(1), tf.Variable(1)))
