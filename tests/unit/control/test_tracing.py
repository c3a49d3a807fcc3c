"""Tracing: what a Python function leaves in a graph of its own."""

from __future__ import annotations

import pytest

import inlay as tf
from inlay._src.core.opdef import Effect
from inlay._src.programs.control.branches import CASE
from inlay._src.programs.control.tracing import Tracing, add_running, aligned, trace
from inlay._src.programs.program import programs_of

FLOAT = (tf.float32, (), "x")


def test_results_become_outputs_and_keep_their_structure():
    traced = trace(lambda x: {"b": (x, 2.0), "a": None}, "f", [FLOAT])
    assert [t.dtype for t in traced.graph.outputs] == [tf.float32, tf.float32]
    assert traced.template.fill("xy") == {"b": ("x", "y"), "a": None}
    assert traced.result["b"] == tuple(traced.graph.outputs)
    assert traced.graph.finalized and [t.op.name for t in traced.graph.inputs] == ["x"]


def test_composites_are_outputs_by_their_components():
    traced = trace(lambda: tf.ragged.constant([[1], [2, 3]]), "f")
    assert len(traced.graph.outputs) == 2 and traced.template.holes()[0].count == 2
    assert isinstance(traced.result, tf.RaggedTensor)


def test_operations_give_none_and_the_node_if_there_is_nothing_else():
    traced = trace(lambda: tf.no_op(), "f")
    assert traced.result is None and traced.graph.outputs == []
    assert traced.pack([], "node") == "node"


def test_what_is_used_from_outside_is_captured():
    with tf.Graph().as_default():
        outer = tf.constant(1.0)
        one, two = trace(lambda: outer + 1.0, "one"), trace(lambda: (outer * 2.0, tf.constant(3.0)), "two")
        which = tf.constant(0)
        node = add_running(outer.graph, CASE, [which], {"branches": [one.graph, two.graph]}, [(), ()], "n")
        assert list(node.inputs) == [which, outer] and node.attrs["picks"] == ((0,), (0,))
        assert [p.graph for p in programs_of(node)] == [one.graph, two.graph]
        assert node.effect is Effect.PURE


def test_a_value_becomes_a_tensor_of_the_graph():
    with tf.Graph().as_default() as graph:
        outer = tf.constant(1)
        tracing = Tracing("f", graph)
        assert tracing.tensor(outer).op.graph is tracing.graph
        assert tracing.tensor(2.0).dtype is tf.float32
        assert tracing.tensor(2, tf.float64).dtype is tf.float64
        assert tf.compat.v1.get_default_graph() is graph
        with tracing.building():
            assert tf.compat.v1.get_default_graph() is tracing.graph


def test_tapes_hear_what_is_traced_only_if_asked():
    with tf.Graph().as_default() as graph, tf.GradientTape() as tape:
        x = tf.constant(1.0)
        tape.watch(x)
        deaf = Tracing("f", graph)
        with deaf.building():
            deaf.tensor(x) * 2.0
        traced = trace(lambda: x * 3.0, "g")
    assert len(traced.graph.outputs) == 1 and deaf.graph.outputs == []


def test_a_leaf_that_is_no_tensor_is_worded_by_the_caller():
    def refuse(leaf):
        raise TypeError(f"no tensor: {leaf}")

    with pytest.raises(TypeError, match="no tensor: 3"):
        Tracing("f", None).finish([3], refuse)


@pytest.mark.parametrize(
    ("one", "two", "says"),
    [
        (lambda: [1.0], lambda: 1.0, "branches 'a' and 'b' must return the same structure"),
        (lambda: {"x": 1.0}, lambda: {"y": 1.0}, "branches 'a' and 'b' must return the same structure"),
        (lambda: [1.0], lambda: (1.0,), "branches 'a' and 'b' must return the same structure"),
        (lambda: tf.sparse.eye(2), lambda: tf.eye(2), "branches 'a' and 'b' must return the same structure"),
        (lambda: [1.0, 2], lambda: [1.0, 2.0], r"output\[1\] has dtype int32 in branch 'a' but float32 in branch 'b'"),
        (lambda: (1.0, None), lambda: (1.0, 2.0), r"output\[1\] is None in branch 'a' but"),
    ],
)
def test_branches_that_differ_are_refused(one, two, says):
    with pytest.raises(TypeError, match=says):
        aligned([trace(one, "a"), trace(two, "b")], ["a", "b"], "cond")
