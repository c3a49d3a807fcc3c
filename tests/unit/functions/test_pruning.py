"""Parts of traced graphs as functions."""

from __future__ import annotations

from typing import Any

import pytest

import inlay as tf

v1 = tf.compat.v1


def test_a_part_runs_the_operations_among_its_fetches_and_no_others() -> None:
    counts = tf.Variable(0), tf.Variable(0)

    def both(x: object) -> object:
        first, second = counts[0].assign_add(1, read_value=False), counts[1].assign_add(1, read_value=False)
        with tf.control_dependencies([second]):
            return first, tf.identity(x)

    whole = v1.wrap_function(both, [tf.TensorSpec([], tf.float32)])
    first = next(op for op in whole.graph.get_operations() if op.type == "AssignAddVariableOp")
    part = whole.prune([], [first])
    assert part() == [None]
    assert [v.numpy() for v in counts] == [1, 0]
    assert whole.prune(whole.inputs[0], whole.outputs[0])(tf.constant(4.0)).numpy() == 4
    assert [v.numpy() for v in counts] == [1, 1]


def test_a_part_that_needs_what_is_not_fed_is_refused() -> None:
    whole = v1.wrap_function(lambda x, y: x + y, [tf.TensorSpec([], tf.float32)] * 2)
    with pytest.raises(ValueError, match="needs the placeholder 'y', which is not among its feeds"):
        whole.prune(whole.inputs[0], whole.outputs[0])
    with pytest.raises(ValueError, match="must differ"):
        whole.prune([whole.inputs[0]] * 2, whole.outputs[0])


def test_what_follows_a_write_in_a_wrapped_function_runs_it() -> None:
    def counted(x: Any, way: str) -> Any:
        v = tf.Variable(5.0)
        written = v.assign_add(x)
        with tf.control_dependencies([written]):
            return {"read": v.read_value, "write": lambda: written, "other": lambda: tf.identity(x)}[way]()

    for way, results in (("read", [6, 7]), ("write", [6, 7]), ("other", [1, 1])):
        wrapped = v1.wrap_function(counted, [tf.TensorSpec([], tf.float32), way])
        assert [wrapped(tf.constant(1.0)).numpy() for _ in range(2)] == results
        assert wrapped.variables[0].numpy() == 7


def test_ops_added_to_a_wrapped_function_become_part_of_a_function_and_leave_the_first_as_it_was() -> None:
    total, factor = tf.Variable(0.0), tf.Variable(5.0)
    whole = v1.wrap_function(total.assign_add, [tf.TensorSpec([], tf.float32)])
    assert whole(tf.constant(2.0)).numpy() == 2
    with whole.graph.as_default():
        product = whole.outputs[0] * factor
        factor.assign_add(1.0)  # nothing depends on it
    assert whole.prune(whole.inputs[:1], product)(tf.constant(1.0)).numpy() == 15
    assert whole(tf.constant(2.0)).numpy() == 5
    assert factor.numpy() == 5


def test_the_graph_of_a_traced_function_takes_no_more_ops() -> None:
    concrete = tf.function(lambda x: x + 1.0).get_concrete_function(tf.TensorSpec([], tf.float32))
    with concrete.graph.as_default(), pytest.raises(RuntimeError, match="finalized"):
        _ = concrete.outputs[0] * 10


def test_several_outputs_of_one_operation_are_fed() -> None:
    whole = tf.function(lambda x: tf.add_n(tf.split(x, 2))).get_concrete_function(tf.TensorSpec([4]))
    parts = next(node for node in whole.graph.get_operations() if node.type == "Split").outputs
    part = whole.prune(parts, whole.outputs[0])
    assert part(tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])).numpy().tolist() == [4.0, 6.0]
