"""The graph of a traced function: inputs, captures, what must run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import inlay as tf
from inlay._src.core import context
from inlay._src.core.func_graph import FuncGraph
from inlay._src.core.opdef import Effect
from inlay._src.core.state import Cell, handle_key


def _inside(graph: Any) -> Any:
    return context.using(context.State(graph=graph))


def test_inputs_are_placeholders_in_the_order_they_were_declared() -> None:
    graph = FuncGraph("f", None)
    x, y = graph.add_input(tf.float32, (2,), "x"), graph.add_input(tf.int32, None, "y")
    assert graph.inputs == [x, y] and [t.op.name for t in graph.inputs] == ["x", "y"]
    assert x.shape == [2] and y.shape.rank is None and graph.captured == []


def test_a_tensor_used_from_outside_is_captured_once() -> None:
    outside = tf.constant([1.0, 2.0])
    graph = FuncGraph("f", None)
    first, second = graph.capture_eager(outside, "x"), graph.capture_eager(outside, "y")
    other = graph.capture_eager(tf.constant([1.0, 2.0]), "x")
    assert first is second and other is not first
    assert [t for t, _ in graph.captures][0] is outside and len(graph.captures) == 2
    assert first.shape == [2] and first.dtype is tf.float32


def test_a_capture_of_an_enclosing_graph_is_named_after_its_node() -> None:
    outer = tf.Graph()
    with outer.as_default(), tf.name_scope("s"):
        x = tf.compat.v1.placeholder(tf.float32, [3], name="x")
    graph = FuncGraph("f", outer)
    assert graph.capture(x).op.name == "x"


def test_a_tensor_of_a_graph_that_does_not_enclose_is_out_of_scope() -> None:
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    graph = FuncGraph("f", tf.Graph())
    with pytest.raises(tf.errors.InaccessibleTensorError, match="out of scope.*'f', which is being traced"):
        graph.capture(x)


def test_an_inner_function_reaches_through_the_outer_one() -> None:
    outermost = tf.Graph()
    with outermost.as_default():
        x = tf.constant(1.0)
    middle = FuncGraph("g", outermost)
    inner = FuncGraph("f", middle)
    inner.capture(x)
    assert inner.captured[0][0] is x


def test_seed_compilation_and_device_are_taken_over() -> None:
    outer = FuncGraph("g", None)
    outer.seed, outer.jit = 7, True
    inner = FuncGraph("f", outer)
    assert (inner.seed, inner.jit) == (7, True)
    with tf.device("/CPU:0"):
        assert FuncGraph("h", outer).place == "/device:CPU:0"


def test_what_must_run_is_what_acts() -> None:
    graph = FuncGraph("f", None)
    with _inside(graph):
        x = tf.constant(1.0)
        tf.no_op()
        assert graph.effectful() == [] and graph.effect is Effect.PURE
        tf.random.normal([2])
        assert graph.effectful() == [] and graph.effect is Effect.RANDOM
        call = tf.py_function(lambda v: v, [x], tf.float32)
        pure = tf.numpy_function(lambda v: v, [x], tf.float32, stateful=False)
    assert [n.name for n in graph.effectful()] == [call.op.name] and pure.op not in graph.effectful()
    assert graph.effect is Effect.STATEFUL


def test_the_variable_behind_a_handle_is_found_wherever_it_is_named() -> None:
    v = tf.Variable(1.0)
    cell = handle_key(v.handle)
    assert isinstance(cell, Cell) and cell.name.startswith("Variable")
    graph = FuncGraph("f", None)
    assert handle_key(graph.capture_eager(v.handle, "handle")) is cell
    with tf.Graph().as_default():
        w = tf.compat.v1.get_variable("w", initializer=2.0)
        assert handle_key(w.handle).name == "w"


def test_a_traced_function_lists_its_captures() -> None:
    outside, v = tf.constant(3.0), tf.Variable(2.0)

    @tf.function
    def f(x: Any) -> Any:
        return x * outside + v

    concrete = f.get_concrete_function(tf.TensorSpec([], tf.float32))
    captured = [t for t, _ in concrete.graph.captures]
    assert any(t is outside for t in captured) and any(t is v.handle for t in captured)
    assert f(np.float32(2)).numpy() == 8.0


def test_a_traced_graph_prints_its_name_inputs_and_captures() -> None:
    graph = FuncGraph("f", None)
    graph.add_input(tf.float32, (2,), "x")
    graph.capture_eager(tf.ones([1000]), "captured")
    assert repr(graph) == f"<FuncGraph f at {id(graph):#x}: 2 operations, 1 input, 1 captured>"
