"""Row partitions and shapes of ragged tensors: what is not recorded from TensorFlow."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import inlay as tf

Partition = tf.experimental.RowPartition
Shape = tf.experimental.DynamicRaggedShape


def test_a_ragged_tensor_is_divided_by_row_partitions() -> None:
    ragged = tf.ragged.constant([[[1, 2], [3]], [], [[4]]])
    outer, inner = ragged._nested_row_partitions
    assert outer.row_splits().numpy().tolist() == [0, 2, 2, 3]
    assert inner.row_lengths().numpy().tolist() == [2, 1, 1]
    again = tf.RaggedTensor._from_nested_row_partitions(ragged.flat_values, [outer, inner])
    assert again.to_list() == ragged.to_list()
    assert tf.RaggedTensor.from_tensor([[1, 2], [3, 4]])._row_partition.static_uniform_row_length == 2


@pytest.mark.parametrize("value", [Partition.from_uniform_row_length(2, nrows=3), Shape.from_lengths([2, (1, 3), 2])])
def test_values_and_their_specs_are_pickled(value: Any) -> None:
    again = pickle.loads(pickle.dumps(value))
    assert repr(again) == repr(value)
    spec = tf.type_spec_from_value(value)
    assert pickle.loads(pickle.dumps(spec)) == spec == tf.type_spec_from_value(again)


def test_a_partition_keeps_its_uniform_length_through_functions() -> None:
    @tf.function
    def lengths(partition: Any) -> Any:
        assert partition.static_uniform_row_length == 3
        assert partition.static_nrows == 2
        return partition.row_lengths(), partition

    result, partition = lengths(Partition.from_uniform_row_length(3, nrows=2))
    assert result.numpy().tolist() == [3, 3]
    assert partition.is_uniform()


def test_a_signature_of_partitions_serves_all_that_fit() -> None:
    @tf.function(input_signature=[tf.type_spec_from_value(Partition.from_row_splits([0, 1, 3]))])
    def starts(partition: Any) -> Any:
        return partition.row_starts()

    assert starts(Partition.from_row_lengths([5, 1])).numpy().tolist() == [0, 5]


def test_branches_tell_only_what_their_shapes_have_in_common() -> None:
    @tf.function
    def either(wide: Any) -> Any:
        shape = tf.cond(wide, lambda: Shape.from_lengths([2, 5]), lambda: Shape.from_lengths([2, 3]))
        assert shape.static_lengths() == [2, None]
        return tf.ones(shape)

    @tf.function
    def either_statement(wide: Any) -> Any:
        if wide:
            shape = Shape.from_lengths([2, 5])
        else:
            shape = Shape.from_lengths([2, 3])
        return tf.ones(shape)

    for function in (either, either_statement):
        assert [function(tf.constant(wide)).shape.as_list() for wide in (True, False)] == [[2, 5], [2, 3]]


def test_branches_tell_only_what_their_ragged_tensors_have_in_common() -> None:
    @tf.function
    def either(wide: Any) -> Any:
        value = tf.cond(
            wide,
            lambda: tf.RaggedTensor.from_tensor([[1, 2], [3, 4]]),
            lambda: tf.RaggedTensor.from_tensor([[1, 2, 3], [4, 5, 6]]),
        )
        assert value.shape.as_list() == [2, None]
        return value

    @tf.function
    def either_statement(wide: Any) -> Any:
        if wide:
            value = tf.RaggedTensor.from_tensor([[1, 2], [3, 4]])
        else:
            value = tf.RaggedTensor.from_tensor([[1, 2, 3], [4, 5, 6]])
        return value

    for function in (either, either_statement):
        shapes = [function(tf.constant(wide)).shape.as_list() for wide in (True, False)]
        assert shapes in ([[2, 2], [2, 3]], [[2, None], [2, None]])


def test_shapes_are_carried_by_loops_and_nests() -> None:
    shape = Shape.from_lengths([2, (1, 3)])

    @tf.function
    def twice(shape: Any) -> Any:
        return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s), (tf.constant(0), shape))[1]

    assert repr(twice(shape)) == repr(shape)
    parts = tf.nest.flatten(shape, expand_composites=True)
    assert [part.numpy().tolist() for part in parts] == [[0, 1, 4], [4]]
    assert repr(tf.nest.pack_sequence_as(shape, parts, expand_composites=True)) == repr(shape)


def test_shapes_of_what_a_session_feeds_are_computed_when_it_runs() -> None:
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        fed = tf.compat.v1.ragged.placeholder(tf.int32, 1)
        shape = Shape.from_tensor(fed)
        value = session.run(shape, {fed: [[1, 2], [], [3]]})
        assert value.row_partitions[0].row_splits().tolist() == [0, 2, 2, 3]
        assert np.asarray(value.inner_shape).tolist() == [3]


def test_ops_without_a_meaning_for_shapes_say_so() -> None:
    shape = Shape.from_lengths([2, (1, 3)])
    with pytest.raises(TypeError, match=r"AddV2 does not take a DynamicRaggedShape, got <DynamicRaggedShape lengths"):
        tf.add(shape, 1)
    with pytest.raises(ValueError, match="BroadcastTo repeats a RaggedTensor to a DynamicRaggedShape"):
        tf.broadcast_to(tf.ragged.constant([[1], [2, 3]]), [2, 2])


def test_merged_dimensions_are_those_of_the_merged_tensor() -> None:
    value = tf.ragged.constant([[[[1, 2]], [[3, 4], [5, 6]]], [], [[[7, 8]]]], ragged_rank=2)
    for outer in range(4):
        for inner in range(outer, 4):
            merged = Shape.from_tensor(value)._merge_dims(outer, inner)
            expected = Shape.from_tensor(value.merge_dims(outer, inner))
            assert merged.static_lengths() == expected.static_lengths(), (outer, inner)


def test_a_saved_function_takes_and_gives_shapes(tmp_path: Any) -> None:
    class Filler(tf.Module):
        @tf.function(input_signature=[tf.type_spec_from_value(Shape.from_lengths([2, (1, 3)]))])
        def __call__(self, shape: Any) -> Any:
            return tf.ones(shape), shape

    tf.saved_model.save(Filler(), str(tmp_path))
    values, shape = tf.saved_model.load(str(tmp_path))(Shape.from_lengths([2, (1, 3)]))
    assert values.to_list() == [[1.0], [1.0, 1.0, 1.0]]
    assert shape.static_lengths() == [2, (1, 3)]
